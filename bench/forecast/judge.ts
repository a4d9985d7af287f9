import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ForecastModel, ForecastSeries, SeriesSet } from 'roster-prediction/internals';
import { Forecaster, fitForecaster, Progress } from 'roster-prediction/internals';
import { finish } from 'roster-prediction/predicting';
import type { Finding } from '../scenarios.js';

/** Series, and the values that came after them. */
export interface HeldOut {
  readonly name: string;
  readonly horizon: number;
  readonly set: SeriesSet;
  /** By series. */
  readonly coming: readonly Float64Array[];
}

/**
 * A line of a file of series: `x` is the history, `xx` what came; `start` is a year and a place in it. `seasons` are the
 * lengths of the seasons that are tested for, in steps.
 */
interface SeriesLine {
  readonly id: string;
  readonly period: string;
  readonly frequency: number;
  readonly seasons?: readonly number[];
  readonly start: readonly number[];
  readonly h: number;
  readonly x: readonly number[];
  readonly xx: readonly number[];
}

/**
 * Reads `NAME.jsonl` of a folder, by period.
 *
 * @throws {Error} if it cannot be read.
 */
export async function readSeries(folder: string, name: string): Promise<HeldOut[]> {
  const text = await readFile(join(folder, `${name}.jsonl`), 'utf8');
  const lines = text.trim().split('\n');
  const all = lines.map((line): SeriesLine => JSON.parse(line));
  return [...new Set(all.map(({ period }) => period))].map((ofSet): HeldOut => {
    const ofPeriod = all.filter(({ period }) => period === ofSet);
    const season = ofPeriod[0]?.frequency ?? 1;
    const seasons = ofPeriod[0]?.seasons;
    return {
      name: `${name}, ${ofSet.toLowerCase()}`,
      horizon: ofPeriod[0]?.h ?? 1,
      set: {
        season,
        ...(seasons && { seasons }),
        calendar: (position) =>
          (seasons ?? (season > 1 ? [season] : [])).map((length) => Math.floor(position % length)),
        series: ofPeriod.map(({ start: [year = 0, place = 1], x }) => ({
          start: Math.round(year * season + place - 1),
          values: Float64Array.from(x),
          past: [],
          known: [],
        })),
      },
      coming: ofPeriod.map(({ xx }) => Float64Array.from(xx)),
    };
  });
}

const CONFIDENCES = [0.8, 0.9, 0.95];

const MSIS_LEVEL = 0.95;

/** The fit of forecasts to the actual values. */
export interface Judgement {
  readonly smape: number;
  readonly naiveSmape: number;
  /** In units of the mean seasonal difference of each history; those without one are left out. */
  readonly mase: number;
  /** The same of repeating the last value, and the last of each season. */
  readonly naiveMases: readonly number[];
  /** By confidence: by step the share of values within their intervals. */
  readonly coverage: ReadonlyMap<number, readonly number[]>;
  /** By series: MSIS at 0.95; NaN where the history has no seasonal difference. */
  readonly msis: readonly number[];
  /** By series: MASE; NaN as above. */
  readonly mases: readonly number[];
  readonly fitSeconds: number;
  readonly model: ForecastModel;
}

/** @param trained series to learn from; if left out, the histories that are forecast. */
export function judge({ set, horizon, coming }: HeldOut, trained: readonly ForecastSeries[] = set.series): Judgement {
  const begun = performance.now();
  const training = { ...set, series: trained };
  const progress = new Progress(() => {});
  const { model } = fitForecaster(training, { horizon, seed: 1, progress });
  const fitSeconds = (performance.now() - begun) / 1000;
  const forecaster = finish(Forecaster.create(model, set));
  const forecasts = forecaster.forecast(set.series, horizon);
  const kept = new Map(CONFIDENCES.map((level) => [level, new Array<number>(horizon).fill(0)]));
  const msis: number[] = [];
  const mases: number[] = [];
  const errors: number[] = [];
  const naiveErrors: number[] = [];
  const lengths = [1, ...(set.seasons ?? (set.season > 1 ? [set.season] : []))];
  const scaled: number[] = [];
  const naiveScaled: number[][] = lengths.map(() => []);
  for (const [index, forecast] of forecasts.entries()) {
    const values = set.series[index]?.values ?? new Float64Array();
    const scale = meanSeasonalDifference(values, set.season);
    let penalty = 0;
    let absolute = 0;
    for (const [step, actual] of (coming[index] ?? new Float64Array()).entries()) {
      errors.push(symmetricError(actual, forecast.values[step] ?? 0));
      absolute += Math.abs(actual - (forecast.values[step] ?? 0));
      if (scale > 0) {
        scaled.push(Math.abs(actual - (forecast.values[step] ?? 0)) / scale);
        for (const [at, length] of lengths.entries()) {
          naiveScaled[at]?.push(Math.abs(actual - repeat(values, length, step)) / scale);
        }
      }
      const back = values[values.length - set.season + (step % set.season)];
      naiveErrors.push(symmetricError(actual, back ?? values.at(-1) ?? 0));
      for (const [level, ofSteps] of kept) {
        const { low, high } = forecaster.interval(forecast, step, level);
        if (low <= actual && actual <= high) ofSteps[step] = (ofSteps[step] ?? 0) + 1;
        if (level === MSIS_LEVEL) penalty += intervalScore(low, high, actual);
      }
    }
    msis.push(penalty / horizon / scale);
    mases.push(absolute / horizon / scale);
  }
  const shareOf = (count: number) => count / forecasts.length;
  return {
    smape: mean(errors),
    naiveSmape: mean(naiveErrors),
    mase: mean(scaled),
    naiveMases: naiveScaled.map(mean),
    coverage: new Map([...kept].map(([level, counts]) => [level, counts.map(shareOf)])),
    msis,
    mases,
    fitSeconds,
    model,
  };
}

