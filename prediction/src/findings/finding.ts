import type { Place } from '../table/reading/column-reading.js';
import { MAX_PLACES } from '../table/rows-read.js';
import { cutText } from '../text/cut-text.js';
import { showCount } from './words.js';

/** The kinds of findings, the most important first: what can make all predictions wrong goes before what is only unused. */
const FINDING_KINDS = [
  'leak',
  'totals_row',
  'total_series',
  'rows_left_out',
  'one_class_column',
  'shifted_rows',
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
  'further_findings',
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
 * @returns at most `MAX_FINDINGS`, of which the last one says how many more there are
 */
export function mergeFindings<F extends AnyFinding>(...lists: readonly (readonly F[])[]): (F | FurtherFindings)[] {
  const rankOf = ({ kind }: F) => RANKS.get(kind) ?? FINDING_KINDS.length;
  const all = lists.flat();
  const explained = new Set(all.filter(({ kind }) => EXPLAINING.has(kind)).map(({ column }) => column));
  const listed = all
    .filter(({ kind, column }) => kind !== FURTHER && (kind !== 'unused_column' || !explained.has(column)))
    .sort((one, other) => rankOf(one) - rankOf(other) || (other.share ?? 0) - (one.share ?? 0));
  // Keep the counts of an earlier merge.
  const earlier = all.filter(({ kind }) => kind === FURTHER).flatMap(({ message }) => readCounts(message));
  const most = earlier.length === 0 && listed.length <= MAX_FINDINGS ? MAX_FINDINGS : MAX_FINDINGS - 1;
  const left = listed.slice(most).map(({ kind }): KindCount => [kind, 1]);
  const further = describeFurther([...earlier, ...left]);
  return [...listed.slice(0, most).map(cutFinding), ...(further ? [further] : [])];
}

const FURTHER = 'further_findings' satisfies FindingKind;

type KindCount = readonly [kind: string, findings: number];

/** The findings that are not listed, by kind. */
interface FurtherFindings extends Finding {
  readonly kind: typeof FURTHER;
}

function describeFurther(counts: readonly KindCount[]): FurtherFindings | undefined {
  const sums = new Map<string, number>();
  for (const [kind, findings] of counts) sums.set(kind, (sums.get(kind) ?? 0) + findings);
  const all = [...sums.values()].reduce((sum, findings) => sum + findings, 0);
  if (all === 0) return undefined;
  const kinds = [...sums].map(([kind, findings]) => `${showCount(findings)} of the kind ${kind}`);
  return {
    kind: FURTHER,
    column: null,
    rows: null,
    share: null,
    places: [],
    message: `${showCount(all)} more findings are not listed: ${kinds.join(', ')}.`,
    effect: null,
    remedies: [],
  };
}

/** Returns the counts that `describeFurther` has written. */
function readCounts(message: string): KindCount[] {
  return Array.from(message.matchAll(/([\d,]{1,9}) of the kind ([a-z_]{1,40})/g), ([, count = '', kind = '']) => [
    kind,
    Number(count.replaceAll(',', '')),
  ]);
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
