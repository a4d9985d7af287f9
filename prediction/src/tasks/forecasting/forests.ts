import { chooseCuts, CutGrid } from '../../trees/binning/bin-mapper.js';
import type { BinnedFeatures } from '../../trees/binning/dataset.js';
import { Learner } from '../../trees/boosting/learner.js';
import { squaredLoss } from '../../trees/boosting/squared-loss.js';
import type { Forest } from '../../trees/forest/tree.js';
import { seededRandom } from '../../trees/random.js';
import type { InputReader } from './inputs.js';
import type { Part } from './forecaster.js';

export const TUNE: Record<string, number> = JSON.parse(process.env.TUNE ?? '{}');
/** The most rows that forests are grown on: a step from an origin each. */
const MAX_ROWS = TUNE.rows ?? 150_000;

const VALUE_ROUNDS = TUNE.rounds ?? 40;
const ERROR_ROUNDS = TUNE.erounds ?? 40;

/** Deviations beyond so many scales teach no more than that. */
const MAX_DEVIATION = TUNE.clip ?? 10;

/** What the trees of one fit say. */
export interface Forests {
  readonly cuts: readonly (readonly number[])[];
  readonly value_forest: Forest;
  readonly error_forest: Forest;
  readonly error_floor: number;
}

/** The fewest values before a forecast in a training or a backtest. */
export const MIN_HISTORY = 3;

export function fitForests(
  parts: readonly Part[],
  reader: InputReader,
  horizon: number,
  seed: number,
  onRound: (done: number) => void,
): Forests {
  const random = seededRandom(seed);
  let possible = 0;
  for (const { end } of parts) {
    for (let origin = MIN_HISTORY; origin < end; origin++) {
      possible += Math.min(horizon, end - origin);
    }
  }
  const share = MAX_ROWS / possible;
  const width = reader.names.length;
  const blocks: Float64Array[] = [];
  const values: number[] = [];
  for (const { series, end } of parts) {
    for (let origin = MIN_HISTORY; origin < end; origin++) {
      if (random() > share) continue;
      const steps = Math.min(horizon, end - origin);
      const { base, inputs } = reader.read(series, origin, steps);
      for (let step = 0; step < steps; step++) {
        const actual = series.values[origin + step] ?? Number.NaN;
        if (Number.isNaN(actual)) continue;
        const deviation = (actual / base.unit - (base.values[step] ?? 0)) / base.scale;
        values.push(Math.max(-MAX_DEVIATION, Math.min(MAX_DEVIATION, deviation)));
        blocks.push(inputs.subarray(step * width, (step + 1) * width));
      }
    }
  }
  const rowCount = values.length;
  if (rowCount < MIN_ROWS) return NO_FORESTS(width);
  const columns = new Float64Array(rowCount * width);
  for (const [row, block] of blocks.entries()) {
    for (let feature = 0; feature < width; feature++) {
      columns[feature * rowCount + row] = block[feature] ?? 0;
    }
  }
  const cuts: number[][] = [];
  for (let feature = 0; feature < width; feature++) {
    cuts.push(findCuts(columns.subarray(feature * rowCount, (feature + 1) * rowCount)));
  }
  const bins = binColumns(columns, cuts.map((ofFeature) => new CutGrid(ofFeature)), rowCount);
  const features: BinnedFeatures = {
    rowCount,
    bins,
    binCounts: cuts.map((ofFeature) => ofFeature.length + 2),
    isCategory: cuts.map(() => false),
    columnOf: cuts.map((_, feature) => feature),
  };
  const learner = new Learner(features);
  const rows = Uint32Array.from({ length: rowCount }, (_, row) => row);
  const params = { maxLeaves: TUNE.leaves ?? 31, minRowsPerLeaf: TUNE.minleaf ?? 300 };
  const target = Float64Array.from(values);
  const booster = learner.booster(rows, params, squaredLoss(target));
  booster.addRounds(VALUE_ROUNDS, onRound);
  const [value_forest = { base: 0, trees: [] }] = booster.forests;
  const scores = learner.score(booster.forests, rows).values;
  const errors = target.map((value, row) => Math.abs(value - (scores[row] ?? 0)));
  const errorBooster = learner.booster(
    rows,
    { maxLeaves: TUNE.eleaves ?? 15, minRowsPerLeaf: TUNE.eminleaf ?? 300 },
    squaredLoss(errors),
  );
  errorBooster.addRounds(ERROR_ROUNDS);
  const [error_forest = { base: 0, trees: [] }] = errorBooster.forests;
  let mean = 0;
  for (const error of errors) mean += error / rowCount;
  return { cuts, value_forest, error_forest, error_floor: Math.max(mean / 10, 2 ** -40) };
}

/** Fewer rows are not worth forests. */
const MIN_ROWS = 200;

function NO_FORESTS(width: number): Forests {
  const forest = { base: 0, trees: [] };
  const cuts = Array.from({ length: width }, () => []);
  return { cuts, value_forest: forest, error_forest: forest, error_floor: 1 };
}

const CUT_ROWS = 20_000;

function findCuts(column: Float64Array): number[] {
  const stride = Math.max(1, Math.floor(column.length / CUT_ROWS));
  const sorted = column.filter((value, row) => row % stride === 0 && !Number.isNaN(value)).sort();
  const distinct: { value: number; count: number }[] = [];
  for (const value of sorted) {
    const last = distinct.at(-1);
    if (last?.value === value) last.count++;
    else distinct.push({ value, count: 1 });
  }
  return chooseCuts(distinct);
}

/** From columns of inputs to their bins. */
export function binColumns(columns: Float64Array, grids: readonly CutGrid[], rowCount: number) {
  const bins = new Uint8Array(columns.length);
  for (const [feature, grid] of grids.entries()) {
    for (let at = feature * rowCount; at < (feature + 1) * rowCount; at++) {
      const value = columns[at] ?? Number.NaN;
      bins[at] = Number.isNaN(value) ? 0 : 1 + grid.countBelow(value);
    }
  }
  return bins;
}
