import { widthAt } from '../../intervals/conformal.js';
import { wilson } from '../../intervals/statistics.js';
import { toFinite, WHOLE, withinSupport } from '../../intervals/target-range.js';
import { isBetter, percent, shortNumber } from '../../model/summary.js';
import type { Outcome } from './backtest.js';
import { Competition, type CompetitionPlan } from './competition.js';
import { countEffective, scoreOf, selectScored, widenLevel } from './effective-scores.js';
import { type ForecastSeries, MIN_SCORES } from './series.js';
import type { ForecastErrors, ForecastMetrics, SeasonMetrics, SeriesMetrics, SeriesModel } from './series-model.js';

/** The level at which coverage is counted. */
const LEVEL = 0.9;

/** More scores of a step are kept as so many quantiles. */
const MAX_SCORES = 999;

/** Six digits suffice for scores, and keep models small. */
const SCORE_DIGITS = 6;

/** Larger units are measured in `LARGE_UNIT`, in which a sum of errors is not too large for a double. */
const LARGE = 2 ** 900;
const LARGE_UNIT = 2 ** 64;

/** Sums up errors, those of scaled errors apart: not every series has a scale. */
class ErrorSums {
  #unit = 1;
  #absolute = 0;
  #symmetric = 0;
  #scaled = 0;
  #scaledCount = 0;
  #count = 0;

  add(forecast: number, { unit, actual, naiveError }: Outcome): void {
    const error = Math.abs(actual - forecast);
    const size = Math.abs(actual) + Math.abs(forecast);
    if (unit >= LARGE && this.#unit === 1) {
      this.#unit = LARGE_UNIT;
      this.#absolute /= LARGE_UNIT;
    }
    this.#absolute += error * (unit / this.#unit);
    this.#symmetric += size > 0 ? (200 * error) / size : 0;
    this.#count++;
    if (!(naiveError > 0)) return;
    this.#scaled += error / naiveError;
    this.#scaledCount++;
  }

