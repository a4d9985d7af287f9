import type { TableColumn } from './column.js';
import type { ColumnSummary } from './column-profile.js';
import type { RowTable } from './table.js';
import { readTextValues } from './text-values.js';

/** The most rows, and the most cells, that are looked at: evenly spaced ones of a larger table. */
const MAX_ROWS = 20_000;
const MAX_CELLS = 1_000_000;

/** The distance of a value from the middle beyond which it is merely far. */
const FAR = 3;

/**
 * Finds the row of a table that is nearest the middle of all columns that a model uses, so that its
 * values occur together: the medians of numbers and dates, in units of their interquartile ranges, and
 * the commonest categories. Columns count as much as the model makes of them.
 *
 * @param summaries of the columns, in their order.
 * @returns the value of each column, dates in ISO 8601; null where the column is not used, where the row
 * has no value, and where its text is none of the categories of the model.
 */
export function findTypicalRow(
  { columns, rowCount }: RowTable,
  summaries: readonly ColumnSummary[],
): (number | string | null)[] {
  const count = Math.min(rowCount, MAX_ROWS, Math.ceil(MAX_CELLS / Math.max(1, columns.length)));
  const rows = Uint32Array.from({ length: count }, (_, i) => Math.floor((i * rowCount) / count));
  const distances = new Float64Array(count);
  for (const [index, column] of columns.entries()) {
    const summary = summaries[index];
    if (!summary?.used) continue;
    const weight = (summary.importance?.gain ?? 0) + 0.01 / columns.length;
    const distance = distanceFrom(readValues(column, summary, rows), summary.kind === 'category');
    for (const [place, each] of distance.entries()) {
      distances[place] = (distances[place] ?? 0) + weight * each;
    }
  }
  const nearest = distances.reduce((best, distance, place) => (distance < (distances[best] ?? 0) ? place : best), 0);
  const row = rows.subarray(nearest, nearest + 1);
  return columns.map((column, index) => {
    const summary = summaries[index];
    return summary?.used ? show(column, summary, readValues(column, summary, row)[0]) : null;
  });
}

/** Returns the numbers or dates of some rows, or the codes of their categories; NaN is missing. */
export function readValues(
  column: TableColumn,
  { kind, reading }: Pick<ColumnSummary, 'kind' | 'reading'>,
  rows: Uint32Array,
): Float64Array {
  const read = new Float64Array(rows.length);
  if (column.kind !== 'text') {
    for (let at = 0; at < rows.length; at++) read[at] = column.values[rows[at] ?? 0] ?? Number.NaN;
    return read;
  }
  const { texts, codes } = column;
  const values = kind === 'category' ? undefined : readTextValues(texts, kind, reading);
  for (let at = 0; at < rows.length; at++) {
    const code = codes[rows[at] ?? 0] ?? 0;
    read[at] = values === undefined ? code || Number.NaN : (values[code] ?? Number.NaN);
  }
  return read;
}

function distanceFrom(values: Float64Array, isCategory: boolean): Float64Array {
  const present = values.filter(Number.isFinite).sort();
  // Where most rows have no value, having none is typical.
  const isUsuallyMissing = 2 * present.length < values.length;
  const at = (share: number) => present[Math.floor(share * (present.length - 1))] ?? 0;
  const middle = isCategory ? commonest(present) : at(0.5);
  const spread = at(0.75) - at(0.25) || at(1) - at(0) || 1;
  return values.map((value) => {
    if (!Number.isFinite(value)) return isUsuallyMissing ? 0 : 1;
    if (isCategory) return value === middle && !isUsuallyMissing ? 0 : 1;
    return (isUsuallyMissing ? 1 : 0) + Math.min(Math.abs(value - middle) / spread, FAR);
  });
}

/** @param sorted ascending. */
function commonest(sorted: Float64Array): number {
  let [best, longest, start] = [Number.NaN, 0, 0];
  for (const [index, value] of sorted.entries()) {
    if (value !== sorted[start]) start = index;
    if (index - start + 1 > longest) [best, longest] = [value, index - start + 1];
  }
  return best;
}

function show(column: TableColumn, { kind, categories }: ColumnSummary, value = Number.NaN) {
  if (!Number.isFinite(value)) return null;
  if (kind === 'number') return value;
  if (kind === 'date') return new Date(value).toISOString();
  const text = column.kind === 'text' ? column.texts[value - 1] : undefined;
  return text !== undefined && categories?.includes(text) ? text : null;
}
