import { cellText } from './cells.js';
import { type ColumnChoice, type ColumnChoices, type ColumnUse, isPassedOver } from './column.js';
import { ColumnBuilder } from './column-builder.js';
import { checkSetColumn, tooManyColumns } from './column-names.js';
import { categoryShare, profileColumn } from './column-profile.js';
import { marksOf, type Place, type TableMarks } from './reading/column-reading.js';
import { MAX_CELLS, MAX_COLUMNS, MAX_ROWS, type RowTable, type Task } from './table.js';
import { quote, TableError, type TableFault } from './table-error.js';
import { TargetCells } from './target-cells.js';
import { TextMemory } from './text-column.js';

/** Gathers rows into a table, and judges the whole when they are all there. */
export class TableBuilder {
  readonly #target: string;
  readonly #columns = new Map<string, ColumnBuilder>();
  readonly #memory = new TextMemory();
  readonly #targetCells: TargetCells;
  readonly #task: Task | undefined;
  readonly #choices: ReadonlyMap<string, ColumnChoice>;
  #readColumns = 0;
  readonly #marks: TableMarks;
  #rowCount = 0;
  #rowsSeen = 0;

  /** @param task what the target is predicted as; undefined, for what its values suggest. */
  constructor(target: string, task: Task | undefined, choices: ColumnChoices = [], marks: TableMarks = {}) {
    this.#target = target;
    this.#task = task;
    this.#choices = new Map(choices);
    this.#marks = marks;
    this.#targetCells = new TargetCells(target, marksOf(marks, target));
  }

  /** Names of the input columns so far, in order of first appearance. */
  get columnNames(): string[] {
    return [...this.#columns.keys()];
  }

  /**
   * The input column of this name, made when it is new.
   *
   * @param use of a column for which none was chosen; without it, its values decide.
   * @throws {TableError} at the first column or cell too many.
   */
  column(name: string, use?: ColumnUse): ColumnBuilder {
    let column = this.#columns.get(name);
    if (column === undefined) {
      if (this.#columns.size >= MAX_COLUMNS) throw tooManyColumns();
      const chosen = this.#choices.get(name) ?? use;
      column = new ColumnBuilder(this.#memory, chosen, marksOf(this.#marks, name));
      this.#columns.set(name, column);
      if (!isPassedOver(chosen)) this.#readColumns++;
      this.#refuseTooManyCells();
    }
    return column;
  }

  /**
   * The index of a new row; undefined if it has no target and is to be left out.
   *
   * @throws {TableError} at the first row too many, whether it has a target or not, and at the first
   *   cell too many.
   */
  startRow(targetCell: unknown, place: Place): number | undefined {
    if (++this.#rowsSeen > MAX_ROWS) throw tooManyRows(place);
    const isNumber = typeof targetCell === 'number' && Number.isFinite(targetCell);
    const text = isNumber ? undefined : cellText(targetCell);
    if (text === '') return undefined;
    const row = this.#rowCount++;
    this.#refuseTooManyCells();
    if (text !== undefined) this.#targetCells.put(row, text, place);
    else if (isNumber) this.#targetCells.putNumber(row, targetCell, place);
    return row;
  }

  /**
   * The table, to which what was gathered is given up.
   *
   * @throws {TableError} if the target or all of the input columns are unfit to learn from.
   */
  build(): RowTable {
    const rowCount = this.#rowCount;
    const answers = this.#targetCells.take(rowCount, this.#task);
    if (answers.task === 'classification') checkSetColumn(this.#columns.keys(), this.#target);
    const columns = [...this.#columns]
      .filter(([, column]) => !column.isEmptyIndex)
      .map(([name, column]) => column.take(name, rowCount));
    const table = { target: this.#target, rowCount, columns, ...answers };
    checkInputs(table);
    return table;
  }

  #refuseTooManyCells(): void {
    if (this.#rowCount * this.#readColumns <= MAX_CELLS) return;
    const most = MAX_CELLS.toLocaleString('en');
    const message = `The table has more than ${most} cells (rows × columns). Send fewer rows, or only the columns that bear on the target.`;
    throw new TableError([{ message }]);
  }
}

function tooManyRows(place: Place): TableError {
  const most = MAX_ROWS.toLocaleString('en');
  const message = `The table has more than ${most} rows; here begins the first too many. Send a random sample of at most ${most} rows.`;
  return new TableError([{ message, ...place }]);
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
