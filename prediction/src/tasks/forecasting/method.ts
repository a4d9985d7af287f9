import { widthAt } from '../../intervals/conformal.js';
import { toFinite } from '../../intervals/target-range.js';
import type { Progress } from '../../training/progress.js';
import { scorerMemory } from '../../trees/forest/forest-scorer.js';
import { finish, type Steps } from '../../trees/steps.js';
import { type Outcome, runBacktest, type Window } from './backtest.js';
import { planCompetition } from './competition.js';
import { countEffective, selectScored } from './effective-scores.js';
import { type Answer, findNaive, mixNaive, type PartForecast, PartForecaster, weighForecast } from './forecaster.js';
import { type Forests, fitForests } from './forests.js';
import { chooseAnswer, chooseGuard, mixOutcomes } from './guard.js';
import { InputReader } from './inputs.js';
import { measureForecasts, measureSeasons, measureSeries, sortScores } from './metrics.js';
import {
  countTargets,
  type ForecastSeries,
  type Grid,
  MIN_SCORES,
  maxHorizon,
  type Part,
  type SeriesSet,
} from './series.js';
import type { ForecastModel } from './series-model.js';

interface FitOptions {
  /** Steps to forecast, at most `maxHorizon`. */
  readonly horizon: number;
  /** The most values before a forecast that are looked at; if left out, some seasons. */
  readonly window?: number;
  /** True if bounds are answered as whole numbers, and coverage is counted with these. */
  readonly isWhole?: boolean;
  readonly seed: number;
  readonly progress: Progress;
}

/** The forecasts of one series, by step from the first after its last value. */
export interface Forecast {
  /** In units of the target; finite. */
  readonly values: Float64Array;
  /** A power of two near the largest value of the history. */
  readonly unit: number;
  /** The size of an error to expect, in `unit`. */
  readonly scales: Float64Array;
  /** Below this, no value is possible: 0 for a history without negative values, else −∞. */
  readonly lowest: number;
  /** Where it was asked for: for each step the base, the season, and what each subject of `InputReader` adds. */
  readonly explanations?: readonly Float64Array[];
}

const MIN_WINDOW = 120;
const WINDOW_SEASONS = 12;
/** Seasons of more values, as days of seconds, would take hours. */
const MAX_WINDOW = 10_000;

/** Scores that a step is calibrated on, if the series allow it. */
const ENOUGH_SCORES = 200;

/** A window of so many horizons has several draws of what moves all series; at most so large a share of the longest. */
const SHOCK_HORIZONS = 4;
const SHOCK_SHARE = 1 / 8;

/** Origins of the backtest that calibrates, and of the one before it, which chooses the weight. */
const MAX_ORIGINS = 30_000;
const MAX_EARLIER_ORIGINS = 10_000;

/** Forecasts that are compared by bases which compete are cached: 64 MB of them. */
const CACHED_CELLS = 8_000_000;

/** The rows that forests are grown on, and the origins of the earlier and of the last backtest. */
interface Effort {
  readonly rows?: number;
  readonly earlier: number;
  readonly last: number;
}

/** Where bases compete, an origin takes as long as several. */
function chooseEffort(horizon: number, competes: boolean): Effort {
  if (!competes) return { earlier: MAX_EARLIER_ORIGINS, last: MAX_ORIGINS };
  const atMost = (origins: number, steps: number) => Math.max(1, Math.min(origins, Math.floor(steps / horizon)));
  return { rows: Math.min(50_000, 6000 * horizon), earlier: atMost(3000, 60_000), last: atMost(6000, 120_000) };
}

/** The weights of the correction by trees that are tried. */
const ANSWERS: readonly Answer[] = [0, 0.25, 0.5, 0.75, 1].map((weight) => ({ weight }));

function longestOf(series: readonly ForecastSeries[]): number {
  return series.reduce((most, { values }) => Math.max(most, values.length), 0);
}

/** Long enough for a horizon, longer where series are few, and several horizons long where they are long. */
function chooseWindow(series: readonly ForecastSeries[], horizon: number): number {
  const longest = longestOf(series);
  const wanted = Math.min(Math.ceil(ENOUGH_SCORES / series.length), longest >> 1);
  const ofShocks = Math.min(SHOCK_HORIZONS * horizon, Math.floor(SHOCK_SHARE * longest));
  let length = Math.max(horizon, wanted, ofShocks);
  while (length < longest && countTargets(series, horizon, length) < MIN_SCORES) length++;
  return length;
}

