import { cellText, groupText, parseNumber } from './cells.js';
import { largeCodesByRow, valuesByRow } from './chunked-array.js';
import type { ColumnChoice, ColumnChoices } from './column.js';
import { type CellColumn, ColumnBuilder } from './column-builder.js';
import { checkNamed, tooManyColumns } from './column-names.js';
import { type ColumnSummary, categoryShare, profileColumn } from './column-profile.js';
import type { Covariate, ForecastGoal, ForecastTable, SeriesReport } from './series-table.js';
import { MAX_CELLS, MAX_COLUMNS } from './table.js';
import { FaultList, quote, TableError } from './table-error.js';
import { type Place, TargetCells } from './target-cells.js';
import { TextMemory } from './text-column.js';
import {
  describeForm,
  describeStep,
  findGrid,
  findMoment,
  findPosition,
  formatMoment,
  type Moment,
  type MomentForm,
  momentHint,
  parseMoment,
  type TimeGrid,
} from './time-grid.js';

/** The most rows of a table of series: they have few columns. */
const MAX_SERIES_ROWS = 10_000_000;

/** The most distinct values of a group column, and the characters of one. */
const MAX_GROUPS = 1_000_000;
const MAX_GROUP_LENGTH = 1000;

/** Steps of all series, gaps among them: so many times the rows, and some more. */
const MAX_GRID_SHARE = 20;
const MIN_GRID = 10_000;

/** More duplicates than this share of the rows are series that were not told apart. */
const MAX_DUPLICATE_SHARE = 0.01;

