import { cellText } from './cells.js';
import type { ColumnChoices } from './column.js';
import { checkSetColumn } from './column-names.js';
import { categoryShare, profileColumn } from './column-profile.js';
import type { RowRanges } from './dropped-rows.js';
import { GatheredColumns } from './gathered-columns.js';
import type { Place, TableMarks } from './reading/column-reading.js';
import { MAX_ROWS, type RowTable, type Task } from './table.js';
import { quote, TableError, type TableFault } from './table-error.js';

const LIMITS = {
  maxRows: MAX_ROWS,
  ofRows: `Send a random sample of at most ${MAX_ROWS.toLocaleString('en')} rows.`,
  ofCells: 'Send fewer rows, or only the columns that bear on the target.',
};

/** Gathers rows into a table, and judges the whole when they are all there. */
export class TableBuilder extends GatheredColumns {
  readonly #task: Task | undefined;

  /** @param task what the target is predicted as; undefined, for what its values suggest. */
  constructor(
    target: string,
    task: Task | undefined,
    choices?: ColumnChoices,
    marks?: TableMarks,
    dropped?: RowRanges,
  ) {
    super(target, LIMITS, choices, marks, dropped);
    this.#task = task;
  }

  /**
   * The index of a new row; undefined if it has no target and is to be left out.
   *
   * @throws {TableError} at the first row or cell too many.
   */
  startRow(targetCell: unknown, place: Place): number | undefined {
    if (!this.countRow(place)) return undefined;
    const isNumber = typeof targetCell === 'number' && Number.isFinite(targetCell);
    const text = isNumber ? undefined : cellText(targetCell);
    if (text === '') {
      this.rowsRead.leaveOut('no_target', place, targetCell);
      return undefined;
    }
    const row = this.addRow(place);
    if (text !== undefined) this.targetCells.put(row, text, place);
    else if (isNumber) this.targetCells.putNumber(row, targetCell, place);
    return row;
  }

  /**
   * The table, to which what was gathered is given up.
   *
   * @throws {TableError} if the target or all of the input columns are unfit to learn from.
   */
  build(): RowTable {
    const { target, rowCount } = this;
    const answers = this.targetCells.take(rowCount, this.#task);
    if (answers.task === 'classification') checkSetColumn(this.columns.keys(), target);
    const columns = [...this.columns]
      .filter(([, column]) => !column.isEmptyIndex)
      .map(([name, column]) => column.take(name, rowCount));
    const table = { target, rowCount, columns, ...this.listLeftOut(), ...answers };
    checkInputs(table);
    return table;
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