/**
 * Fits a base forecast's correction and the size of its errors over all series. Two backtests come first, each with
 * forests that have seen nothing of its window: the earlier one chooses the weight of the correction, the later one
 * calibrates the intervals. At last both forests are fitted again, to all values.
 *
 * @returns the fitted method, by series the MASE of its backtest, NaN where there is none, by step its outcomes, and by
 * series what forecasts from its end need, if bases compete.
 * @throws {RangeError} if the horizon is not within 1 to `maxHorizon`.
 */
export function fitForecaster(
  set: SeriesSet,
  { horizon, window, isWhole = false, seed, progress }: FitOptions,
): {
  model: ForecastModel;
  seriesErrors: Float64Array;
  outcomes: readonly (readonly Outcome[])[];
  fits: readonly (Uint16Array | undefined)[];
} {
  const { series, season, seasons } = set;
  const most = maxHorizon(set);
  if (!(Number.isInteger(horizon) && horizon >= 1 && horizon <= most)) {
    throw new RangeError(`The horizon must be within 1 to ${most}, but is ${horizon}.`);
  }
  const usualWindow = Math.max(MIN_WINDOW, WINDOW_SEASONS * season);
  const competition = seasons && planCompetition(seasons, horizon, longestOf(series), window);
  const history_needed = competition?.needed ?? window ?? Math.min(usualWindow, MAX_WINDOW);
  const past_count = series[0]?.past.length ?? 0;
  const known_count = series[0]?.known.length ?? 0;
  const facts = {
    history_needed,
    past_count,
    known_count,
    ...(competition && { competition: competition.plan }),
    intermittent: true,
  } as const;
  const reader = new InputReader(set, facts, CACHED_CELLS);
  const length = chooseWindow(series, horizon);
  const effort = chooseEffort(horizon, competition !== undefined);
  const fitBefore = (back: number, share: number) => {
    const parts = series.map((one) => ({ series: one, end: one.values.length - back }));
    return fitForests(parts, reader, { horizon, seed, most: effort.rows }, progress.openStage(share));
  };
  const test = (at: Window, maxOrigins: number, answers: readonly Answer[]) => {
    const forests = fitBefore(at.back + at.length, 0.25);
    const forecaster = finish(PartForecaster.create(forests, reader));
    const outcomes = runBacktest(forecaster, set, horizon, at, maxOrigins, answers);
    progress.stage(0.08, 1)(1);
    return { forests, outcomes };
  };
  const first = test({ back: length, length }, effort.earlier, ANSWERS);
  // Without trees before that window, all weights are as good as none.
  const hasTrees = first.forests.value_forest.trees.length > 0;
  const chosen = chooseAnswer(ANSWERS, hasTrees ? first.outcomes : []);
  // At least one of each series, so that the worst are known.
  const maxOrigins = Math.max(effort.last, series.length);
  const last = test({ back: 0, length }, maxOrigins, [chosen.answer]);
  const unguarded = last.outcomes[0] ?? [];
  // The earlier window may lack a season that the series has by now, so that repeating the last value wins there.
  const naive = chooseGuard(unguarded);
  const outcomes = mixOutcomes(unguarded, naive);
  const earlier = mixOutcomes(first.outcomes[chosen.index] ?? [], naive);
  const starts = series.map(({ start }) => start);
  const scored = selectScored(outcomes);
  const effective = countEffective(scored, starts);
  const forests = fitBefore(0, 0.3);
  progress.finish();
  return {
    model: {
      season,
      horizon,
      ...facts,
      features: reader.names,
      ...forests,
      backtest: last.forests,
      value_weight: chosen.answer.weight,
      ...(naive && { naive }),
      scores: scored.map((ofStep, step) => sortScores(ofStep, effective[step] ?? 1)),
      metrics: {
        ...measureForecasts(outcomes, earlier, starts, isWhole),
        effective_scores_by_step: effective.map((count) => Number(count.toPrecision(3))),
        ...(competition && { seasons: measureSeasons(series, competition.plan, outcomes) }),
      },
    },
    seriesErrors: measureSeries(outcomes, series.length),
    outcomes,
    fits: series.map((one) => reader.fit(one, forests.base_errors)),
  };
}

/** A fitted method without its forests. */
export type MethodFacts = Omit<ForecastModel, keyof Forests | 'backtest'>;

/** A fitted method made ready for forecasting. */
export class Forecaster {
  /** @param grid as in the training. */
  static *create(model: ForecastModel, grid: Grid): Steps<Forecaster> {
    const reader = new InputReader(grid, model);
    const memory = scorerMemory();
    const forecaster = yield* PartForecaster.create(model, reader, memory);
    const backtester = yield* PartForecaster.create(model.backtest, reader, memory);
    return new Forecaster(withoutForests(model), forecaster, backtester);
  }