/** Takes cells of a column. */
export interface CellSink {
  put(row: number, cell: unknown): void;
  /** @param rows the index of each cell's row, negative where it is left out. */
  putColumn(rows: Int32Array, cells: CellColumn): void;
}

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
  #rowCount = 0;
  #rowsSeen = 0;

  constructor(target: string, goal: ForecastGoal, choices: ColumnChoices = []) {
    this.#target = target;
    this.#choices = new Map(choices);
    this.#goal = goal;
    this.#targetCells = new TargetCells(target);
    this.#order = new OrderCells(goal.orderBy, (row) => this.#place(row));
    this.#groups = new Map(
      goal.groupBy.map((name) => [name, new GroupCells(name, (row) => this.#place(row))]),
    );
  }

  /** Names of the columns so far, in order of first appearance, without the target. */
  get columnNames(): string[] {
    return [...this.#names];
  }

  /** @throws {TableError} at the first column or cell too many. */
  column(name: string): CellSink {
    if (!this.#names.has(name)) {
      if (this.#names.size >= MAX_COLUMNS) throw tooManyColumns();
      this.#names.add(name);
      if (this.#choices.get(name) !== 'unused') this.#readColumns++;
      this.#refuseTooManyCells();
    }
    if (name === this.#goal.orderBy) return this.#order;
    const known = this.#groups.get(name) ?? this.#columns.get(name);
    if (known !== undefined) return known;
    const column = new ColumnBuilder(this.#memory, this.#choices.get(name));
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
    const { form, moments } = this.#order.take(rowCount);
    if (form === 'number') refuseCompactDates(this.#goal.orderBy, moments);
    const { seriesOf, groupTexts, groupCodes, count } = this.#findSeries(rowCount);
    const order = sortRows(seriesOf, count, moments);
    const grid = findGrid(form, pickAll(moments, order.rows), order.ends);
    const placed = this.#placeRows(grid, moments, order);
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

  /** Finds the cell of each row on the grid, and what is to be told of them. */
  #placeRows(grid: TimeGrid, moments: Float64Array, { rows, ends: rowEnds }: SortedRows) {
    const name = quote(this.#goal.orderBy);
    const faults = new FaultList();
    const cells = new Uint32Array(rows.length);
    const starts = new Int32Array(rowEnds.length);
    const ends = new Uint32Array(rowEnds.length);
    const lasts = new Int32Array(rowEnds.length);
    const maxSize = Math.max(MIN_GRID, MAX_GRID_SHARE * rows.length);
    let [size, gaps, longestGap, duplicates] = [0, 0, 0, 0];
    let firstDuplicate: [number, number] | undefined;
    let [shortest, longest] = [Number.POSITIVE_INFINITY, 0];
    let from = 0;
    for (let series = 0; series < rowEnds.length; series++) {
      const to = rowEnds[series] ?? 0;
      let start = 0;
      let last = Number.NEGATIVE_INFINITY;
      for (let at = from; at < to; at++) {
        const row = rows[at] ?? 0;
        const moment = moments[row] ?? 0;
        const position = findPosition(grid, moment);
        if (position === undefined) {
          const shown = formatMoment(grid.form, moment);
          const message = `${shown} in the column ${name} is not a whole number of steps of ${describeStep(grid.step)} from the other rows. Correct it, or leave the row out.`;
          faults.add({ message, column: this.#goal.orderBy, ...this.#place(row) });
          continue;
        }
        if (last === Number.NEGATIVE_INFINITY) start = position;
        else if (position === last) {
          duplicates++;
          firstDuplicate ??= [row, rows[at - 1] ?? 0];
        } else if (position > last + 1) {
          gaps += position - last - 1;
          if (position - last - 1 > longestGap) longestGap = position - last - 1;
          if (size + position - start > maxSize)
            throw this.#tooLongGap(row, grid, position - last - 1);
        }
        last = position;
        cells[at] = size + position - start;
      }
      const length = last === Number.NEGATIVE_INFINITY ? 0 : last - start + 1;
      size += length;
      starts[series] = start;
      ends[series] = size;
      lasts[series] = last;
      shortest = Math.min(shortest, length);
      longest = Math.max(longest, length);
      from = to;
    }
    faults.throwIfAny();
    if (firstDuplicate && duplicates > MAX_DUPLICATE_SHARE * rows.length) {
      throw this.#manyDuplicates(firstDuplicate, duplicates, grid, moments);
    }
    let [first, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const start of starts) first = Math.min(first, start);
    for (const last of lasts) end = Math.max(end, last);
    const ended = lasts.reduce((count, last) => count + Number(last < end), 0);
    const shown = (position: number) => formatMoment(grid.form, findMoment(grid, position));
    const report: SeriesReport = {
      series: rowEnds.length,
      first: shown(first),
      last: shown(end),
      gaps,
      longest_gap: longestGap,
      duplicates,
      ended_early: ended,
      shortest,
      longest,
    };
    return { cells, starts, ends, size, report };
  }

  #tooLongGap(row: number, grid: TimeGrid, steps: number): TableError {
    const message = `Before this row, its series has no value for ${steps.toLocaleString('en')} steps of ${describeStep(grid.step)}, and the gaps of the table are more than ${MAX_GRID_SHARE} times its rows. Correct the moment in ${quote(this.#goal.orderBy)}, or send only the rows after the gap.`;
    return new TableError([{ message, column: this.#goal.orderBy, ...this.#place(row) }]);
  }

  #manyDuplicates(
    [row, other]: readonly [number, number],
    count: number,
    grid: TimeGrid,
    moments: Float64Array,
  ): TableError {
    const before = this.#place(other);
    const where = 'line' in before ? `line ${before.line}` : `row ${before.row}`;
    const moment = formatMoment(grid.form, moments[row] ?? 0);
    const name = quote(this.#goal.orderBy);
    const message = `${name} is ${moment} here and on ${where}, in the same series; ${count.toLocaleString('en')} rows of the table repeat a value of ${name}. Name the columns that tell series apart in group_by, or send one row a step.`;
    return new TableError([{ message, column: this.#goal.orderBy, ...this.#place(row) }]);
  }

  #takeColumns(rowCount: number, fill: (source: Float64Array) => Float64Array) {
    const columns: ColumnSummary[] = [];
    const covariates: Covariate[] = [];
    const bytes = categoryShare(this.#columns.size);
    for (const [name, builder] of this.#columns) {
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

/** Gathers the moments of rows, all of one form. */
class OrderCells implements CellSink {
  readonly #values = valuesByRow();
  #form: MomentForm | undefined;
  #firstOfForm: Place | undefined;

  constructor(
    private readonly name: string,
    private readonly placeOf: (row: number) => Place,
  ) {}

  put(row: number, cell: unknown): void {
    const text = cellText(cell);
    const moment = parseMoment(text, parseNumber);
    if (moment === undefined) {
      const what =
        text === '' ? 'no value' : `${quote(text)}, which is neither a number nor a date`;
      this.#fail(
        row,
        `The row has ${what} in the column ${quote(this.name)}. ${momentHint(this.name)}.`,
      );
    }
    if (this.#form === undefined) {
      this.#form = moment.form;
      this.#firstOfForm = this.placeOf(row);
    } else if (moment.form !== this.#form) this.#refuseForm(row, text, moment);
    this.#values.set(row, moment.value);
  }

  putColumn(rows: Int32Array, cells: CellColumn): void {
    if (cells.kind === 'missing') return;
    for (const [index, row] of rows.entries()) {
      if (row >= 0) this.put(row, cells.value(index));
    }
  }

  take(rowCount: number): { form: MomentForm; moments: Float64Array } {
    const moments = this.#values.take(rowCount);
    const missing = moments.findIndex(Number.isNaN);
    if (missing >= 0) this.put(missing, null);
    return { form: this.#form ?? 'number', moments };
  }

  #refuseForm(row: number, text: string, { form }: Moment): never {
    const first = this.#form ?? 'number';
    const place = this.#firstOfForm ?? { row: 0 };
    const where = 'line' in place ? `line ${place.line}` : `row ${place.row}`;
    const isZone = typeof form === 'number' && typeof first === 'number';
    const hint = isZone
      ? 'Write all times in UTC, or all in local time without an offset.'
      : 'Write all in one form.';
    this.#fail(
      row,
      `The column ${quote(this.name)} has two forms: ${describeForm(first)} in ${where}, and ${describeForm(form)} here, ${quote(text)}. ${hint}`,
    );
  }

  #fail(row: number, message: string): never {
    throw new TableError([{ message, column: this.name, ...this.placeOf(row) }]);
  }
}

/** Gathers the values of a group column, each once. */
class GroupCells implements CellSink {
  readonly #codes = largeCodesByRow();
  readonly #codeOf = new Map<string, number>([['', 0]]);

  constructor(
    private readonly name: string,
    private readonly placeOf: (row: number) => Place,
  ) {}

  put(row: number, cell: unknown): void {
    const text = groupText(cell);
    let code = this.#codeOf.get(text);
    if (code === undefined) {
      code = this.#codeOf.size;
      if (code > MAX_GROUPS || text.length > MAX_GROUP_LENGTH) this.#refuse(row, text);
      // A copy: a part of a text would keep all of it in memory.
      this.#codeOf.set(Buffer.from(text, 'utf16le').toString('utf16le'), code);
    }
    this.#codes.set(row, code);
  }

  putColumn(rows: Int32Array, cells: CellColumn): void {
    if (cells.kind === 'missing') return;
    for (const [index, row] of rows.entries()) {
      if (row >= 0) this.put(row, cells.value(index));
    }
  }

  take(rowCount: number): { texts: string[]; codes: Uint32Array } {
    return { texts: [...this.#codeOf.keys()], codes: this.#codes.take(rowCount) };
  }

  #refuse(row: number, text: string): never {
    const fault =
      text.length > MAX_GROUP_LENGTH
        ? `a value of more than ${MAX_GROUP_LENGTH} characters`
        : `more than ${MAX_GROUPS.toLocaleString('en')} different values`;
    const message = `The column ${quote(this.name)}, which group_by names, has ${fault}. Name a column that tells series apart.`;
    throw new TableError([{ message, column: this.name, ...this.placeOf(row) }]);
  }
}

/** Numbers that are months or days without hyphens: between two years or months, they have gaps. */
const COMPACT_DATES = [
  { what: 'months', digits: 6, write: (text: string) => `${text.slice(0, 4)}-${text.slice(4)}` },
  {
    what: 'days',
    digits: 8,
    write: (text: string) => `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`,
  },
];

/** @throws {TableError} if all moments are such numbers, of more than one year or month. */
function refuseCompactDates(name: string, moments: Float64Array): void {
  const first = String(moments[0]);
  const form = COMPACT_DATES.find(({ digits }) => digits === first.length);
  if (form === undefined) return;
  const { what, digits, write } = form;
  const isOne = (moment: number) => {
    const text = String(moment);
    return text.length === digits && parseMoment(write(text), Number)?.form !== undefined;
  };
  const start = Math.floor((moments[0] ?? 0) / 100);
  if (!moments.some((moment) => Math.floor(moment / 100) !== start) || !moments.every(isOne))
    return;
  const message = `The values of the column ${quote(name)} look like ${what} without hyphens. As numbers, they have gaps that the calendar does not have. Write ${first} as ${write(first)}.`;
  throw new TableError([{ message, column: name }]);
}

/** Rows by series, and in each by moment; of two of one moment, the later one is last. */
interface SortedRows {
  readonly rows: Uint32Array;
  /** By series, the end of its rows. */
  readonly ends: Uint32Array;
}

function sortRows(seriesOf: Uint32Array, count: number, moments: Float64Array): SortedRows {
  const ends = new Uint32Array(count);
  for (const series of seriesOf) ends[series] = (ends[series] ?? 0) + 1;
  let sum = 0;
  const next = new Uint32Array(count);
  for (let series = 0; series < count; series++) {
    next[series] = sum;
    sum += ends[series] ?? 0;
    ends[series] = sum;
  }
  const rows = new Uint32Array(seriesOf.length);
  for (let row = 0; row < seriesOf.length; row++) {
    const series = seriesOf[row] ?? 0;
    const at = next[series] ?? 0;
    rows[at] = row;
    next[series] = at + 1;
  }
  let start = 0;
  for (const end of ends) {
    const ofSeries = rows.subarray(start, end);
    if (!isAscending(ofSeries, moments)) {
      ofSeries.sort((one, other) => (moments[one] ?? 0) - (moments[other] ?? 0) || one - other);
    }
    start = end;
  }
  return { rows, ends };
}

function isAscending(rows: Uint32Array, moments: Float64Array): boolean {
  for (let at = 1; at < rows.length; at++) {
    if ((moments[rows[at] ?? 0] ?? 0) < (moments[rows[at - 1] ?? 0] ?? 0)) return false;
  }
  return true;
}

function pickAll(values: Float64Array, rows: Uint32Array): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) picked[at] = values[rows[at] ?? 0] ?? Number.NaN;
  return picked;
}
