import type { Place } from '../table/reading/column-reading.js';
import { MAX_PLACES } from '../table/rows-read.js';
import { cutText } from '../text/cut-text.js';

/** The kinds of findings, the most important first: what can make all predictions wrong goes before what is only unused. */
const FINDING_KINDS = [
  'leak',
  'totals_row',
  'total_series',
  'rows_left_out',
  'one_class_column',
  'mixed_units',
  'partial_end',
  'changed_step',
  'duplicate_rows',
  'unread_values',
  'frequent_text',
  'undecided_column',
  'time_order',
  'outliers',
  'series_gaps',
  'ended_series',
  'short_series',
  'copied_column',
  'merged_classes',
  'rare_classes',
  'empty_rows',
  'constant_series',
  'identifier_column',
  'constant_column',
  'unused_column',
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

/** Something that was found in a table, for its sender. */
export interface Finding {
  readonly kind: FindingKind;
  /** Null if it is not about one column. */
  readonly column: string | null;
  /** The rows concerned; null if it is about the column as a whole. */
  readonly rows: number | null;
  /** The same as a share of the rows that were looked at, 0 to 1. */
  readonly share: number | null;
  /** The first of the rows, at most `MAX_PLACES`. */
  readonly places: Place[];
  /** A sentence with the finding, of at most 1000 characters. */
  readonly message: string;
  /** The effect on the model, in at most 1000 characters; null if the message says it. */
  readonly effect: string | null;
  /** Parameters of a training that change it, at most three, of which one may do. */
  readonly remedies: Remedy[];
}

/** A query parameter of a training. */
export interface Remedy {
  readonly parameter: string;
  readonly value: string;
}

/** The most findings of a table. */
export const MAX_FINDINGS = 100;

const RANKS = new Map<string, number>(FINDING_KINDS.map((kind, rank) => [kind, rank]));

/** Findings of a column that say why it is not used. */
const EXPLAINING: ReadonlySet<string> = new Set<FindingKind>([
  'constant_column',
  'identifier_column',
  'undecided_column',
  'frequent_text',
]);

/** The most remedies of a finding. */
export const MAX_REMEDIES = 3;

/** The most characters of a text and of the value of a remedy, which may hold names that callers chose. */
const LIMITS = { text: 1000, value: 1101 } as const;

/** A finding, also as the contract has it. */
type AnyFinding = Omit<Finding, 'places'> & { readonly places: object[] };

/**
 * Merges findings of a table, the most important first: by kind, and within a kind by the share of rows. That a column
 * is not used is left out where another finding says why. Each finding is cut to what the contract allows.
 *
 * @param lists of findings; of those that are alike, the first list goes first
 * @returns at most `MAX_FINDINGS`
 */
export function mergeFindings<F extends AnyFinding>(...lists: readonly (readonly F[])[]): F[] {
  const rankOf = ({ kind }: F) => RANKS.get(kind) ?? FINDING_KINDS.length;
  const all = lists.flat();
  const explained = new Set(all.filter(({ kind }) => EXPLAINING.has(kind)).map(({ column }) => column));
  return all
    .filter(({ kind, column }) => kind !== 'unused_column' || !explained.has(column))
    .sort((one, other) => rankOf(one) - rankOf(other) || (other.share ?? 0) - (one.share ?? 0))
    .slice(0, MAX_FINDINGS)
    .map(cutFinding);
}

/** A remedy that is too long is left out: a part of a name is another name. */
function cutFinding<F extends AnyFinding>(finding: F): F {
  const { column, places, message, effect, remedies } = finding;
  return {
    ...finding,
    column: column && cutText(column, LIMITS.text),
    places: places.slice(0, MAX_PLACES),
    message: cutText(message, LIMITS.text),
    effect: effect && cutText(effect, LIMITS.text),
    remedies: remedies.filter(({ value }) => value.length <= LIMITS.value).slice(0, MAX_REMEDIES),
  };
}