  mean(): ForecastErrors {
    const count = Math.max(this.#count, 1);
    return {
      mae: toFinite((this.#absolute / count) * this.#unit),
      smape: this.#symmetric / count,
      mase: this.#scaledCount > 0 ? toFinite(this.#scaled / this.#scaledCount) : null,
    };
  }
}

/**
 * Measures forecasts of a window.
 *
 * @param outcomes by step.
 * @param earlier the same of an earlier window, which calibrates the intervals whose coverage is counted.
 * @param starts by series its place on the grid.
 * @param isWhole whether the bounds of these are whole numbers.
 */
export function measureForecasts(
  outcomes: readonly (readonly Outcome[])[],
  earlier: readonly (readonly Outcome[])[],
  starts: readonly number[],
  isWhole: boolean,
): Omit<ForecastMetrics, 'effective_scores_by_step'> {
  const scored = selectScored(earlier);
  const effective = countEffective(scored, starts);
  const [all, ofBaseline] = [new ErrorSums(), new ErrorSums()];
  const errors_by_step: ForecastErrors[] = [];
  const baseline_errors_by_step: ForecastErrors[] = [];
  const interval_coverage_by_step: (number | null)[] = [];
  let value_count = 0;
  let within = 0;
  let judged = 0;
  for (const [step, ofStep] of outcomes.entries()) {
    const [sums, baseline] = [new ErrorSums(), new ErrorSums()];
    const scores = sortScores(scored[step] ?? [], effective[step] ?? 1);
    const reach = scores.length < MIN_SCORES ? Number.NaN : widthAt(scores, LEVEL).score;
    let covered = 0;
    for (const outcome of ofStep) {
      for (const sum of [all, sums]) sum.add(outcome.forecast, outcome);
      for (const sum of [ofBaseline, baseline]) sum.add(outcome.repeated, outcome);
      if (holds(outcome, reach * outcome.scale, isWhole)) covered++;
    }
    value_count += ofStep.length;
    errors_by_step.push(sums.mean());
    baseline_errors_by_step.push(baseline.mean());
    const isJudged = ofStep.length > 0 && !Number.isNaN(reach);
    interval_coverage_by_step.push(isJudged ? covered / ofStep.length : null);
    if (isJudged) {
      within += covered;
      judged += ofStep.length;
    }
  }
  return {
    value_count,
    errors: all.mean(),
    baseline_errors: ofBaseline.mean(),
    errors_by_step,
    baseline_errors_by_step,
    interval_level: LEVEL,
    interval_coverage: judged > 0 ? within / judged : null,
    interval_coverage_by_step,
  };
}

/**
 * Returns whether an interval holds the true value; false if its reach is NaN.
 *
 * @param reach in the unit of the outcome
 */
function holds({ actual, forecast, unit }: Outcome, reach: number, isWhole: boolean): boolean {
  if (Math.abs(actual - forecast) <= reach) return true;
  if (!isWhole || Number.isNaN(reach)) return false;
  const bounds = withinSupport(WHOLE, {
    value: toFinite(unit * forecast),
    min: toFinite(unit * (forecast - reach)),
    max: toFinite(unit * (forecast + reach)),
  });
  return unit * actual >= bounds.min && unit * actual <= bounds.max;
}

/**
 * Returns the scores |error| ÷ expected error, ascending, or quantiles of them in the ranks of conformal widths. Where
 * they depend on each other, each is that of a higher level.
 *
 * @param effective how many independent ones they are worth
 */
export function sortScores(outcomes: readonly Outcome[], effective: number): number[] {
  const scores = Float64Array.from(outcomes, (outcome) => toFinite(scoreOf(outcome))).sort();
  const count = Math.min(scores.length, MAX_SCORES);
  return Array.from({ length: count }, (_, index) => {
    const level = widenLevel((index + 1) / (count + 1), scores.length, effective);
    const rank = Math.min(Math.ceil((scores.length + 1) * level - 1e-9), scores.length);
    return Number((scores[rank - 1] ?? 0).toPrecision(SCORE_DIGITS));
  });
}

/** Series that are tested for the seasons that a model reports. */
const MAX_TESTED = 1000;

/** Measures by season in how many series it is found, how strong it is there, and what repeating it would miss. */
export function measureSeasons(
  series: readonly ForecastSeries[],
  plan: CompetitionPlan,
  outcomes: readonly (readonly Outcome[])[],
): SeasonMetrics[] {
  const competition = new Competition(plan);
  const stride = Math.ceil(series.length / MAX_TESTED);
  const tested = series.filter((_, index) => index % stride === 0).map((one) => competition.findSeasons(one));
  return [...plan.seasons, ...(plan.long?.seasons ?? [])].map((length, index) => {
    const strengths = tested.flatMap((found) =>
      found.filter((season) => season.length === length).map(({ strength }) => strength),
    );
    const errors = new ErrorSums();
    for (const ofStep of outcomes) {
      // The naive forecasts begin with the last value.
      for (const outcome of ofStep) errors.add(outcome.naives[index + 1] ?? 0, outcome);
    }
    return {
      length,
      series_share: strengths.length / Math.max(tested.length, 1),
      strength: strengths.length > 0 ? strengths.reduce((sum, one) => sum + one, 0) / strengths.length : null,
      repeat_errors: errors.mean(),
    };
  });
}

/** By series: MASE of its forecasts; NaN where there is none. */
export function measureSeries(outcomes: readonly (readonly Outcome[])[], seriesCount: number): Float64Array {
  const sums = new Float64Array(seriesCount);
  const counts = new Float64Array(seriesCount);
  for (const ofStep of outcomes) {
    for (const { series, actual, forecast, naiveError } of ofStep) {
      if (!(naiveError > 0)) continue;
      sums[series] = (sums[series] ?? 0) + Math.abs(actual - forecast) / naiveError;
      counts[series] = (counts[series] ?? 0) + 1;
    }
  }
  return sums.map((sum, series) => sum / (counts[series] ?? 0));
}

/** The errors of repeating values. */
interface Baseline {
  readonly name: string;
  readonly errors: ForecastErrors;
}

/** Returns the best of repeating the last value or season, and each of the other seasons. */
function findBaseline({ baseline_errors, seasons = [] }: SeriesMetrics, season: number): Baseline {
  const name = season > 1 ? 'repeating the last season' : 'repeating the last value';
  const others = seasons.map(
    ({ length, repeat_errors }): Baseline => ({
      name: `repeating what was ${shortNumber(length)} steps before`,
      errors: repeat_errors,
    }),
  );
  const sizeOf = ({ errors }: Baseline) => errors.mase ?? errors.mae;
  return others.reduce((best, one) => (sizeOf(one) < sizeOf(best) ? one : best), { name, errors: baseline_errors });
}

/** Returns whether a forecaster is better than the best of repeating values, and whether its intervals held. */
export function describeForecast(
  metrics: SeriesMetrics,
  { method }: { readonly method: Pick<SeriesModel['method'], 'season'> },
): string {
  const { errors, value_count, interval_coverage, interval_level } = metrics;
  const { name: repeated, errors: baseline } = findBaseline(metrics, method.season);
  const values = `on ${value_count.toLocaleString('en')} forecasts of values at the ends of the series`;
  const measured = `they are off by ${shortNumber(errors.mae)} on average (sMAPE ${shortNumber(errors.smape)} %), ${repeated} is by ${shortNumber(baseline.mae)} (${shortNumber(baseline.smape)} %)`;
  const isTooFew = interval_coverage !== null && wilson(interval_coverage, value_count)[1] < interval_level;
  const kept =
    interval_coverage === null
      ? ''
      : ` ${percent(interval_coverage)} of the values lay within intervals for ${percent(interval_level)}${isTooFew ? ', which is too few' : ''}.`;
  const isScaled = errors.mase !== null && baseline.mase !== null;
  const error = isScaled ? (errors.mase ?? 0) : errors.mae;
  const ofBaseline = isScaled ? (baseline.mase ?? 0) : baseline.mae;
  const isBest = isBetter(error, ofBaseline);
  const verdict = isBest ? 'Better than' : 'No better than';
  // Large series may say the contrary: their errors make up most of the mean.
  const scaled =
    isBest === isBetter(errors.mae, baseline.mae)
      ? ''
      : ` in units of each series (MASE ${shortNumber(error)} against ${shortNumber(ofBaseline)})`;
  return `${verdict} ${repeated}${scaled}: ${values}, ${measured}.${kept}`;
}
