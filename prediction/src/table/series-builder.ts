import type { ColumnChoices, ColumnUse, MissingCells } from './column.js';
import { checkNamed } from './column-names.js';
import { type ColumnSummary, categoryShare, profileColumn } from './column-profile.js';
import { readCompactMoments, refusePartsOfYears } from './compact-moments.js';
import type { RowRanges } from './dropped-rows.js';
import { GatheredColumns } from './gathered-columns.js';
import type { OrderReading } from './moments.js';
import { marksOf, type TableMarks } from './reading/column-reading.js';
import { type CellSink, GroupCells, OrderCells, refuseExtremes } from './series-cells.js';
import { placeRows, sortRows } from './series-rows.js';
import type { Covariate, ForecastGoal, ForecastTable } from './series-table.js';
import { findGrid } from './time-grid.js';

/** Tables of series have few columns. */
const LIMITS = {
  maxRows: 10_000_000,
  ofRows: 'Send fewer series, or later rows of each.',
  ofCells: 'Send only the columns that the forecast needs, or fewer series.',
};

/** How months and days without hyphens are read. */
const COMPACT_DATES: OrderReading = { kind: 'date', order: 'unambiguous', decided_by: 'values' };

/** The missing cells of a column that is not read. */
const NO_CELLS: MissingCells = { words: [], found: [], unread: null };

/** Gathers rows into a table of series. */
export class SeriesBuilder extends GatheredColumns {
  /** The target counts, too. */
  protected override readColumns = 1;
  readonly #goal: ForecastGoal;
  readonly #order: OrderCells;
  readonly #groups: ReadonlyMap<string, GroupCells>;

  constructor(
    target: string,
    goal: ForecastGoal,
    choices?: ColumnChoices,
    marks: TableMarks = {},
    dropped?: RowRanges,
  ) {
    super(target, LIMITS, choices, marks, dropped);
    this.#goal = goal;
    const placeOf = (row: number) => this.places.at(row);
    this.#order = new OrderCells(goal.orderBy, placeOf, marksOf(marks, goal.orderBy));
    this.#groups = new Map(goal.groupBy.map((name) => [name, new GroupCells(name, placeOf, 'group_by')]));
  }

  protected override openColumn(name: string, use: ColumnUse | undefined): CellSink {
    if (name === this.#goal.orderBy) return this.#order;
    return this.#groups.get(name) ?? super.openColumn(name, use);
  }

  /**
   * The table, to which what was gathered is given up.
   *
   * @throws {TableError} if there are no series to learn from.
   */
  build(): ForecastTable {
    const { rowCount } = this;
    this.#refuseUnknownNames();
    const target = this.targetCells.take(rowCount, 'regression', this.listLeftOut().leftOut);
    if (target.task !== 'regression') throw new Error('The target was read as numbers');
    const { form, moments, reading } = this.#takeOrder(rowCount);
    if (form === 'number') refusePartsOfYears(this.#goal.orderBy, moments);
    const { seriesOf, groupTexts, groupCodes, count } = this.#findSeries(rowCount);
    const order = sortRows(seriesOf, count, moments);
    const grid = { ...findGrid(form, pickAll(moments, order.rows), order.ends), reading };
    if (form === 'number') refuseExtremes(this.#goal.orderBy, moments, grid);
    const placed = placeRows(grid, moments, order, this.#goal.orderBy, (row) => this.places.at(row));
    for (const row of placed.repeated) this.rowsRead.leaveOut('repeated_moment', this.places.at(row));
    const fill = (source: Float64Array) => {
      const cells = new Float64Array(placed.size).fill(Number.NaN);
      for (let at = 0; at < order.rows.length; at++) {
        cells[placed.cells[at] ?? 0] = source[order.rows[at] ?? 0] ?? Number.NaN;
      }
      return cells;
    };
    const { columns, covariates, columnsMissing } = this.#takeColumns(rowCount, fill);
    return {
      task: 'forecast',
      target: this.target,
      ...(target.targetReading && { targetReading: target.targetReading }),
      rowCount,
      goal: this.#goal,
      grid,
      groupTexts,
      groupCodes,
      starts: placed.starts,
      ends: placed.ends,
      values: fill(target.targetValues),
      missingWords: this.missingWords,
      columnsMissing,
      columns,
      covariates,
      report: placed.report,
      ...this.listLeftOut(),
    };
  }

  #takeOrder(rowCount: number): ReturnType<OrderCells['take']> {
    const order = this.#order.take(rowCount);
    const compact = order.form === 'number' ? readCompactMoments(order.moments) : undefined;
    return compact ? { ...compact, reading: COMPACT_DATES } : order;
  }

  #refuseUnknownNames(): void {
    const { orderBy, groupBy, known } = this.#goal;
    checkNamed(this.columnNames, [
      ['order_by', orderBy],
      ...groupBy.map((group) => ['group_by', group] as const),
      ...known.map((one) => ['known', one] as const),
    ]);
  }

  /** Distinguishes the series of the rows, in the order in which they appear. */
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
    const columnsMissing: MissingCells[] = [];
    const bytes = categoryShare(this.columns.size);
    for (const [name, builder] of this.columns) {
      if (builder.isEmptyIndex) continue;
      const { summary, column } = profileColumn(builder.take(name, rowCount), bytes);
      columnsMissing.push(column.missing ?? NO_CELLS);
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
    return { columns, covariates, columnsMissing };
  }
}

function pickAll(values: Float64Array, rows: Uint32Array): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) picked[at] = values[rows[at] ?? 0] ?? Number.NaN;
  return picked;
}