/**
 * Judges sets whose names differ in a number at their end, such as the dates of few long series, as one: each is trained
 * alone, so that no series is trained on what came after another.
 */
export function judgeFamilies(sets: readonly HeldOut[]): { name: string; count: number; judgement: Judgement }[] {
  const familyOf = ({ name }: HeldOut) => name.replace(/ \d+$/, '');
  return [...new Set(sets.map(familyOf))].map((name) => {
    const members = sets.filter((set) => familyOf(set) === name);
    const judged = members.map((set) => ({ count: set.coming.length, judgement: judge(set) }));
    const count = judged.reduce((sum, one) => sum + one.count, 0);
    return { name, count, judgement: poolJudgements(judged, count) };
  });
}

/** Returns the means over sets, each weighted by its series. */
function poolJudgements(
  judged: readonly { readonly count: number; readonly judgement: Judgement }[],
  total: number,
): Judgement {
  const [first] = judged;
  if (!first) throw new Error('There is no set to judge.');
  const pool = (read: (judgement: Judgement) => number) =>
    judged.reduce((sum, { count, judgement }) => sum + (count / total) * read(judgement), 0);
  const all = judged.map(({ judgement }) => judgement);
  return {
    model: first.judgement.model,
    smape: pool(({ smape }) => smape),
    naiveSmape: pool(({ naiveSmape }) => naiveSmape),
    mase: pool(({ mase }) => mase),
    naiveMases: first.judgement.naiveMases.map((_, at) => pool(({ naiveMases }) => naiveMases[at] ?? 0)),
    coverage: new Map(
      [...first.judgement.coverage].map(([level, bySteps]) => [
        level,
        bySteps.map((_, step) => pool(({ coverage }) => coverage.get(level)?.[step] ?? 0)),
      ]),
    ),
    msis: all.flatMap(({ msis }) => msis),
    mases: all.flatMap(({ mases }) => mases),
    fitSeconds: all.reduce((sum, { fitSeconds }) => sum + fitSeconds, 0),
  };
}

/** Returns the value a season before, which need not be a whole number of steps; where there is none, the last value. */
function repeat(values: Float64Array, season: number, step: number): number {
  const at = Math.round(values.length + step - Math.ceil((step + 1) / season) * season);
  return values[Math.min(at, values.length - 1)] ?? values.at(-1) ?? 0;
}

/** The score of an interval at 0.95 (Gneiting & Raftery 2007): its width, and 40 times what it misses by. */
export function intervalScore(low: number, high: number, actual: number): number {
  return high - low + (2 / (1 - MSIS_LEVEL)) * Math.max(low - actual, actual - high, 0);
}

export function meanSeasonalDifference(values: Float64Array, season: number): number {
  let sum = 0;
  for (let at = season; at < values.length; at++) {
    sum += Math.abs((values[at] ?? 0) - (values[at - season] ?? 0));
  }
  return sum > 0 ? sum / (values.length - season) : Number.NaN;
}

function symmetricError(actual: number, forecast: number): number {
  const size = Math.abs(actual) + Math.abs(forecast);
  return size > 0 ? (200 * Math.abs(actual - forecast)) / size : 0;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param ofAll how far coverage over all steps may be off, and `ofStep` that of each. */
export function findCoverage(name: string, { coverage }: Judgement, ofAll: number, ofStep: number): Finding[] {
  return [...coverage].map(([level, bySteps]) => {
    const off = Math.abs(mean(bySteps) - level);
    const worst = Math.max(...bySteps.map((share) => Math.abs(share - level)));
    return {
      asked: `${name}: coverage at ${level} within ${ofAll}, each step within ${ofStep}`,
      measured: `${mean(bySteps).toFixed(3)}, a step off by ${worst.toFixed(3)}`,
      passed: off <= ofAll && worst <= ofStep,
    };
  });
}
