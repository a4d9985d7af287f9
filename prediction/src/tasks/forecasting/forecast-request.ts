import type { RowObject } from '../../table/cells.js';
import { InvalidRowsError, type RowFault } from '../../table/invalid-rows.js';
import { describeForm, formatMoment, momentHint, readMoment } from '../../table/moments.js';
import { quote } from '../../table/table-error.js';
import { describeStep, findMoment, findPosition } from '../../table/time-grid.js';
import { type AskedSeries, holdBack, joinSeries, SentSeries } from './asked-series.js';
import { MIN_HISTORY } from './series.js';
import type { SeriesIndex } from './series-index.js';

/** Rows of a request: history, and moments that are asked for. */
const MAX_ROWS = 1_000_000;

/** Steps between the end of a table and the history of a request. */
const MAX_SPAN = 100_000;

/** The most comparisons of rows that name some of the groups with the series of their rarest value. */
const MAX_COMPARISONS = 50_000_000;

const MAX_FAULTS = 20;

/** The reach of forecasts. */
export interface ForecastSpan {
  /** The steps of each series, where no moments are asked for; the horizon, if left out. */
  readonly steps?: number;
  /**
   * The number of values that are held back at the end of each series. Series of which fewer than three steps remain
   * are left out.
   */
  readonly backtest?: number;
}

/** Gathers the rows of a request, and derives what is to be forecast. */
export class ForecastRequest {
  readonly #index: SeriesIndex;
  readonly #span: ForecastSpan;
  /** The requested series in their order: those of the model by their index. */
  readonly #asked: (number | SentSeries)[] = [];
  /** One bit for each series of the model: set if it is requested. */
  readonly #isAsked: Uint8Array;
  /** The rows of moments, by series of the model or by the texts of a new one. */
  readonly #sent = new Map<number | string, SentSeries>();
  /** The values of rows that named some of the groups, and were matched. */
  readonly #matched = new Set<string>();
  readonly #faults: RowFault[] = [];
  #count = 0;
  #comparisons = 0;

  /** @throws {InvalidRowsError} if the span is longer than the horizon of the model. */
  constructor(index: SeriesIndex, { steps, backtest }: ForecastSpan) {
    this.#index = index;
    this.#isAsked = new Uint8Array(Math.ceil(index.model.series.count / 8));
    this.#span = { ...(steps !== undefined && { steps }), ...(backtest !== undefined && { backtest }) };
    this.#checkHorizon();
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
      throw new InvalidRowsError([{ row: at, message: `is one row too many: at most ${most} are read for forecasts` }]);
    }
    const { order, target, groups, model } = this.#index;
    const orderText = this.#index.orderText(order.of(row));
    const targetText = this.#index.targetText(target.of(row));
    const texts = groups.map((cell, column) =>
      cell.isIn(row) ? this.#index.groupText(column, cell.of(row)) : undefined,
    );
    if (orderText === '') {
      if (targetText === '') this.#match(texts, at);
      else this.#fault(at, model.order_by, `is missing, but a row of history needs it beside ${quote(model.target)}`);
      return;
    }
    const position = this.#readPosition(orderText, at);
    if (position === undefined) return;
    const sent = this.#open(texts.map((text) => text ?? ''));
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
   * @throws {InvalidRowsError} if they cannot be forecast so.
   */
  finish(): Iterable<AskedSeries> & { readonly rowCount: number } {
    const index = this.#index;
    const { backtest = 0, steps = index.model.method.horizon } = this.#span;
    for (const asked of this.#asked) {
      const sent = typeof asked === 'number' ? this.#sent.get(asked) : asked;
      if (sent) this.#checkSeries(sent);
    }
    this.#throwFaults();
    const minLength = backtest > 0 ? backtest + MIN_HISTORY : 0;
    const listSeries = () => this.#listSeries(minLength);
    const openSeries = (asked: number | SentSeries) => this.#openSeries(asked);
    let rowCount = 0;
    for (const asked of listSeries()) {
      const sent = typeof asked === 'number' ? this.#sent.get(asked) : asked;
      rowCount += sent?.asked.length || steps;
    }
    return {
      rowCount,
      *[Symbol.iterator]() {
        for (const asked of listSeries()) {
          const joined = joinSeries(openSeries(asked), index, steps);
          yield backtest > 0 ? holdBack(joined, backtest) : joined;
        }
      },
    };
  }

  /** Yields the requested series: without rows, all series of the model. Series that are too short are left out. */
  *#listSeries(minLength: number): Generator<number | SentSeries> {
    const { series } = this.#index.model;
    const isLongEnough = (asked: number | SentSeries) =>
      minLength === 0 || (typeof asked === 'number' && series.lengthOf(asked) >= minLength);
    if (this.#count > 0) {
      for (const asked of this.#asked) if (isLongEnough(asked)) yield asked;
      return;
    }
    for (let index = 0; index < series.count; index++) if (isLongEnough(index)) yield index;
  }

  #checkHorizon(): void {
    const { horizon } = this.#index.model.method;
    const message = `must be at most ${horizon}, the horizon that the model was trained for`;
    const faults = Object.entries(this.#span)
      .filter(([, length]) => length > horizon)
      .map(([parameter]) => ({ parameter, message }));
    if (faults.length > 0) throw new InvalidRowsError(faults);
  }

