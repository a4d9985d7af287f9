import { InvalidRowsError, type RowFault } from '../../serving/invalid-rows.js';
import { Cell, cellText, parseNumber, type RowObject } from '../../table/cells.js';
import type { ColumnSummary } from '../../table/column-profile.js';
import { readerOf } from '../../table/number-formats.js';
import { quote } from '../../table/table-error.js';
import {
  describeForm,
  describeStep,
  findMoment,
  findPosition,
  formatMoment,
  momentHint,
  parseMoment,
} from '../../table/time-grid.js';
import type { ForecastSeries } from './series.js';
import type { SeriesModel, StoredSeries } from './series-model.js';

/** Rows of a request: history, and moments that are asked for. */
const MAX_ROWS = 1_000_000;

/** Steps between the end of a table and the history of a request. */
const MAX_SPAN = 100_000;

/** Comparisons of series with rows that name some of their groups. */
const MAX_COMPARISONS = 50_000_000;

const MAX_FAULTS = 20;

/** A step that is answered. */
export interface AskedStep {
  /** Steps after the end of the series, from 1. */
  readonly step: number;
  readonly position: number;
  /** The row that asked for it, if one did. */
  readonly row?: RowObject;
}

/** A series to be forecast. */
export interface AskedSeries {
  readonly groups: readonly string[];
  readonly series: ForecastSeries;
  readonly steps: readonly AskedStep[];
}

/** The rows of a request that belong to one series. */
class SentSeries {
  /** Of rows of history: positions, targets and other columns. */
  readonly positions: number[] = [];
  readonly values: number[] = [];
  readonly covariates: number[][] = [];
  readonly lines: number[] = [];
  readonly asked: { readonly position: number; readonly row: RowObject; readonly index: number }[] =
    [];

  constructor(
    readonly groups: readonly string[],
    readonly stored: StoredSeries | undefined,
  ) {}
}

/** Reads a column that is used beside the target. */
interface CovariateReader {
  readonly cell: Cell;
  readonly isKnown: boolean;
  readonly read: (cell: unknown) => number;
}

/** The series of a model, found by what rows say of them. */
export class SeriesIndex {
  readonly #byKey: ReadonlyMap<string, StoredSeries>;
  readonly covariates: readonly CovariateReader[];
  readonly order: Cell;
  readonly groups: readonly Cell[];
  readonly target: Cell;
  readonly readTarget: (text: string) => number;

  constructor(readonly model: SeriesModel) {
    this.#byKey = new Map(model.series.map((series) => [keyOf(series.groups), series]));
    this.order = new Cell(model.order_by);
    this.groups = model.group_by.map((name) => new Cell(name));
    this.target = new Cell(model.target);
    this.readTarget = readerOf('number', model.target_reading);
    this.covariates = model.columns
      .slice(1 + model.group_by.length)
      .filter(({ used }) => used)
      .map((column) => ({
        cell: new Cell(column.name),
        isKnown: model.known.includes(column.name),
        read: covariateReader(column),
      }));
  }

  find(groups: readonly string[]): StoredSeries | undefined {
    return this.#byKey.get(keyOf(groups));
  }
}

function keyOf(groups: readonly string[]): string {
  return groups.length === 1 ? (groups[0] ?? '') : JSON.stringify(groups);
}

function covariateReader({ kind, reading, categories }: ColumnSummary): (cell: unknown) => number {
  if (kind === 'number') {
    const read = readerOf('number', reading);
    return (cell) => {
      const value = typeof cell === 'number' ? cell : read(cellText(cell));
      return Number.isFinite(value) ? value : Number.NaN;
    };
  }
  const indexOf = new Map(categories?.map((text, index) => [text, index]));
  return (cell) => indexOf.get(cellText(cell)) ?? Number.NaN;
}

/** Gathers the rows of a request, and tells from them what is to be forecast. */
export class ForecastRequest {
  readonly #index: SeriesIndex;
  readonly #sent = new Map<string, SentSeries>();
  readonly #faults: RowFault[] = [];
  #count = 0;
  #comparisons = 0;

  constructor(index: SeriesIndex) {
    this.#index = index;
  }

  get rowCount(): number {
    return this.#count;
  }

