import { checkColumnNames } from './column-names.js';
import { isRowObject, ownValue } from './row-object.js';
import type { Table, Task } from './table.js';
import { TableBuilder } from './table-builder.js';
import { FaultList, TableError } from './table-error.js';

const ROW_SHAPE = 'Send each row as an object that gives its values by column name.';

/**
 * Reads a table from row objects. The columns are the union of the rows' keys, in order of first
 * appearance; a key that a row lacks is a missing value.
 *
 * @param options `task` predicts the target as numbers or as classes; left out, its values decide.
 * @throws {TableError} if no model can be trained on the table, or it has more than 1,000,000 rows.
 */
export function readRowsTable(
  rows: Iterable<unknown>,
  target: string,
  { task }: { task?: Task | undefined } = {},
): Table {
  const reader = new RowsReader(target, task);
  for (const row of rows) reader.add(row);
  return reader.build();
}

/** Takes row objects one by one. */
export class RowsReader {
  readonly #target: string;
  readonly #faults = new FaultList();
  readonly #builder: TableBuilder;
  #count = 0;
  #hasTarget = false;

  /** @param task what the target is predicted as; left out, its values decide. */
  constructor(target: string, task: Task | undefined) {
    this.#target = target;
    this.#builder = new TableBuilder(target, task);
  }

  /** @throws {TableError} at the tenth faulty row, and at the first row, column or cell too many. */
  add(row: unknown): void {
    const index = this.#count++;
    if (!isRowObject(row)) {
      this.#faults.add({ message: `Row ${index} is not an object. ${ROW_SHAPE}`, row: index });
      return;
    }
    this.#hasTarget = Object.hasOwn(row, this.#target) || this.#hasTarget;
    const position = this.#builder.startRow(ownValue(row, this.#target), { row: index });
    for (const name of Object.keys(row)) {
      if (name === this.#target) continue;
      const column = this.#builder.column(name);
      if (position !== undefined) column.put(position, row[name]);
    }
  }

  /** @throws {TableError} if no model can be trained on what was added. */
  build(): Table {
    if (this.#count === 0) {
      throw new TableError([{ message: 'The table has no rows. Send an array of row objects.' }]);
    }
    const inputs = this.#builder.columnNames;
    const names = this.#hasTarget ? [...inputs, this.#target] : inputs;
    checkColumnNames(names, this.#target, this.#faults);
    return this.#builder.build();
  }
}