  /**
   * Asks for the series that have the groups which a row names. A group that is left out may have any value; null
   * and '' are those of the series without a value.
   *
   * @param texts the row's values of the group columns.
   */
  #match(texts: readonly (string | undefined)[], at: number): void {
    const { series, group_by } = this.#index.model;
    const given = texts.filter((text) => text !== undefined);
    if (given.length === 0 && group_by.length > 0) {
      const names = group_by.map(quote).join(', ');
      this.#fault(at, undefined, `names no series: give a value of ${names}, or send no rows for all series`);
      return;
    }
    if (given.length === group_by.length) {
      const known = series.groups.find(given);
      if (known >= 0) this.#ask(known);
      else this.#faultUnknown(texts, at);
      return;
    }
    const key = seriesKey(texts);
    if (this.#matched.has(key)) return;
    const candidates = series.groups.findCandidates(texts);
    this.#comparisons += candidates.series.length;
    if (this.#comparisons > MAX_COMPARISONS) {
      throw new InvalidRowsError([
        { row: at, message: 'is one too many of the rows that name some of the groups; name all of them' },
      ]);
    }
    let hasFound = false;
    for (const candidate of candidates.series) {
      if (!candidates.isMatch(candidate)) continue;
      hasFound = true;
      this.#ask(candidate);
    }
    if (hasFound) this.#matched.add(key);
    else this.#faultUnknown(texts, at);
  }

  /** Asks for a series of the model. */
  #ask(series: number): void {
    const at = series >> 3;
    const bit = 1 << (series & 7);
    const bits = this.#isAsked[at] ?? 0;
    if ((bits & bit) !== 0) return;
    this.#isAsked[at] = bits | bit;
    this.#asked.push(series);
  }

  /** Returns the series that a row of a moment belongs to. */
  #open(groups: readonly string[]): SentSeries {
    const known = this.#index.model.series.groups.find(groups);
    const key = known >= 0 ? known : seriesKey(groups);
    let sent = this.#sent.get(key);
    if (sent !== undefined) return sent;
    if (known >= 0) {
      this.#ask(known);
      sent = this.#openSeries(known);
    } else {
      sent = new SentSeries(groups, undefined);
      this.#asked.push(sent);
    }
    this.#sent.set(key, sent);
    return sent;
  }

  /** Returns the rows that were sent for a series; none if it is requested by its groups. */
  #openSeries(asked: number | SentSeries): SentSeries {
    if (typeof asked !== 'number') return asked;
    const { series } = this.#index.model;
    const sent = this.#sent.get(asked);
    return sent ?? new SentSeries(series.groups.texts(asked), series.series(asked));
  }

  #readPosition(text: string, at: number): number | undefined {
    const { grid, order_by } = this.#index.model;
    const moment = readMoment(text, grid.reading);
    if (moment === undefined) {
      this.#fault(at, order_by, `must be ${describeForm(grid.form)}, but is ${quote(text)}. ${momentHint(order_by)}`);
      return undefined;
    }
    const isZoned = typeof moment.form === 'number' && typeof grid.form === 'number';
    if (moment.form !== grid.form && !isZoned) {
      this.#fault(at, order_by, `must be ${describeForm(grid.form)} as in the table, but is ${quote(text)}`);
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
    const { model, areNamed } = this.#index;
    const { grid, order_by, method } = model;
    const { stored, positions, lines, asked } = sent;
    const first = lines[0] ?? asked[0]?.index;
    if (this.#span.backtest !== undefined && first !== undefined) {
      const message = 'must be left out of a backtest, which is of the values of the table';
      this.#fault(first, order_by, message);
      return;
    }
    const shown = (position: number) => formatMoment(grid.form, findMoment(grid, position));
    if (asked[0] && this.#span.steps !== undefined) {
      const message = 'asks for a moment of its own, which must be sent without `steps`';
      this.#fault(asked[0].index, order_by, message);
      return;
    }
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
    const unnamed = sent.groups.findIndex((text, group) => text === '' && areNamed[group]);
    if (storedEnd === undefined && first !== undefined && unnamed >= 0) {
      const message = 'is missing, but a row of a moment needs it, as it tells series apart';
      this.#fault(first, model.group_by[unnamed], message);
      return;
    }
    if (storedEnd === undefined && positions.length === 0) {
      if (asked[0]) this.#faultUnknown(sent.groups, asked[0].index);
      return;
    }
    const begin = storedEnd === undefined ? oldest : Math.min(oldest, storedEnd);
    if (positions.length > 0 && newest - begin > MAX_SPAN) {
      this.#fault(
        last,
        order_by,
        `is ${(newest - begin).toLocaleString('en')} steps after the row before it; send history without such a gap`,
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

  #faultUnknown(texts: readonly (string | undefined)[], at: number): void {
    const named = this.#index.model.group_by.flatMap((name, index) => {
      const text = texts[index];
      if (text === undefined) return [];
      return `${quote(name)} ${text === '' ? 'without a value' : quote(text)}`;
    });
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

/** Returns a key of the values of the group columns; a column that is left out stands for any value. */
function seriesKey(texts: readonly (string | undefined)[]): string {
  return JSON.stringify(texts);
}
