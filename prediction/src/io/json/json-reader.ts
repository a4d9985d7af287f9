import { RowsReader } from '../../table/row-reader.js';
import type { Table, Task } from '../../table/table.js';
import { TableError } from '../../table/table-error.js';
import { JsonArrayParser } from './json-array-parser.js';

/**
 * Reads a table from a JSON array of row objects as it streams in, in UTF-8: it is never parsed, nor
 * held, as a whole.
 *
 * Whatever is wrong, the source is read to its end before the promise rejects, because it may be a
 * request whose connection has to carry the refusal. With `drain: false` it rejects as soon as nothing that
 * follows can change the reason.
 *
 * @param options `task` predicts the target as numbers or as classes; left out, its values decide.
 * @throws {MalformedJsonError} if it is no JSON.
 * @throws {JsonShapeError} if it is no array, or has too many elements, or nests too deep.
 * @throws {TableError} if no model can be trained on the table.
 * @throws the source's own error, if it breaks off.
 */
export async function readJsonTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  { drain = true, task }: { drain?: boolean; task?: Task | undefined } = {},
): Promise<Table> {
  const reader = new JsonTableReader(target, task);
  let fault: unknown;
  for await (const chunk of source) {
    if (fault !== undefined) continue;
    try {
      reader.add(chunk);
    } catch (error) {
      if (!drain) throw error;
      fault = error;
    }
  }
  if (fault !== undefined) throw fault;
  return reader.build();
}

/** JSON that is not to be read comes before a table that cannot be learnt from, wherever either shows. */
class JsonTableReader {
  readonly #rows: RowsReader;
  readonly #parser = new JsonArrayParser((row) => this.#addRow(row));
  #fault: TableError | undefined;

  constructor(target: string, task: Task | undefined) {
    this.#rows = new RowsReader(target, task);
  }

  add(chunk: Uint8Array): void {
    try {
      this.#parser.add(chunk);
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      this.#refuse(error);
    }
  }

  build(): Table {
    this.#parser.finish();
    if (this.#fault !== undefined) throw this.#fault;
    return this.#rows.build();
  }

  #addRow(row: unknown): void {
    if (this.#fault !== undefined) return;
    try {
      this.#rows.add(row);
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      this.#refuse(error);
    }
  }

  #refuse(fault: TableError): void {
    this.#fault ??= fault;
    this.#parser.skipElements();
  }
}
