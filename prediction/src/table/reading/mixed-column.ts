import { cutText } from '../../text/cut-text.js';
import { PARSING_SHARE } from '../column.js';
import { showExample, type UndecidedReading } from './column-reading.js';
import type { UnreadText } from './unread-cells.js';

/** The most texts that may stand for missing values in a column of another kind. */
export const MAX_MARKERS = 3;

/** At this share of values of a kind, a column is mostly of the kind, whatever the others are. */
const MOSTLY = 0.8;

/** Below a half of the values, they are many only if as many as this are different; those of several units always. */
export const MANY = 10;
const FEWEST = 0.2;

/** The characters of a text that a message shows. */
const MAX_SHOWN = 40;

/**
 * Returns whether a column whose values are not nearly all of a kind is mostly of that kind: without its most frequent
 * other texts, which may stand for missing values, nearly all of the rest would be. Measures that are missing in most
 * rows are many different ones; categories such as `5` beside `yes` and `no` are not.
 *
 * @param values of the kind
 * @param others the most frequent other texts, at most `MAX_MARKERS`
 * @param present the rows with any value
 */
export function hasFewOthers(
  values: { readonly texts: number; readonly rows: number },
  others: readonly (readonly [text: string, rows: number])[],
  present: number,
): boolean {
  if (values.rows === 0) return false;
  if (values.rows >= MOSTLY * present) return true;
  const rest = others.reduce((left, [, rows]) => left - rows, present);
  const isMuch = values.rows > present / 2 || (values.rows >= FEWEST * present && values.texts >= MANY);
  return isMuch && values.rows >= PARSING_SHARE * rest;
}

/**
 * Describes why a column that is mostly of a kind is not read so.
 *
 * @param others the most frequent texts that are not of the kind
 * @param counts the rows that are not of the kind, and those with any value
 * @param units of the numbers, the most frequent first; null stands for none
 */
export function describeMixed(
  kind: 'number' | 'date',
  others: readonly UnreadText[],
  { rows, present }: { readonly rows: number; readonly present: number },
  units: readonly (readonly [unit: string | null, rows: number])[] = [],
): UndecidedReading {
  const shown = others.slice(0, MAX_MARKERS).map((other) => {
    const example = showExample({ text: cutText(other.text, MAX_SHOWN), place: other.place ?? undefined });
    return `${example} (${showShare(other.rows / present)})`;
  });
  // Numbers with other units have no text that stands for missing values.
  const [first] = others;
  const named = first === undefined ? showUnits(units) : `, most often ${shown.join(', ')}`;
  const word =
    first === undefined ? '' : `state that such a text is missing (missing=${cutText(first.text, MAX_SHOWN)}), `;
  const [unread, all] = [rows, present].map((count) => count.toLocaleString('en'));
  const reason = `${unread} of its ${all} values are not ${kind}s like the others${named}; ${word}choose ${kind}s for the column, so that all others are missing (as_${kind}), or choose categories (as_category)`;
  return { kind: 'undecided', reason };
}

/** Names the units of a column of numbers, if there is more than one: its numbers have to be converted. */
function showUnits(units: readonly (readonly [unit: string | null, rows: number])[]): string {
  if (units.length < 2) return '';
  const shown = units.slice(0, MAX_MARKERS).map(([unit, rows]) => {
    return `${unit === null ? 'none' : `"${cutText(unit, MAX_SHOWN)}"`} (${rows.toLocaleString('en')})`;
  });
  return `, since they have more than one unit: ${shown.join(', ')}; write all of them in one unit in the table`;
}

function showShare(share: number): string {
  const percent = 100 * share;
  return percent < 0.1 ? 'less than 0.1 %' : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}
