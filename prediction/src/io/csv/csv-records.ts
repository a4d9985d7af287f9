import type { ColumnBuilder } from '../../table/column-builder.js';
import { checkColumnNames, columnName } from '../../table/column-names.js';
import type { Table, Task } from '../../table/table.js';
import { TableBuilder } from '../../table/table-builder.js';
import { FaultList, TableError } from '../../table/table-error.js';
import { ENDS_REMOVED } from './csv-record-limit.js';

/** Takes the records of a CSV table one by one, the header first if there is one. */
export class CsvRecords {
  readonly #target: string;
  readonly #hasHeader: boolean;
  readonly #faults = new FaultList();
  readonly #builder: TableBuilder;
  /** The first record, which is looked at when there is a second: a table of one line has another fault. */
  #firstRecord: readonly string[] | undefined;
  #header: readonly string[] | undefined;
  /** By field; undefined where the field is the target. */
  #columns: readonly (ColumnBuilder | undefined)[] = [];
  #targetField = 0;
  #nextLine = 1;

  /**
   * @param task how the target is predicted; without it, its values decide.
   * @param hasHeader whether the first record has the names of the columns.
   */
  constructor(target: string, task: Task | undefined, hasHeader: boolean) {
    this.#target = columnName(target);
    this.#hasHeader = hasHeader;
    this.#builder = new TableBuilder(this.#target, task);
  }

  /** The line on which the next record would begin if no line had been blank. */
  get nextLine(): number {
    return this.#nextLine;
  }

  /**
   * @param blankLines how many lines before the record were blank, and are no records.
   * @throws {TableError} at a header that cannot be used, at the tenth faulty record, and at the
   *   first row too many.
   */
  add(record: readonly string[], blankLines: number): void {
    const line = this.#nextLine + blankLines;
    this.#nextLine += 1 + lineBreaksIn(record);
    if (this.#firstRecord === undefined) {
      this.#firstRecord = record;
      if (this.#hasHeader) return;
    }
    this.#header ??= this.#begin(this.#firstRecord);
    this.#addRow(record, line, this.#header);
  }

  /** @throws {TableError} if no model can be trained on what was added. */
  build(): Table {
    if (this.#firstRecord === undefined) {
      const message = 'The table is empty. Send a header line and a line for each row.';
      throw new TableError([{ message }]);
    }
    if (this.#header === undefined) throw oneLine(this.#firstRecord.length);
    this.#faults.throwIfAny();
    return this.#builder.build();
  }

  #begin(record: readonly string[]): readonly string[] {
    const names = this.#hasHeader
      ? record.map(columnName)
      : record.map((_, index) => `column_${index + 1}`);
    checkColumnNames(names, this.#target, this.#faults);
    this.#columns = names.map((name) =>
      name === this.#target ? undefined : this.#builder.column(name),
    );
    this.#targetField = names.indexOf(this.#target);
    return names;
  }

  #addRow(record: readonly string[], line: number, header: readonly string[]): void {
    if (record.length !== header.length) {
      const first = this.#hasHeader ? 'header' : 'first row';
      const message = `Line ${line} has ${record.length} fields, the ${first} has ${header.length}. Put a field that holds the delimiter in quotes, and leave no field out.`;
      this.#faults.add({ message, line });
      return;
    }
    const row = this.#builder.startRow(record[this.#targetField], { line });
    if (row === undefined) return;
    for (const [field, column] of this.#columns.entries()) column?.put(row, record[field]);
  }
}

function oneLine(count: number): TableError {
  const fields = count === 1 ? '1 field' : `${count.toLocaleString('en')} fields`;
  const message = `The table is one line of ${fields}. ${ENDS_REMOVED} Otherwise send a line for each row, below the header.`;
  return new TableError([{ message }]);
}

/** The parser counts CRLF within quotes as two lines, so lines are counted here. */
function lineBreaksIn(record: readonly string[]): number {
  let count = 0;
  for (const field of record) {
    if (!field.includes('\n') && !field.includes('\r')) continue;
    count += field.match(/\r\n|\n|\r/g)?.length ?? 0;
  }
  return count;
}