  /**
   * Adds a row, under the model's names.
   *
   * @throws {InvalidRowsError} if the rows are too many or too many of them are at fault.
   */
  add(row: RowObject): void {
    const at = this.#count++;
    if (at >= MAX_ROWS) {
      const most = MAX_ROWS.toLocaleString('en');
      throw new InvalidRowsError([
        { row: at, message: `is one row too many: at most ${most} are read for forecasts` },
      ]);
    }
    const { order, target, groups, model } = this.#index;
    const orderText = cellText(order.of(row));
    const targetText = cellText(target.of(row));
    const texts = groups.map((cell) => cellText(cell.of(row)));
    if (orderText === '') {
      if (targetText === '') this.#match(texts, at);
      else
        this.#fault(
          at,
          model.order_by,
          `is missing, but a row of history needs it beside ${quote(model.target)}`,
        );
      return;
    }
    const position = this.#readPosition(orderText, at);
    if (position === undefined) return;
    const sent = this.#open(texts);
    if (targetText === '') {
      sent.asked.push({ position, row, index: at });
      return;
    }
    const value = this.#index.readTarget(targetText);
    if (!Number.isFinite(value)) {
      this.#fault(at, model.target, `must be a number, but is ${quote(targetText)}`);
      return;
    }
    sent.positions.push(position);
    sent.values.push(value);
    sent.covariates.push(this.#index.covariates.map(({ cell, read }) => read(cell.of(row))));
    sent.lines.push(at);
  }

  /**
   * Returns the series that were asked for.
   *
   * @param steps how many steps of each, where no moments are asked for; without it, the horizon.
   * @throws {InvalidRowsError} if they cannot be forecast so.
   */
  finish(steps: number | undefined): Iterable<AskedSeries> & { readonly rowCount: number } {
    const { model } = this.#index;
    const { horizon } = model.method;
    if (steps !== undefined && steps > horizon) {
      const message = `must be at most ${horizon}, the horizon that the model was trained for`;
      throw new InvalidRowsError([{ parameter: 'steps', message }]);
    }
    if (this.#count === 0)
      this.#match(
        this.#index.groups.map(() => ''),
        0,
      );
    for (const sent of this.#sent.values()) this.#checkSeries(sent);
    this.#throwFaults();
    const all = [...this.#sent.values()];
    const rowCount = all.reduce(
      (sum, { asked }) => sum + (asked.length > 0 ? asked.length : (steps ?? horizon)),
      0,
    );
    const index = this.#index;
    return {
      rowCount,
      *[Symbol.iterator]() {
        for (const sent of all) yield joinSeries(sent, index, steps ?? horizon);
      },
    };
  }

  /** Asks for the series that have the groups which a row names; without any, for all. */
  #match(texts: readonly string[], at: number): void {
    const { series } = this.#index.model;
    if (texts.length > 0 && texts.every((text) => text !== '')) {
      const stored = this.#index.find(texts);
      if (stored) this.#open(texts);
      else this.#faultUnknown(texts, at);
      return;
    }
    this.#comparisons += series.length;
    if (this.#comparisons > MAX_COMPARISONS && at > 0) {
      throw new InvalidRowsError([
        {
          row: at,
          message: 'is one too many of the rows that name some of the groups; name all of them',
        },
      ]);
    }
    let hasFound = false;
    for (const { groups } of series) {
      if (!groups.every((group, index) => texts[index] === '' || texts[index] === group)) continue;
      hasFound = true;
      this.#open(groups);
    }
    if (!hasFound) this.#faultUnknown(texts, at);
  }

  #open(groups: readonly string[]): SentSeries {
    const key = keyOf(groups);
    let sent = this.#sent.get(key);
    if (sent === undefined) {
      sent = new SentSeries(groups, this.#index.find(groups));
      this.#sent.set(key, sent);
    }
    return sent;
  }

  #readPosition(text: string, at: number): number | undefined {
    const { grid, order_by } = this.#index.model;
    const moment = parseMoment(text, parseNumber);
    if (moment === undefined) {
      this.#fault(
        at,
        order_by,
        `must be ${describeForm(grid.form)}, but is ${quote(text)}. ${momentHint(order_by)}`,
      );
      return undefined;
    }
    const isZoned = typeof moment.form === 'number' && typeof grid.form === 'number';
    if (moment.form !== grid.form && !isZoned) {
      this.#fault(
        at,
        order_by,
        `must be ${describeForm(grid.form)} as in the table, but is ${quote(text)}`,
      );
      return undefined;
    }
    const position = findPosition(grid, moment.value);
    if (position === undefined) {
      this.#fault(
        at,
        order_by,
        `is ${quote(text)}, which is not a whole number of steps of ${describeStep(grid.step)} from the rows of the table`,
      );
    }
    return position;
  }

  /** Checks what is said of a series, when all of it is there. */
  #checkSeries(sent: SentSeries): void {
    const { model } = this.#index;
    const { grid, order_by, method } = model;
    const { stored, positions, lines, asked } = sent;
    const shown = (position: number) => formatMoment(grid.form, findMoment(grid, position));
    const storedEnd = stored && stored.start + stored.values.length - 1;
    let newest = Number.NEGATIVE_INFINITY;
    let oldest = Number.POSITIVE_INFINITY;
    for (const position of positions) {
      newest = Math.max(newest, position);
      oldest = Math.min(oldest, position);
    }
    const last = lines[positions.indexOf(newest)] ?? 0;
    if (storedEnd !== undefined && positions.length > 0 && newest < storedEnd) {
      this.#fault(
        last,
        order_by,
        `is ${shown(newest)}, the newest row of its series, but the model knows it up to ${shown(storedEnd)}; send later history`,
      );
      return;
    }
    if (storedEnd === undefined && positions.length === 0) {
      if (asked[0]) this.#faultUnknown(sent.groups, asked[0].index);
      return;
    }
    const first = storedEnd === undefined ? oldest : Math.min(oldest, storedEnd);
    if (positions.length > 0 && newest - first > MAX_SPAN) {
      this.#fault(
        last,
        order_by,
        `is ${(newest - first).toLocaleString('en')} steps after the row before it; send history without such a gap`,
      );
      return;
    }
    const end = Math.max(storedEnd ?? newest, newest);
    for (const { position, index } of asked) {
      const step = position - end;
      if (step >= 1 && step <= method.horizon) continue;
      this.#fault(
        index,
        order_by,
        step < 1
          ? `is ${shown(position)}, but the series is known up to ${shown(end)}; ask for later moments`
          : `is ${step.toLocaleString('en')} steps after the end of its series, ${shown(end)}; the model was trained for ${method.horizon}`,
      );
    }
  }

  #faultUnknown(texts: readonly string[], at: number): void {
    const { group_by } = this.#index.model;
    const named = group_by
      .map((name, index) => [name, texts[index] ?? ''] as const)
      .filter(([, text]) => text !== '')
      .map(([name, text]) => `${quote(name)} ${quote(text)}`);
    const message = `names a series that the model does not know${named.length > 0 ? `: ${named.join(', ')}` : ''}; send its history, as rows with ${quote(this.#index.model.order_by)} and ${quote(this.#index.model.target)}`;
    this.#fault(at, undefined, message);
  }

  #fault(row: number, name: string | undefined, message: string): void {
    this.#faults.push({ row, ...(name !== undefined && { name }), message });
    if (this.#faults.length >= MAX_FAULTS) this.#throwFaults();
  }

  #throwFaults(): void {
    if (this.#faults.length > 0) throw new InvalidRowsError(this.#faults);
  }
}

