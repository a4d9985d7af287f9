import { PARSING_SHARE, type TableColumn, type TextColumn } from './table.js';

/** A distinct value of a column and the number of its rows. */
export interface ValueCount {
  value: number;
  count: number;
}

export function rowCountOf(column: TableColumn): number {
  return column.kind === 'text' ? column.codes.length : column.values.length;
}

/** The rows of each code: of missing cells, of each text, and last of the others. */
export function countCodes({ texts, codes }: TextColumn): Uint32Array {
  const counts = new Uint32Array(texts.length + 2);
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/**
 * Returns the value of each text by a parser, by code, which is 1 + its index; nothing if fewer of
 * the present cells than `PARSING_SHARE` are worth anything.
 *
 * @param counts the rows of each code; code 0 is missing, those beyond the texts are others.
 */
export function valuesByCode(
  texts: Iterable<string>,
  counts: Uint32Array,
  parse: (text: string) => number,
): Float64Array | undefined {
  const values = new Float64Array(counts.length).fill(Number.NaN);
  let parsing = 0;
  let code = 0;
  for (const text of texts) {
    code++;
    const value = parse(text);
    if (Number.isNaN(value)) continue;
    values[code] = value;
    parsing += counts[code] ?? 0;
  }
  const present = counts.reduce((sum, count) => sum + count, 0) - (counts[0] ?? 0);
  return parsing > 0 && parsing >= PARSING_SHARE * present ? values : undefined;
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
