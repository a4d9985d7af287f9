import { type TextReader, textReader } from './cells.js';
import type { ColumnChoices, ColumnUse } from './column.js';
import type { CellColumn } from './column-builder.js';
import { checkSetColumn } from './column-names.js';
import { categoryShare, profileColumn } from './column-profile.js';
import type { RowRanges } from './dropped-rows.js';
import { GatheredColumns } from './gathered-columns.js';
import { marksOf, type Place, type TableMarks } from './reading/column-reading.js';
import { type CellSink, GroupCells, OrderCells } from './series-cells.js';
import { MAX_ROWS, type RowTable, type Task } from './table.js';
import { quote, TableError, type TableFault } from './table-error.js';
import { checkValidation, type Validation, type ValidationChoice } from './validation.js';

const LIMITS = {
  maxRows: MAX_ROWS,
  ofRows: `Send a random sample of at most ${MAX_ROWS.toLocaleString('en')} rows.`,
  ofCells: 'Send fewer rows, or only the columns that bear on the target.',
};

/** Gathers rows into a table, and judges the whole when they are all there. */
export class TableBuilder extends GatheredColumns {
  readonly #task: Task | undefined;
  readonly #validation: ValidationCells | undefined;

  /**
   * @param task what the target is predicted as; undefined, for what its values suggest.
   * @throws {TableError} if the rows that measure the model are chosen by its target.
   */
  constructor(
    target: string,
    task: Task | undefined,
    choices?: ColumnChoices,
    marks?: TableMarks,
    dropped?: RowRanges,
    validation?: ValidationChoice,
  ) {
    super(target, LIMITS, choices, marks, dropped);
    this.#task = task ?? (this.targetCells.isForced ? 'regression' : undefined);
    if (validation?.by === target) {
      const message = `validate_by names the target ${quote(target)}. Name the column that orders the rows, or groups them.`;
      throw new TableError([{ message, column: target }]);
    }
    this.#validation = validation && this.#openValidation(validation, marks);
  }

  #openValidation(choice: ValidationChoice, marks: TableMarks | undefined): ValidationCells {
    const words = choice.by === undefined ? undefined : this.wordsOf(choice.by);
    return new ValidationCells(choice, (row) => this.places.at(row), textReader(words), marks);
  }

  protected override openColumn(name: string, use: ColumnUse | undefined): CellSink {
    const column = super.openColumn(name, use);
    return this.#validation?.name === name ? new BothCells(column, this.#validation) : column;
  }

  /**
   * The table, to which what was gathered is given up.
   *
   * @throws {TableError} if the target or all of the input columns are unfit to learn from.
   */
  build(): RowTable {
    const { target, rowCount } = this;
    const left = this.listLeftOut();
    const answers = this.targetCells.take(rowCount, this.#task, left.leftOut);
    if (answers.task === 'classification') checkSetColumn(this.columns.keys(), target);
    const columns = [...this.columns]
      .filter(([, column]) => !column.isEmptyIndex)
      .map(([name, column]) => column.take(name, rowCount));
    const { missingWords } = this;
    const validation = this.#validation?.take(rowCount);
    const measured = validation && { validation };
    const table = { target, rowCount, columns, missingWords, ...left, ...answers, ...measured };
    checkInputs(table);
    if (validation) checkValidation(validation, rowCount);
    return table;
  }
}

/** Gathers the cells of the column that orders rows, or groups them, beside what a model learns from it. */
class ValidationCells implements CellSink {
  readonly name: string | undefined;
  readonly #cells: OrderCells | GroupCells | undefined;

  constructor(
    { method, by }: ValidationChoice,
    placeOf: (row: number) => Place,
    readText: TextReader,
    marks: TableMarks = {},
  ) {
    this.name = by;
    if (by === undefined) return;
    this.#cells =
      method === 'last'
        ? new OrderCells(by, placeOf, marksOf(marks, by), readText)
        : new GroupCells(by, placeOf, 'validate_by', readText);
  }

  put(row: number, cell: unknown): void {
    this.#cells?.put(row, cell);
  }

  putColumn(rows: Int32Array, cells: CellColumn): void {
    this.#cells?.putColumn(rows, cells);
  }

  /** @throws {TableError} if a row has no moment, or the order of the numbers in dates is not known. */
  take(rowCount: number): Validation {
    const [cells, column = ''] = [this.#cells, this.name];
    if (cells === undefined) return { method: 'last', by: null };
    if (cells instanceof GroupCells) {
      return { method: 'group', column, codes: Float64Array.from(cells.take(rowCount).codes) };
    }
    const { form, moments } = cells.take(rowCount);
    return { method: 'last', by: { column, form, moments } };
  }
}

/** Hands cells to two sinks. */
class BothCells implements CellSink {
  constructor(
    private readonly one: CellSink,
    private readonly other: CellSink,
  ) {}

  put(row: number, cell: unknown, place?: Place): void {
    this.one.put(row, cell, place);
    this.other.put(row, cell, place);
  }

  putColumn(rows: Int32Array, cells: CellColumn, first: number): void {
    this.one.putColumn(rows, cells, first);
    this.other.putColumn(rows, cells, first);
  }
}

function checkInputs(table: RowTable): void {
  if (table.columns.length === 0) {
    const message = `The target ${quote(table.target)} is the only column. Send the columns to predict it from.`;
    throw new TableError([{ message }]);
  }
  const categoryBytes = categoryShare(table.columns.length);
  const faults: TableFault[] = [];
  for (const column of table.columns) {
    const { reason } = profileColumn(column, categoryBytes).summary;
    if (reason === null) return;
    const message = `No input column can be used. Column ${quote(column.name)}: ${reason}.`;
    if (faults.length < 10) faults.push({ message, column: column.name });
  }
  throw new TableError(faults);
}