/** Puts what is known of a series together: its end in the model, and what was sent. */
function joinSeries(sent: SentSeries, index: SeriesIndex, count: number): AskedSeries {
  const { stored, positions, values: sentValues, covariates, asked, groups } = sent;
  const { covariates: readers, model } = index;
  let start = stored?.start ?? Number.POSITIVE_INFINITY;
  let end = stored ? stored.start + stored.values.length - 1 : Number.NEGATIVE_INFINITY;
  for (const position of positions) {
    if (stored === undefined) start = Math.min(start, position);
    end = Math.max(end, position);
  }
  start = Math.max(start, end - model.method.history_needed + 1);
  const steps: AskedStep[] =
    asked.length > 0
      ? asked.map(({ position, row }) => ({ step: position - end, position, row }))
      : Array.from({ length: count }, (_, step) => ({ step: step + 1, position: end + step + 1 }));
  const length = end - start + 1;
  const isUnchanged = stored !== undefined && positions.length === 0 && start === stored.start;
  const copy = (source: Float64Array | undefined, size: number) => {
    const cells = new Float64Array(size).fill(Number.NaN);
    if (source && stored)
      cells.set(
        source.subarray(Math.max(0, start - stored.start)),
        Math.max(0, stored.start - start),
      );
    return cells;
  };
  const hasAsked = asked.length > 0 && readers.some(({ isKnown }) => isKnown);
  if (isUnchanged && !hasAsked) return { groups, steps, series: stored };
  const ahead = hasAsked ? Math.max(...steps.map(({ step }) => step)) : 0;
  const values = copy(stored?.values, length);
  const ofReader = readers.map(() => new Float64Array());
  const past: Float64Array[] = [];
  const known: Float64Array[] = [];
  for (const [place, { isKnown }] of readers.entries()) {
    const kind = isKnown ? known : past;
    const source = (isKnown ? stored?.known : stored?.past)?.[kind.length];
    const cells = copy(source, length + (isKnown ? ahead : 0));
    kind.push(cells);
    ofReader[place] = cells;
  }
  for (const [row, position] of positions.entries()) {
    const at = position - start;
    if (at < 0) continue;
    values[at] = sentValues[row] ?? Number.NaN;
    for (const [place, cells] of ofReader.entries()) {
      cells[at] = covariates[row]?.[place] ?? Number.NaN;
    }
  }
  for (const { position, row } of asked) {
    for (const [place, { cell, read, isKnown }] of readers.entries()) {
      const cells = ofReader[place];
      if (isKnown && cells) cells[position - start] = read(cell.of(row));
    }
  }
  return { groups, steps, series: { start, values, past, known } };
}
