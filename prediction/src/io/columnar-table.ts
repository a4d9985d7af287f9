import type { ColumnBuilder } from '../table/column-builder.js';
import { checkColumnNames, columnName } from '../table/column-names.js';
import type { Table, Task } from '../table/table.js';
import { TableBuilder } from '../table/table-builder.js';
import { FaultList, TableError } from '../table/table-error.js';
import { FormatFault } from './columns/format-fault.js';
import type { Vector } from './columns/vector.js';

/** Takes the rows of a table by column, some at a time. */
export class ColumnarTable {
  readonly #target: string;
  readonly #builder: TableBuilder;
  /** By place; undefined where the column is the target. */
  #columns: readonly (ColumnBuilder | undefined)[] = [];
  #targetPlace = 0;
  #rows = 0;

  /** @param task how the target is predicted; without it, its values decide. */
  constructor(target: string, task: Task | undefined) {
    this.#target = columnName(target);
    this.#builder = new TableBuilder(this.#target, task);
  }

  /**
   * Takes the names of the columns, and returns their places, all of which are wanted.
   *
   * @throws {TableError} if they cannot be those of a table.
   */
  begin(sent: readonly string[]): ReadonlySet<number> {
    const names = sent.map(columnName);
    checkColumnNames(names, this.#target, new FaultList());
    this.#columns = names.map((name) =>
      name === this.#target ? undefined : this.#builder.column(name),
    );
    this.#targetPlace = names.indexOf(this.#target);
    return new Set(names.keys());
  }

  /** @throws {TableError} at the first row or cell too many. */
  add(length: number, vectors: ReadonlyMap<number, Vector>): void {
    const target = vectors.get(this.#targetPlace);
    const positions = new Int32Array(length);
    for (let row = 0; row < length; row++) {
      const place = { row: this.#rows++ };
      positions[row] = this.#builder.startRow(target?.value(row), place) ?? -1;
    }
    for (const [place, column] of this.#columns.entries()) {
      const vector = vectors.get(place);
      if (column && vector) putAll(column, vector, positions);
    }
  }

  /** @throws {TableError} if no model can be trained on what was added. */
  build(): Table {
    if (this.#rows > 0) return this.#builder.build();
    throw new TableError([{ message: 'The table has no rows. Send at least 50.' }]);
  }
}

function putAll(column: ColumnBuilder, vector: Vector, positions: Int32Array): void {
  if (vector.kind === 'missing') return;
  for (let row = 0; row < positions.length; row++) {
    const position = positions[row] ?? -1;
    if (position >= 0) column.put(position, vector.value(row));
  }
}

/** The reading of a table: see `readCsvTable`. */
export interface ReadOptions {
  readonly drain?: boolean;
  readonly task?: Task | undefined;
}

/**
 * Reads a table with `read`. Unless `drain` is false, the source is read to its end before the promise rejects.
 *
 * @throws {TableError} in place of a fault of the format.
 */
export async function readDraining(
  source: AsyncIterable<Uint8Array>,
  drain: boolean,
  read: (pieces: AsyncIterable<Uint8Array>) => Promise<Table>,
): Promise<Table> {
  const pieces = source[Symbol.asyncIterator]();
  // Who stops early would end the source, which may be a request that is to carry the refusal.
  const endless = { [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }) };
  try {
    return await read(endless);
  } catch (error) {
    const isFault = error instanceof FormatFault;
    const fault = isFault ? new TableError([{ message: error.message }]) : error;
    if (fault instanceof TableError && drain) while (!(await pieces.next()).done);
    throw fault;
  }
}
