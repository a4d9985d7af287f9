import type { TableColumn, TextColumn } from './table.js';

/** A distinct value of a column and the number of its rows. */
export interface ValueCount {
  value: number;
  count: number;
}

/** How many rows hold what of a column of texts. */
export interface TextCounts {
  /** By index in the column's texts. */
  readonly byText: Uint32Array;
  /** Of texts that were too many to keep. How many texts they are is not known: this many at most. */
  readonly others: number;
}

export function rowCountOf(column: TableColumn): number {
  return column.kind === 'text' ? column.codes.length : column.values.length;
}

export function countTexts({ texts, codes }: TextColumn): TextCounts {
  const counts = new Uint32Array(texts.length + 2);
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return { byText: counts.subarray(1, -1), others: counts.at(-1) ?? 0 };
}

/** The distinct values, without NaN, in ascending order. */
export function countValues(values: Float64Array): ValueCount[] {
  const counts: ValueCount[] = [];
  let last: ValueCount | undefined;
  // NaN is sorted to the end.
  for (const value of values.toSorted()) {
    if (Number.isNaN(value)) break;
    if (last?.value === value) {
      last.count++;
      continue;
    }
    last = { value, count: 1 };
    counts.push(last);
  }
  return counts;
}