  private constructor(
    readonly model: MethodFacts,
    private readonly forecaster: PartForecaster,
    private readonly backtester: PartForecaster,
  ) {}

  /** Whether it can explain its forecasts. */
  get isExplainable(): boolean {
    return this.forecaster.explainer !== undefined && this.backtester.explainer !== undefined;
  }

  /** True if the forests are laid out for that. */
  get isReady(): boolean {
    return [this.forecaster, this.backtester].every(({ explainer }) => explainer?.isReady);
  }

  /** Lays them out in steps. */
  *prepare(): Steps<void> {
    for (const { explainer } of [this.forecaster, this.backtester]) if (explainer) yield* explainer.prepare();
  }

  /** About how many bytes the forests take that are laid out to explain forecasts. */
  get laidOutBytes(): number {
    // Both may be one.
    const explainers = new Set([this.forecaster.explainer, this.backtester.explainer]);
    return [...explainers].reduce((sum, explainer) => sum + (explainer?.laidOutBytes ?? 0), 0);
  }

  /** The bytes of memory that its forests take. */
  get forestBytes(): number {
    return this.forecaster.bytes + this.backtester.bytes;
  }

  /**
   * Forecasts series from their ends on; they need not be those of the training.
   *
   * @param isBacktest whether the ends are those of a training, cut off by at most its horizon.
   * @throws {RangeError} if the steps are more than the model's horizon.
   */
  forecast(series: readonly ForecastSeries[], steps: number, isBacktest = false, isExplained = false): Forecast[] {
    const parts = series.map((one) => ({ series: one, end: one.values.length }));
    return this.forecastParts(parts, steps, isBacktest, isExplained);
  }

  /**
   * Forecasts the values after parts. A backtest forecasts parts of whole series: the effects of events are estimated
   * at steps counted back from the end of a series.
   *
   * @param isBacktest see `forecast`.
   * @throws {RangeError} if the steps are more than the model's horizon.
   */
  forecastParts(parts: readonly Part[], steps: number, isBacktest = false, isExplained = false): Forecast[] {
    const { horizon, value_weight: weight, naive } = this.model;
    const answer = { weight, naive };
    if (steps > horizon) throw new RangeError(`At most ${horizon} steps, not ${steps}.`);
    const forecaster = isBacktest ? this.backtester : this.forecaster;
    return forecaster.forecast(parts, steps, isExplained).map((forecast) => {
      const { unit, scales, lowest } = forecast;
      const values = weighForecast(forecast, answer);
      const explanations = explain(forecast, answer);
      return {
        values: values.map((value) => toFinite(unit * value)),
        unit,
        scales,
        lowest,
        ...(explanations && { explanations }),
      };
    });
  }

  /**
   * Returns an interval, and the level that it keeps: lower than asked for if the calibration is too small.
   *
   * @param step from 0.
   * @param factorOf by what the widths of a level are multiplied.
   */
  interval(
    { values, unit, scales, lowest }: Forecast,
    step: number,
    confidence: number,
    factorOf: (level: number) => number = () => 1,
  ) {
    const { level, score } = widthAt(this.model.scores[step] ?? [], confidence);
    const value = (values[step] ?? 0) / unit;
    const reach = factorOf(level) * score * (scales[step] ?? 0);
    return {
      low: toFinite(unit * Math.max(value - reach, lowest)),
      high: toFinite(unit * Math.max(value + reach, lowest)),
      level,
    };
  }
}

/** Returns what adds up to the values of a forecast, before they are kept above the lowest, in units of the target. */
function explain(forecast: PartForecast, answer: Answer): Float64Array[] | undefined {
  const { unit, base, explanation } = forecast;
  if (!explanation) return undefined;
  const { seasonal, expected, contributions } = explanation;
  const subjects = contributions.length / base.length;
  const { naive } = answer;
  const repeated = naive && findNaive(forecast, naive);
  const share = repeated ? (naive?.share ?? 0) : 0;
  const weight = (1 - share) * answer.weight;
  return Array.from(base, (own, step) => {
    const value = mixNaive(own, repeated?.[step] ?? own, share);
    const season = seasonal[step] ?? 0;
    const ofStep = contributions.subarray(step * subjects, (step + 1) * subjects);
    const parts = [value - season + weight * expected, season, ...ofStep.map((one) => weight * one)];
    return Float64Array.from(parts, (part) => toFinite(unit * part));
  });
}

function withoutForests({
  cuts: _,
  value_forest: _value,
  error_forest: _error,
  error_floor: _floor,
  base_errors: _errors,
  backtest: _backtest,
  ...facts
}: ForecastModel): MethodFacts {
  return facts;
}
