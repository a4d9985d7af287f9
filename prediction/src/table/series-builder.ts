import { cellText } from './cells.js';
import { largeCodesByRow } from './chunked-array.js';
import { type ColumnChoice, type ColumnChoices, type ColumnUse, isPassedOver } from './column.js';
import { ColumnBuilder } from './column-builder.js';
import { checkNamed, tooManyColumns } from './column-names.js';
import { type ColumnSummary, categoryShare, profileColumn } from './column-profile.js';
import { marksOf, type Place, type TableMarks } from './reading/column-reading.js';
import { type CellSink, GroupCells, OrderCells, refuseCompactDates, refuseExtremes } from './series-cells.js';
import { placeRows, sortRows } from './series-rows.js';
import type { Covariate, ForecastGoal, ForecastTable } from './series-table.js';
import { MAX_CELLS, MAX_COLUMNS } from './table.js';
import { TableError } from './table-error.js';
import { TargetCells } from './target-cells.js';
import { TextMemory } from './text-column.js';
import { findGrid } from './time-grid.js';

/** The most rows of a table of series: they have few columns. */
const MAX_SERIES_ROWS = 10_000_000;

/** Gathers rows into a table of series. */
export class SeriesBuilder {
  readonly #target: string;
  readonly #goal: ForecastGoal;
  readonly #targetCells: TargetCells;
  readonly #memory = new TextMemory();
  readonly #order: OrderCells;
  readonly #groups: ReadonlyMap<string, GroupCells>;
  readonly #columns = new Map<string, ColumnBuilder>();
  readonly #lines = largeCodesByRow();
  readonly #names = new Set<string>();
  readonly #choices: ReadonlyMap<string, ColumnChoice>;
  #hasLines = false;
  /** The target and the columns that hold cells. */
  #readColumns = 1;
  readonly #marks: TableMarks;
  #rowCount = 0;
  #rowsSeen = 0;

  constructor(target: string, goal: ForecastGoal, choices: ColumnChoices = [], marks: TableMarks = {}) {
    this.#target = target;
    this.#choices = new Map(choices);
    this.#goal = goal;
    this.#marks = marks;
    this.#targetCells = new TargetCells(target, marksOf(marks, target));
    this.#order = new OrderCells(goal.orderBy, (row) => this.#place(row), marksOf(marks, goal.orderBy));
    this.#groups = new Map(goal.groupBy.map((name) => [name, new GroupCells(name, (row) => this.#place(row))]));
  }

