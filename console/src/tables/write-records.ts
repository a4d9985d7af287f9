import { parseNumber } from '../../../prediction/src/browser.js';
import { writeCsv } from './csv.js';
import { readRecords, type TableRecord } from './read-records.js';
import type { TableFormat } from './table-format.js';

const PART_CHARACTERS = 4 << 20;

/** Writes records to a file of any length. The browser may keep the parts of a Blob on disk. */
export class TableWriter {
  readonly #format: Pick<TableFormat, 'delimiter' | 'newline'>;
  readonly #parts: Blob[] = [];
  #text: string;

  constructor(format: Pick<TableFormat, 'delimiter' | 'newline'>, hasMark = false) {
    this.#format = format;
    this.#text = hasMark ? '\ufeff' : '';
  }

  add(records: readonly TableRecord[]): void {
    if (records.length === 0) return;
    this.#text += writeCsv(records, this.#format);
    if (this.#text.length < PART_CHARACTERS) return;
    this.#parts.push(new Blob([this.#text]));
    this.#text = '';
  }

  /** Returns what was added so far, as a file. */
  toBlob(): Blob {
    return new Blob([...this.#parts, this.#text], { type: 'text/csv' });
  }
}

/** Returns whether the service reads a table as it is: with commas, in UTF-8. */
export function isPlainCsv({ encoding, delimiter }: TableFormat): boolean {
  return encoding === 'utf-8' && delimiter === ',';
}

/**
 * Writes a table with commas and in UTF-8. A field with a comma, such as 1,5, is put in quotes.
 * @param onProgress called with the converted share, from 0 to 1
 * @throws the errors of `readRecords`, and the reason of the signal
 */
export async function toPlainCsv(
  file: Blob,
  format: TableFormat,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const writer = new TableWriter({ delimiter: ',', newline: '\n' });
  for await (const { records, share } of readRecords(file, format)) {
    signal.throwIfAborted();
    writer.add(records);
    onProgress(share);
  }
  return writer.toBlob();
}

/** Returns a text that no spreadsheet takes for a formula. */
export function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && Number.isNaN(parseNumber(text)) ? `'${text}` : text;
}
