import type { LookedColumn, LookedTable, LookedTarget } from './looked-table.js';
import { RowHashes } from './row-hashes.js';

/** The most rows that are chosen. */
const MAX_ROWS = 4000;

/** The columns, those with the most different values, in which two rows are compared. */
const COMPARED_COLUMNS = 8;

/** The fewest rows that share their value, and their share of the rows. */
const MIN_ROWS = 50;
const MIN_SHARE = 0.5;

/** The share of the expected rows that chosen values have at least, unless a value that is not chosen has most rows. */
const MIN_CHOSEN = 0.7;

/**
 * Chooses rows whose value of a column at least one other of them has, as a code has that stands in a few rows each. Of a
 * large table, all rows of some values are chosen, since random rows would seldom meet. Rows that repeat another one in the
 * target and other columns are left out: in a table that is there twice, each column would determine the target.
 *
 * @returns indexes of rows with a target; undefined where most rows share their value with no other
 */
export function chooseRepeated(
  table: LookedTable,
  column: LookedColumn,
  target: LookedTarget,
): Uint32Array | undefined {
  // Codes are whole, as are dates in milliseconds; measured amounts that recur are not looked at.
  const isCode = column.kind === 'category' || column.sorted.every(Number.isInteger);
  const shared = isCode ? keepShared(column, chooseByValue(table, column, target)) : undefined;
  return shared && keepShared(column, withoutRepeats(table, column, target, shared));
}

/** Returns those of some rows whose value another one has; undefined if they are few. */
function keepShared(column: LookedColumn, rows: Uint32Array): Uint32Array | undefined {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(column.at(row), (counts.get(column.at(row)) ?? 0) + 1);
  const shared = rows.filter((row) => (counts.get(column.at(row)) ?? 0) > 1);
  return shared.length < Math.max(MIN_ROWS, MIN_SHARE * rows.length) ? undefined : shared;
}

/** Chooses all rows of some values: those of all in a small table. */
function chooseByValue({ scanned }: LookedTable, column: LookedColumn, target: LookedTarget): Uint32Array {
  const share = Math.min(1, MAX_ROWS / scanned.length);
  const rows = new Uint32Array(MAX_ROWS);
  // Texts that were too many to keep share one index.
  const end = column.kind === 'category' ? column.texts.length : Number.POSITIVE_INFINITY;
  let [size, present] = [0, 0];
  for (let at = 0; at < scanned.length && size < MAX_ROWS; at++) {
    const row = scanned[at] ?? 0;
    const value = column.at(row);
    if (!(value < end) || !Number.isFinite(target.at(row))) continue;
    present++;
    if (hashOf(value) < share * 2 ** 32) rows[size++] = row;
  }
  return size < MIN_CHOSEN * share * present ? new Uint32Array() : rows.subarray(0, size);
}

const NUMBER = new Float64Array(1);
const WORDS = new Uint32Array(NUMBER.buffer);

/** Returns 32 bits that depend on all of a number, as MurmurHash3 (Appleby 2011) ends. */
function hashOf(value: number): number {
  NUMBER[0] = value;
  let mixed = Math.imul((WORDS[0] ?? 0) ^ Math.imul(WORDS[1] ?? 0, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function withoutRepeats(
  { columns }: LookedTable,
  column: LookedColumn,
  target: LookedTarget,
  rows: Uint32Array,
): Uint32Array {
  const compared = columns
    .filter((each) => each !== column && !each.isIdentifier)
    .sort((one, other) => other.distinct - one.distinct)
    .slice(0, COMPARED_COLUMNS);
  const hashes = new RowHashes(rows);
  for (const [index, each] of [...compared, column, target].entries()) hashes.toggle(each, index, 1);
  const values = hashes.values();
  const seen = new Set<number>();
  return rows.filter((_, at) => {
    const hash = values[at] ?? 0;
    if (seen.has(hash)) return false;
    seen.add(hash);
    return true;
  });
}
