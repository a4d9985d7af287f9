import { parseDate, parseNumber } from '../cells.js';
import type { ColumnReading } from './column-reading.js';
import { DateForm, dateReader } from './date-form.js';
import { NumberForm, numberReader } from './number-form.js';

/**
 * Tells how the texts of a column are read that are neither plain numbers nor ISO dates.
 *
 * @param texts all of the column's, distinct, without missing ones.
 * @returns null if they do not all agree on one form.
 */
export function tellReading(texts: Iterable<string>): ColumnReading | null {
  let form: DateForm | NumberForm | undefined;
  for (const text of texts) {
    form ??= new DateForm().add(text) ? new DateForm() : new NumberForm();
    if (!form.add(text)) return null;
  }
  return form?.reading() ?? null;
}

/** Returns the reader of the cells of a column of numbers or dates, as numbers or milliseconds since 1970. */
export function readerOf(
  kind: 'number' | 'date',
  reading: ColumnReading | null | undefined,
): (text: string) => number {
  if (reading?.kind === 'number') return numberReader(reading);
  if (reading?.kind === 'date') return dateReader(reading);
  return kind === 'date' ? parseDate : parseNumber;
}
