import { type ColumnChoice, type ColumnChoices, type ColumnUse, isPassedOver } from './column.js';
import { ColumnBuilder } from './column-builder.js';
import { tooManyColumns } from './column-names.js';
import { DroppedRows, type RowRanges } from './dropped-rows.js';
import { type ListedWords, TableWords } from './missing-words.js';
import { marksOf, type Place, type TableMarks } from './reading/column-reading.js';
import { type LeftOutRows, type RowPlaces, RowsRead } from './rows-read.js';
import type { CellSink } from './series-cells.js';
import { MAX_CELLS, MAX_COLUMNS } from './table.js';
import { TableError } from './table-error.js';
import { TargetCells } from './target-cells.js';
import { TextMemory } from './text-column.js';

/** Gathers the target and the columns of a table, within its limits. */
export abstract class GatheredColumns {
  protected readonly targetCells: TargetCells;
  /** The input columns that are read for what they hold. */
  protected readonly columns = new Map<string, ColumnBuilder>();
  protected readonly rowsRead = new RowsRead();
  protected readonly missingWords: ListedWords;
  readonly #sinks = new Map<string, CellSink>();
  readonly #memory = new TextMemory();
  readonly #dropped: DroppedRows;
  readonly #choices: ReadonlyMap<string, ColumnChoice>;
  readonly #words: TableWords;
  /** The columns that count for the number of cells. */
  protected readColumns = 0;
  #rowsSeen = 0;

  /** @param limits the most rows, and what to send in place of more rows or cells. */
  constructor(
    protected readonly target: string,
    private readonly limits: { readonly maxRows: number; readonly ofRows: string; readonly ofCells: string },
    choices: ColumnChoices = [],
    private readonly marks: TableMarks = {},
    dropped: RowRanges = [],
  ) {
    this.#dropped = new DroppedRows(dropped);
    this.#choices = new Map(choices);
    this.#words = new TableWords(marks);
    const words = this.#words.of(target);
    this.missingWords = { words: this.#words.words, target: words };
    this.targetCells = new TargetCells(target, marksOf(marks, target), words, this.#choices.get(target) === 'number');
  }

  /** The number of rows that are used. */
  protected get rowCount(): number {
    return this.rowsRead.places.length;
  }

  /** The places of the rows that are used. */
  get places(): RowPlaces {
    return this.rowsRead.places;
  }

  /** Names of the columns so far, in order of first appearance, without the target. */
  get columnNames(): string[] {
    return [...this.#sinks.keys()];
  }

  /**
   * The column of this name, made when it is new.
   *
   * @param use of a column for which none was chosen; without it, its values decide.
   * @throws {TableError} at the first column or cell too many.
   */
  column(name: string, use?: ColumnUse): CellSink {
    const known = this.#sinks.get(name);
    if (known !== undefined) return known;
    if (this.#sinks.size >= MAX_COLUMNS) throw tooManyColumns();
    const chosen = this.#choices.get(name) ?? use;
    const sink = this.openColumn(name, chosen);
    this.#sinks.set(name, sink);
    if (!isPassedOver(chosen)) this.readColumns++;
    this.#refuseTooManyCells();
    return sink;
  }

  /** Returns the words that count as missing in a column. */
  protected wordsOf(column: string): readonly string[] {
    return this.#words.of(column);
  }

  protected openColumn(name: string, use: ColumnUse | undefined): CellSink {
    const column = new ColumnBuilder(this.#memory, use, marksOf(this.marks, name), this.#words.of(name));
    this.columns.set(name, column);
    return column;
  }

  /** Returns whether the sender leaves out the row, so that it need not be one of the table. */
  drops(place: Place): boolean {
    return this.#dropped.has(place);
  }

  /**
   * Adds a row with its target. Returns its index; undefined if the row is left out: it has no target, or its sender
   * named it.
   *
   * @throws {TableError} at the first row or cell too many.
   */
  startRow(targetCell: unknown, place: Place): number | undefined {
    if (!this.#countRow(place)) return undefined;
    const value = this.targetCells.read(targetCell);
    if (value === undefined) {
      this.rowsRead.leaveOut('no_target', place, targetCell);
      return undefined;
    }
    const row = this.#addRow(place);
    this.targetCells.put(row, value, place);
    return row;
  }

  /**
   * Counts a row, whether it has a target or not.
   *
   * @returns false if its sender leaves it out.
   * @throws {TableError} at the first row too many.
   */
  #countRow(place: Place): boolean {
    const { maxRows, ofRows } = this.limits;
    if (++this.#rowsSeen <= maxRows) {
      if (!this.drops(place)) return true;
      this.rowsRead.leaveOut('dropped', place);
      return false;
    }
    const message = `The table has more than ${maxRows.toLocaleString('en')} rows; here begins the first too many. ${ofRows}`;
    throw new TableError([{ message, ...place }]);
  }

  /** Returns the index of a new row that is used. @throws {TableError} at the first cell too many. */
  #addRow(place: Place): number {
    this.places.add(place);
    this.#refuseTooManyCells();
    return this.rowCount - 1;
  }

  /**
   * Returns the rows that are not used, as a table has them.
   *
   * @throws {TableError} if a row that was to be left out was never there.
   */
  protected listLeftOut(): { readonly leftOut?: readonly LeftOutRows[] } {
    this.#dropped.refuseUnmet();
    const leftOut = this.rowsRead.leftOut();
    return leftOut.length === 0 ? {} : { leftOut };
  }

  #refuseTooManyCells(): void {
    if (this.rowCount * this.readColumns <= MAX_CELLS) return;
    const message = `The table has more than ${MAX_CELLS.toLocaleString('en')} cells (rows × columns). ${this.limits.ofCells}`;
    throw new TableError([{ message }]);
  }
}
