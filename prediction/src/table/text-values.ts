import type { ColumnReading } from './reading/column-reading.js';
import { createReader } from './reading/create-reader.js';

interface ReadTexts {
  readonly kind: 'number' | 'date';
  readonly reading: ColumnReading | null | undefined;
  readonly values: Float64Array;
}

/** Eight bytes a text, which go with the texts. */
const read = new WeakMap<readonly string[], ReadTexts>();

/**
 * Reads the texts of a column as numbers or dates. The values are kept as long as the texts are: the reading of a
 * table, its findings, its training and the errors of its model read each text once.
 *
 * @param texts of a column, which do not change any more.
 * @returns by code, which is 1 + the index of a text, a number or milliseconds since 1970. NaN for texts that are no
 * such values, for code 0, a missing cell, and for the code behind the texts, that of all others.
 */
export function readTextValues(
  texts: readonly string[],
  kind: 'number' | 'date',
  reading: ColumnReading | null | undefined,
): Float64Array {
  const known = read.get(texts);
  if (known?.kind === kind && known.reading === reading) return known.values;
  const readText = createReader(kind, reading);
  const values = new Float64Array(texts.length + 2).fill(Number.NaN);
  for (let index = 0; index < texts.length; index++) values[index + 1] = readText(texts[index] ?? '');
  read.set(texts, { kind, reading, values });
  return values;
}