  /** Names of the columns so far, in order of first appearance, without the target. */
  get columnNames(): string[] {
    return [...this.#names];
  }

  /**
   * @param use of a column for which none was chosen; without it, its values decide.
   * @throws {TableError} at the first column or cell too many.
   */
  column(name: string, use?: ColumnUse): CellSink {
    const chosen = this.#choices.get(name) ?? use;
    if (!this.#names.has(name)) {
      if (this.#names.size >= MAX_COLUMNS) throw tooManyColumns();
      this.#names.add(name);
      if (!isPassedOver(chosen)) this.#readColumns++;
      this.#refuseTooManyCells();
    }
    if (name === this.#goal.orderBy) return this.#order;
    const known = this.#groups.get(name) ?? this.#columns.get(name);
    if (known !== undefined) return known;
    const column = new ColumnBuilder(this.#memory, chosen, marksOf(this.#marks, name));
    this.#columns.set(name, column);
    return column;
  }

  /**
   * The index of a new row; undefined if it has no target and is to be left out.
   *
   * @throws {TableError} at the first row or cell too many.
   */
  startRow(targetCell: unknown, place: Place): number | undefined {
    if (++this.#rowsSeen > MAX_SERIES_ROWS) {
      const most = MAX_SERIES_ROWS.toLocaleString('en');
      const message = `The table has more than ${most} rows; here begins the first too many. Send fewer series, or later rows of each.`;
      throw new TableError([{ message, ...place }]);
    }
    const text = cellText(targetCell);
    if (text === '') return undefined;
    const row = this.#rowCount++;
    this.#refuseTooManyCells();
    this.#hasLines = 'line' in place;
    this.#lines.set(row, 'line' in place ? place.line : place.row);
    this.#targetCells.put(row, text, place);
    return row;
  }

  /**
   * The table, to which what was gathered is given up.
   *
   * @throws {TableError} if there are no series to learn from.
   */
  build(): ForecastTable {
    const rowCount = this.#rowCount;
    this.#refuseUnknownNames();
    const target = this.#targetCells.take(rowCount, 'regression');
    if (target.task !== 'regression') throw new Error('The target was read as numbers');
    const { form, moments, reading } = this.#order.take(rowCount);
    if (form === 'number') refuseCompactDates(this.#goal.orderBy, moments);
    const { seriesOf, groupTexts, groupCodes, count } = this.#findSeries(rowCount);
    const order = sortRows(seriesOf, count, moments);
    const grid = { ...findGrid(form, pickAll(moments, order.rows), order.ends), reading };
    if (form === 'number') refuseExtremes(this.#goal.orderBy, moments, grid);
    const placeOf = (row: number) => this.#place(row);
    const placed = placeRows(grid, moments, order, this.#goal.orderBy, placeOf);
    const fill = (source: Float64Array) => {
      const cells = new Float64Array(placed.size).fill(Number.NaN);
      for (let at = 0; at < order.rows.length; at++) {
        cells[placed.cells[at] ?? 0] = source[order.rows[at] ?? 0] ?? Number.NaN;
      }
      return cells;
    };
    const { columns, covariates } = this.#takeColumns(rowCount, fill);
    return {
      task: 'forecast',
      target: this.#target,
      ...(target.targetReading && { targetReading: target.targetReading }),
      rowCount,
      goal: this.#goal,
      grid,
      groupTexts,
      groupCodes,
      starts: placed.starts,
      ends: placed.ends,
      values: fill(target.targetValues),
      columns,
      covariates,
      report: placed.report,
    };
  }

  #refuseUnknownNames(): void {
    const { orderBy, groupBy, known } = this.#goal;
    checkNamed(this.#names, [
      ['order_by', orderBy],
      ...groupBy.map((group) => ['group_by', group] as const),
      ...known.map((one) => ['known', one] as const),
    ]);
  }

  /** Tells the series of the rows apart, in the order in which they appear. */
  #findSeries(rowCount: number) {
    const groups = [...this.#groups.values()].map((group) => group.take(rowCount));
    const seriesOf = new Uint32Array(rowCount);
    let count = rowCount > 0 ? 1 : 0;
    for (const { codes, texts } of groups) {
      const seen = new Map<number, number>();
      for (let row = 0; row < rowCount; row++) {
        const key = (seriesOf[row] ?? 0) * texts.length + (codes[row] ?? 0);
        let series = seen.get(key);
        if (series === undefined) {
          series = seen.size;
          seen.set(key, series);
        }
        seriesOf[row] = series;
      }
      count = seen.size;
    }
    const groupCodes = new Uint32Array(count * groups.length);
    for (let row = 0; row < rowCount; row++) {
      const at = (seriesOf[row] ?? 0) * groups.length;
      for (const [index, { codes }] of groups.entries()) groupCodes[at + index] = codes[row] ?? 0;
    }
    return { seriesOf, count, groupCodes, groupTexts: groups.map(({ texts }) => texts) };
  }

  #takeColumns(rowCount: number, fill: (source: Float64Array) => Float64Array) {
    const columns: ColumnSummary[] = [];
    const covariates: Covariate[] = [];
    const bytes = categoryShare(this.#columns.size);
    for (const [name, builder] of this.#columns) {
      if (builder.isEmptyIndex) continue;
      const { summary, column } = profileColumn(builder.take(name, rowCount), bytes);
      if (summary.used && summary.kind === 'date') {
        summary.used = false;
        summary.reason = 'of dates, a forecast reads only the column of order_by';
      }
      columns.push(summary);
      if (!summary.used) continue;
      const isKnown = this.#goal.known.includes(name);
      if (column.kind === 'text') {
        const indexOf = new Map(summary.categories?.map((text, index) => [text, index]));
        const byCode = [Number.NaN, ...column.texts.map((text) => indexOf.get(text) ?? Number.NaN)];
        const values = Float64Array.from(column.codes, (code) => byCode[code] ?? Number.NaN);
        covariates.push({ name, isKnown, values: fill(values) });
      } else {
        covariates.push({ name, isKnown, values: fill(column.values) });
      }
    }
    return { columns, covariates };
  }

  #place(row: number): Place {
    const at = this.#lines.get(row);
    return this.#hasLines ? { line: at } : { row: at };
  }

  #refuseTooManyCells(): void {
    if (this.#rowCount * this.#readColumns <= MAX_CELLS) return;
    const most = MAX_CELLS.toLocaleString('en');
    const message = `The table has more than ${most} cells (rows × columns). Send only the columns that the forecast needs, or fewer series.`;
    throw new TableError([{ message }]);
  }
}

function pickAll(values: Float64Array, rows: Uint32Array): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) picked[at] = values[rows[at] ?? 0] ?? Number.NaN;
  return picked;
}
