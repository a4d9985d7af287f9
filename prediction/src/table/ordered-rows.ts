import type { CellColumn, ColumnBuilder } from './column-builder.js';
import { checkColumnNames, columnName } from './column-names.js';
import type { Table, Task } from './table.js';
import { TableBuilder } from './table-builder.js';
import { FaultList } from './table-error.js';
import type { Place } from './target/target-cells.js';

/** Gathers rows whose cells stand in the order of the columns' names. */
export class OrderedRows {
  readonly #target: string;
  readonly #builder: TableBuilder;
  /** By place; undefined where the column is the target. */
  #columns: readonly (ColumnBuilder | undefined)[] = [];
  #targetAt = 0;

  /** @param task how the target is predicted; without it, its values decide. */
  constructor(target: string, task: Task | undefined) {
    this.#target = columnName(target);
    this.#builder = new TableBuilder(this.#target, task);
  }

  /**
   * Takes the names of the columns, before the first row.
   *
   * @throws {TableError} if they cannot be those of a table.
   */
  begin(sent: readonly string[]): void {
    const names = sent.map(columnName);
    checkColumnNames(names, this.#target, new FaultList());
    this.#columns = names.map((name) =>
      name === this.#target ? undefined : this.#builder.column(name),
    );
    this.#targetAt = names.indexOf(this.#target);
  }

  /** @throws {TableError} at the first row or cell too many. */
  add(cells: readonly unknown[], place: Place): void {
    const row = this.#builder.startRow(cells[this.#targetAt], place);
    if (row === undefined) return;
    const columns = this.#columns;
    for (let at = 0; at < columns.length; at++) columns[at]?.put(row, cells[at]);
  }

  /**
   * Adds rows that came by column.
   *
   * @param first the index of the first of them.
   * @throws {TableError} at the first row or cell too many.
   */
  addColumns(first: number, length: number, columns: ReadonlyMap<number, CellColumn>): void {
    const target = columns.get(this.#targetAt);
    const rows = new Int32Array(length);
    for (let index = 0; index < length; index++) {
      const cell = target && target.kind !== 'missing' ? target.value(index) : null;
      rows[index] = this.#builder.startRow(cell, { row: first + index }) ?? -1;
    }
    for (const [at, builder] of this.#columns.entries()) {
      const cells = columns.get(at);
      if (cells) builder?.putColumn(rows, cells);
    }
  }

  /** @throws {TableError} if no model can be trained on what was added. */
  build(): Table {
    return this.#builder.build();
  }
}
