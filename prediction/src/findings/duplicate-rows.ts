import type { Finding } from './finding.js';
import type { LookedColumn, LookedTable } from './looked-table.js';
import { isSortKey } from './plain-columns.js';
import { amongScanned, dropRows, placesOf } from './remedies.js';
import { RowHashes } from './row-hashes.js';
import { showCount, showPlaces, showShare } from './words.js';

/** Repeated rows are reported if chance explains at most this part of their pairs. */
const MAX_BY_CHANCE = 0.05;

/** The columns that are left out, one at a time, to see what chance explains: those with the most different values. */
const TRIED_COLUMNS = 3;

/** The columns, those with the most different values, that most tables without equal rows show to be so. */
const FIRST_COLUMNS = 4;

/** The exponent that the chance of independent columns gets, since columns are derived from each other. */
const DEPENDENCE = 0.7;

/** A share of the rows that changes the measured error by little. */
const FEW = 0.01;

/**
 * Finds rows that repeat another row in all columns and the target, where their values are so many that this is no
 * coincidence. Columns that number or name the rows do not count.
 */
export function findDuplicates(table: LookedTable): Finding[] {
  const { target, scanned } = table;
  if (target === null) return [];
  const columns = table.columns.filter((column) => !column.isIdentifier && !isSortKey(table, column));
  if (columns.length === 0) return [];
  const compared = [...columns, target];
  if (!mayRepeat(compared, scanned)) return [];
  const hashes = new RowHashes(scanned);
  for (const [index, column] of compared.entries()) hashes.toggle(column, index, 1);
  const repeated = findRepeated(hashes.values());
  const pairs = countPairs(repeated);
  if (pairs === 0 || estimateChance(compared, scanned.length, hashes, pairs) > MAX_BY_CHANCE * pairs) return [];
  const rows = listRepeats(hashes, repeated).map((index) => scanned[index] ?? 0);
  // One row may be like another one under another number.
  if (rows.length === 1 && columns.length < table.columns.length) return [];
  const places = placesOf(table, rows);
  const share = rows.length / scanned.length;
  const named = rows.length === 1 ? 'One row repeats' : `${showCount(rows.length)} rows repeat`;
  return [
    {
      kind: 'duplicate_rows',
      column: null,
      rows: rows.length,
      share,
      places,
      message: `${named} an earlier row in every value (${showPlaces(places, rows.length)}), ${showShare(share)} of ${amongScanned(table)}.`,
      effect: `A row that is also among those that measure the error is predicted too well: ${share < FEW ? 'so few change the measured error little' : 'the model seems better than it is'}.`,
      remedies: dropRows(places, rows.length),
    },
  ];
}

/**
 * Returns whether rows may be equal in all columns: whether some are in the few that have the most different values, and
 * those also in all others.
 */
function mayRepeat(columns: readonly LookedColumn[], rows: Uint32Array): boolean {
  const ordered = columns.toSorted((one, other) => other.distinct - one.distinct);
  const first = ordered.slice(0, FIRST_COLUMNS);
  const few = repeatedRows(first, rows);
  return few.length > 0 && repeatedRows(ordered.slice(FIRST_COLUMNS), few, first).length > 0;
}

/** Returns those of some rows of which another one has the same values in some columns. */
function repeatedRows(
  columns: readonly LookedColumn[],
  rows: Uint32Array,
  further: readonly LookedColumn[] = [],
): Uint32Array {
  const hashes = new RowHashes(rows);
  for (const [index, column] of [...columns, ...further].entries()) hashes.toggle(column, index, 1);
  const values = hashes.values();
  const repeated = findRepeated(values.slice());
  return repeated.size === 0 ? new Uint32Array() : rows.filter((_, index) => repeated.has(values[index] ?? 0));
}

/** The indexes of rows whose hash an earlier row has. */
function listRepeats(hashes: RowHashes, repeated: ReadonlyMap<number, number>): number[] {
  const seen = new Set<number>();
  const rows: number[] = [];
  for (const [row, hash] of hashes.values().entries()) {
    if (!repeated.has(hash)) continue;
    if (seen.has(hash)) rows.push(row);
    else seen.add(hash);
  }
  return rows;
}

/**
 * Estimates how many pairs of rows are equal by chance: pairs that are equal in all columns but one, times the chance
 * that two rows are equal in this one. The largest estimate of some columns counts, since
 * columns depend on each other, and what independent columns let expect.
 */
function estimateChance(columns: readonly LookedColumn[], rowCount: number, hashes: RowHashes, pairs: number): number {
  const measured = columns.map((column, index) => ({ column, index, collision: collisionShare(column) }));
  const tried = measured.sort((one, other) => one.collision - other.collision).slice(0, TRIED_COLUMNS);
  const estimates = tried.map(({ column, index, collision }) => {
    hashes.toggle(column, index, -1);
    const without = countPairs(findRepeated(hashes.values()));
    hashes.toggle(column, index, 1);
    // Half a pair more: that none was met does not show that there can be none.
    return ((without - pairs + 0.5) * collision) / Math.max(1 - collision, 1e-9);
  });
  const independent = columns.map(collisionShare).reduce((product, each) => product * each, 1);
  const rowPairs = (rowCount * (rowCount - 1)) / 2;
  return Math.max(...estimates, rowPairs * independent ** DEPENDENCE);
}

/**
 * Returns the hashes that more than one row has, each with the number of its rows.
 *
 * @param hashes which are sorted.
 */
function findRepeated(hashes: Float64Array): Map<number, number> {
  const repeated = new Map<number, number>();
  const sorted = hashes.sort();
  for (let at = 1; at < sorted.length; at++) {
    const hash = sorted[at] ?? 0;
    if (hash === sorted[at - 1]) repeated.set(hash, (repeated.get(hash) ?? 1) + 1);
  }
  return repeated;
}

function countPairs(repeated: ReadonlyMap<number, number>): number {
  let pairs = 0;
  for (const times of repeated.values()) pairs += (times * (times - 1)) / 2;
  return pairs;
}

/** Returns the share of the pairs of rows that agree in a column; that of one pair, if none do. */
function collisionShare({ sample }: LookedColumn): number {
  const counts = new Map<number, number>();
  for (const value of sample) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Math.max(1, countPairs(counts)) / Math.max(1, (sample.length * (sample.length - 1)) / 2);
}
