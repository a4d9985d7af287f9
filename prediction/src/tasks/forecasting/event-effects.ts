import type { BaseForecast } from './base-forecast.js';
import type { EventGrid, ForecastSeries } from './series.js';

/** The weeks before a day whose values say what would be usual on it. */
const WEEKS = 4;

/** Effects are estimated anew after so many steps, counted back from the end of a series, and at least two weeks. */
const STRIDE = 56;

/** A series as if it had no holidays and other events, and what they changed. */
interface Cleaned {
  /** The values before this one have been looked at. */
  readonly boundary: number;
  readonly series: ForecastSeries;
  readonly effects: Effects;
}

/** By code of an event, and by the kinds that it belongs to, what it changes. */
interface Effects {
  /** Whether effects are shares of the usual value, as of series without negative values; else they are added to it. */
  readonly isShare: boolean;
  readonly of: ReadonlyMap<number, number>;
}

/** Sums of the values of events of one kind: what they were beside usual ones, and what these were. */
interface Sums {
  count: number;
  deviation: number;
  usual: number;
}

const NONE: Sums = { count: 0, deviation: 0, usual: 0 };

/**
 * Takes the effects of holidays and other rare events out of series before they are forecast, and adds them to the
 * steps of such events.
 *
 * An event is compared with the same step of the weeks before it. Its effect is estimated for all events of its kind,
 * then for those of its hour, then for those of its name, and moves from each estimate to the next by what noise leaves
 * of the difference (positive-part James–Stein shrinkage: Efron and Morris 1973).
 */
export class EventEffects {
  readonly #grid: EventGrid;
  readonly #window: number;
  readonly #maxCells: number;
  readonly #cleaned = new Map<ForecastSeries, Cleaned>();
  #cells = 0;

  /**
   * @param window the most values before a forecast that are looked at.
   * @param maxCells the values of cleaned series that are cached: a training reads many origins of each series.
   */
  constructor(grid: EventGrid, window: number, maxCells = 0) {
    this.#grid = grid;
    this.#window = window;
    this.#maxCells = maxCells;
  }

  /**
   * Forecasts a series from `end` on, as if it had no events, and adds their effects.
   *
   * @param forecast the base of a series.
   */
  forecast(series: ForecastSeries, end: number, forecast: (series: ForecastSeries) => BaseForecast): BaseForecast {
    const cleaned = this.#clean(series, end);
    const base = forecast(cleaned?.series ?? series);
    if (cleaned === undefined) return base;
    const { isShare } = cleaned.effects;
    const effects = base.values.map((_, step) =>
      this.#find(cleaned.effects, this.#grid.codeAt(series, series.start + end + step)),
    );
    const add = (values: Float64Array) => values.map((value, step) => value + effect(value, step));
    const effect = (value: number, step: number) => {
      const size = effects[step] ?? 0;
      return isShare ? size * Math.max(value, 0) : size / base.unit;
    };
    return {
      ...base,
      bases: base.bases.map(add),
      naives: base.naives.map(add),
      values: add(base.values),
      seasonal: base.seasonal.map((value, step) => value + effect(base.values[step] ?? 0, step)),
    };
  }

  /** Returns the effect of the most special kind that has one. */
  #find({ of }: Effects, code: number): number {
    if (code < 0) return 0;
    const kind = this.#grid.kindsOf(code).findLast((one) => of.has(one));
    return kind === undefined ? 0 : (of.get(kind) ?? 0);
  }

  #clean(series: ForecastSeries, end: number): Cleaned | undefined {
    const { values } = series;
    const stride = Math.max(STRIDE, 2 * this.#grid.cycle);
    const boundary = values.length - stride * Math.ceil((values.length - end) / stride);
    const known = this.#cleaned.get(series);
    if (known?.boundary === boundary) return known;
    if (boundary <= this.#grid.cycle) return undefined;
    const to = Math.min(values.length, boundary + stride);
    const first = Math.max(0, boundary - this.#window);
    const codes = Int32Array.from({ length: to - first }, (_, at) =>
      this.#grid.codeAt(series, series.start + first + at),
    );
    const usual = this.#findUsual(values.subarray(first, to), codes);
    const effects = this.#estimate(values.subarray(first, to), codes, usual, boundary - first);
    const clean = values.slice(0, to);
    for (let at = 0; at < codes.length; at++) {
      const size = this.#find(effects, codes[at] ?? -1);
      const beside = usual[at] ?? Number.NaN;
      if (size === 0 || Number.isNaN(beside)) continue;
      const changed = (clean[first + at] ?? 0) - (effects.isShare ? size * beside : size);
      clean[first + at] = effects.isShare ? Math.max(changed, 0) : changed;
    }
    const cleaned = { boundary, series: { ...series, values: clean }, effects };
    if (to > this.#maxCells) return cleaned;
    if (this.#cells + to > this.#maxCells) {
      this.#cleaned.clear();
      this.#cells = 0;
    }
    this.#cleaned.set(series, cleaned);
    this.#cells += to;
    return cleaned;
  }

  /** Returns the mean of the same step of usual days in the weeks before each value; NaN where there is none. */
  #findUsual(values: Float64Array, codes: Int32Array): Float64Array {
    const { cycle } = this.#grid;
    return values.map((_, at) => {
      let sum = 0;
      let count = 0;
      for (let week = 1; week <= WEEKS; week++) {
        const before = values[at - week * cycle] ?? Number.NaN;
        if (Number.isNaN(before) || (codes[at - week * cycle] ?? 0) >= 0) continue;
        sum += before;
        count++;
      }
      return sum / count;
    });
  }

  /** @param end of the values that are looked at. */
  #estimate(values: Float64Array, codes: Int32Array, usual: Float64Array, end: number): Effects {
    let isShare = true;
    for (let at = 0; at < end; at++) if ((values[at] ?? 0) < 0) isShare = false;
    const sums = new Map<number, Sums>();
    const noise = { count: 0, squares: 0, usual: 0 };
    for (let at = 0; at < end; at++) {
      const expected = usual[at] ?? Number.NaN;
      const deviation = (values[at] ?? Number.NaN) - expected;
      if (Number.isNaN(deviation)) continue;
      const weight = isShare ? expected : 1;
      const code = codes[at] ?? -1;
      if (code < 0) {
        noise.count++;
        noise.squares += deviation * deviation;
        noise.usual += weight * weight;
        continue;
      }
      for (const kind of this.#grid.kindsOf(code)) {
        const ofKind = sums.get(kind) ?? { count: 0, deviation: 0, usual: 0 };
        ofKind.count++;
        ofKind.deviation += deviation;
        ofKind.usual += weight;
        sums.set(kind, ofKind);
      }
    }
    const variance = noise.squares / noise.usual;
    const of = new Map<number, number>();
    if (!Number.isFinite(variance)) return { isShare, of };
    for (const code of new Set(codes.subarray(0, end))) {
      if (code < 0) continue;
      let estimate = 0;
      for (const kind of this.#grid.kindsOf(code)) {
        const { count, deviation, usual: beside } = sums.get(kind) ?? NONE;
        if (beside > 0) {
          const difference = deviation / beside - estimate;
          const left = 1 - variance / (count * difference * difference);
          if (left > 0) estimate += left * difference;
        }
        of.set(kind, estimate);
      }
    }
    return { isShare, of };
  }
}
