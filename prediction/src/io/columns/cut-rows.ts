import { quote } from '../../table/table-error.js';
import { type ByteBudget, MAX_BLOCK_BYTES, MAX_ROW_BYTES, rowBytes } from './byte-budget.js';
import { FormatError } from './format-error.js';
import type { Vector } from './vector.js';

/** The maximum rows that are read at a time. */
const MAX_ROWS = 16_384;

/** Cuts are at multiples of this, so that bits stay whole bytes. */
const STEP = 8;

/** Returns how many rows of so many columns are read at a time: a multiple of 8. */
export function windowRows(columns: number): number {
  const rows = Math.floor(MAX_BLOCK_BYTES / 8 / Math.max(columns, 1));
  return Math.max(STEP, Math.min(MAX_ROWS, rows - (rows % STEP)));
}

/**
 * Yields where some rows begin and end that are to be used at once: their texts take at most `MAX_BLOCK_BYTES`.
 *
 * @param vectors at most `windowRows` rows, by the place of their column.
 * @param first the number of the first row in messages.
 * @throws {FormatError} at a row of more than `MAX_ROW_BYTES`, and where the rows repeat too much.
 */
export function* cutRows(
  vectors: ReadonlyMap<number, Vector>,
  rows: number,
  budget: ByteBudget,
  { place, first, nameOf }: RowsPlace,
): Generator<{ readonly from: number; readonly to: number }> {
  const sizes = new Float64Array(rows);
  for (const vector of vectors.values()) vector.addTextBytes(sizes);
  let bytes = 0;
  let from = 0;
  budget.expand(rowBytes(rows, vectors.size) + sum(sizes), place);
  for (let row = 0; row < rows; row++) {
    const size = sizes[row] ?? 0;
    if (size > MAX_ROW_BYTES) throw tooLong(vectors, row, size, { place, first, nameOf });
    bytes += size;
    if (bytes <= MAX_BLOCK_BYTES || row - from < STEP) continue;
    const to = row - (row % STEP);
    yield { from, to };
    bytes = sum(sizes.subarray(to, row + 1));
    from = to;
  }
  if (rows > from) yield { from, to: rows };
}

/** The names in messages of some rows and their columns. */
export interface RowsPlace {
  readonly place: string;
  readonly first: number;
  readonly nameOf: (column: number) => string;
}

function tooLong(
  vectors: ReadonlyMap<number, Vector>,
  row: number,
  size: number,
  { place, first, nameOf }: RowsPlace,
): FormatError {
  let [longest, maxBytes] = [0, -1];
  for (const [column, vector] of vectors) {
    const own = new Float64Array(1);
    vector.slice(row, row + 1).addTextBytes(own);
    if ((own[0] ?? 0) > maxBytes) [longest, maxBytes] = [column, own[0] ?? 0];
  }
  const name = quote(nameOf(longest));
  return new FormatError(
    `${place}, row ${first + row}: the texts take ${size.toLocaleString('en')} bytes, those of the column ${name} ${maxBytes.toLocaleString('en')}; a row has at most ${MAX_ROW_BYTES.toLocaleString('en')}. Shorten them, or leave the column out.`,
  );
}

function sum(sizes: Float64Array): number {
  let total = 0;
  for (const size of sizes) total += size;
  return total;
}
