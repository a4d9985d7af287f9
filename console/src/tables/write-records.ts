import { writeCsv } from './csv.js';
import type { TableRecord } from './read-records.js';
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
