import type { ColumnBuilder } from '../../table/column-builder.js';
import { checkColumnNames, columnName } from '../../table/column-names.js';
import { MIN_ROWS, type Table, type Task } from '../../table/table.js';
import { TableBuilder } from '../../table/table-builder.js';
import { FaultList, TableError } from '../../table/table-error.js';

/**
 * Reads a table from lines of JSON arrays, such as the rows of a query: the names of the columns
 * first, then the cells of each row.
 * @param source whole lines in UTF-8, cut anywhere; it is not read further once the table is refused
 * @param options `task` predicts the target as numbers or as classes; left out, its values decide.
 * @throws {TableError} if no model can be trained on the table, or it has more than 1,000,000 rows.
 * @throws the source's own error, if it breaks off.
 */
export async function readRecordTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  { task }: { task?: Task | undefined } = {},
): Promise<Table> {
  const records = new Records(target, task);
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) records.add(line);
  }
  return records.build();
}

class Records {
  readonly #target: string;
  readonly #builder: TableBuilder;
  /** By cell; undefined where the cell is the target. Undefined before the names. */
  #columns: readonly (ColumnBuilder | undefined)[] | undefined;
  #targetCell = 0;
  #count = 0;

  constructor(target: string, task: Task | undefined) {
    this.#target = columnName(target);
    this.#builder = new TableBuilder(this.#target, task);
  }

  add(line: string): void {
    const cells: unknown[] = JSON.parse(line);
    if (this.#columns === undefined) this.#begin(cells.map(String));
    else this.#addRow(cells, this.#columns);
  }

  build(): Table {
    if (this.#count > 0) return this.#builder.build();
    const message = `The table has no rows. At least ${MIN_ROWS} with a target are needed.`;
    throw new TableError([{ message }]);
  }

  #begin(header: readonly string[]): void {
    const names = header.map(columnName);
    checkColumnNames(names, this.#target, new FaultList());
    this.#columns = names.map((name) =>
      name === this.#target ? undefined : this.#builder.column(name),
    );
    this.#targetCell = names.indexOf(this.#target);
  }

  #addRow(cells: readonly unknown[], columns: readonly (ColumnBuilder | undefined)[]): void {
    const row = this.#builder.startRow(cells[this.#targetCell], { row: this.#count++ });
    if (row === undefined) return;
    for (const [index, column] of columns.entries()) column?.put(row, cells[index]);
  }
}
