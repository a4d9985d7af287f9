import type { ForecastErrors, ForecastMetrics } from './model.js';
import type { ForecastSeries, SeriesSet } from './series.js';

const LEVEL = 0.9;

/** Sums up errors, each with the scale of its series. */
class ErrorSums {
  #absolute = 0;
  #symmetric = 0;
  #scaled = 0;
  #scaledCount = 0;
  #count = 0;

  add(actual: number, forecast: number, naiveError: number): void {
    const error = Math.abs(actual - forecast);
    const size = Math.abs(actual) + Math.abs(forecast);
    this.#absolute += error;
    this.#symmetric += size > 0 ? (200 * error) / size : 0;
    this.#count++;
    if (!(naiveError > 0)) return;
    this.#scaled += error / naiveError;
    this.#scaledCount++;
  }

  get count(): number {
    return this.#count;
  }

  mean(): ForecastErrors {
    const count = Math.max(this.#count, 1);
    return {
      mae: this.#absolute / count,
      smape: this.#symmetric / count,
      mase: this.#scaledCount > 0 ? this.#scaled / this.#scaledCount : null,
    };
  }
}

/** Measures forecasts of the last values of each series. */
export function measureForecasts(
  { series, season }: SeriesSet,
  horizon: number,
  forecast: (series: ForecastSeries, origin: number) => Float64Array,
): { metrics: ForecastMetrics; seriesErrors: Float64Array } {
  const all = new ErrorSums();
  const naive = new ErrorSums();
  const bySteps = Array.from({ length: horizon }, () => new ErrorSums());
  const naiveBySteps = Array.from({ length: horizon }, () => new ErrorSums());
  const seriesErrors = new Float64Array(series.length).fill(Number.NaN);
  for (const [index, one] of series.entries()) {
    const { values } = one;
    const origin = values.length - horizon;
    if (origin < 1) continue;
    const naiveError = meanDifference(values.subarray(0, origin), season);
    const answers = forecast(one, origin);
    const ofSeries = new ErrorSums();
    for (let step = 0; step < horizon; step++) {
      const actual = values[origin + step] ?? Number.NaN;
      if (Number.isNaN(actual)) continue;
      const answer = answers[step] ?? 0;
      for (const sums of [all, bySteps[step], ofSeries]) sums?.add(actual, answer, naiveError);
      const back = values[origin - season + (step % season)] ?? Number.NaN;
      const repeated = Number.isNaN(back) ? (values[origin - 1] ?? 0) : back;
      if (Number.isNaN(repeated)) continue;
      for (const sums of [naive, naiveBySteps[step]]) sums?.add(actual, repeated, naiveError);
    }
    seriesErrors[index] = ofSeries.mean().mase ?? Number.NaN;
  }
  return {
    metrics: {
      value_count: all.count,
      errors: all.mean(),
      baseline_errors: naive.mean(),
      errors_by_step: bySteps.map((sums) => sums.mean()),
      baseline_errors_by_step: naiveBySteps.map((sums) => sums.mean()),
      interval_level: LEVEL,
      interval_coverage: null,
      interval_coverage_by_step: bySteps.map(() => null),
    },
    seriesErrors,
  };
}

/** The mean absolute difference from a season before; NaN if there is none. */
function meanDifference(values: Float64Array, season: number): number {
  let sum = 0;
  let count = 0;
  for (let at = season; at < values.length; at++) {
    const difference = (values[at] ?? 0) - (values[at - season] ?? 0);
    if (Number.isNaN(difference)) continue;
    sum += Math.abs(difference);
    count++;
  }
  return sum / count;
}
