import { chooseErrorFloor } from '../../intervals/conformal.js';
import { average } from '../../intervals/statistics.js';
import { countValues } from '../../table/column-profile.js';
import { everyRow } from '../../training/folds.js';
import { CutGrid, chooseCuts } from '../../trees/binning/bin-mapper.js';
import { Learner } from '../../trees/boosting/learner.js';
import { squaredLoss } from '../../trees/boosting/squared-loss.js';
import type { Forest } from '../../trees/forest/tree.js';
import { clamp } from '../../trees/params.js';
import { seededRandom } from '../../trees/random.js';
import type { InputReader } from './inputs.js';
import { isOrigin, MIN_HISTORY, type Part } from './series.js';

/** The most rows that forests are grown on by default: a step from an origin each. */
const MAX_ROWS = 150_000;

const VALUE_ROUNDS = 80;
const VALUE_LEAVES = 31;
const ERROR_ROUNDS = 40;
const ERROR_LEAVES = 15;

/** Rows of a leaf: many, since the rows of a series are much alike. */
const MIN_LEAF = 20;
const MAX_LEAF = 300;

/** Deviations beyond so many scales teach the forest of sizes no more than that. */
const MAX_ERROR = 10;

/** The same for the forest of values: the usual deviation is looked for, and few large ones would move the mean. */
const MAX_DEVIATION = 2;

/** The forests of one fit. */
export interface Forests {
  /** By feature: ascending cuts between its bins. */
  readonly cuts: readonly (readonly number[])[];
  /** Predicts the base forecast's deviation, in units of the series' scale. */
  readonly value_forest: Forest;
  /** Predicts the size of that deviation, in the same units. */
  readonly error_forest: Forest;
  /** Added to what the error forest says. */
  readonly error_floor: number;
  /** By base its error over all series, where bases compete. Absent in models of earlier releases. */
  readonly base_errors?: readonly number[];
}

/** Fewer rows are not worth forests. */
const MIN_ROWS = 200;

const NO_FOREST: Forest = { base: 0, trees: [] };

/** Steps from origins: what trees read, and what they learn. */
interface Rows {
  /** By input the values of all rows. */
  readonly columns: Float64Array;
  /** The deviation of what came from the base forecast, in units of the series' scale. */
  readonly deviations: Float64Array;
  /** The rows whose deviation is corrected: none of intermittent demand. */
  readonly corrected: Uint32Array;
}

interface CollectOptions {
  readonly horizon: number;
  readonly seed: number;
  /** The most rows, about. */
  readonly most?: number | undefined;
}

/** Fits what all series have in common: the deviations of the base forecast, and their sizes. */
export function fitForests(
  parts: readonly Part[],
  reader: InputReader,
  options: CollectOptions,
  onRound: (done: number) => void,
): Forests {
  const base_errors = reader.averageErrors(parts);
  const { columns, deviations, corrected } = collectRows(parts, reader, base_errors, options);
  const rowCount = deviations.length;
  const width = reader.names.length;
  // The base forecast knows nothing of the actual values. Errors of the trees on rows that they learnt from would be
  // the smaller, the fewer rows there are.
  const errors = deviations.map(Math.abs);
  const meanError = rowCount > 0 ? average(errors) : 0;
  // Without rows, or where no history moved, nothing says how large errors are: one scale is expected.
  const error_floor = meanError > 0 ? chooseErrorFloor(meanError) : 1;
  if (rowCount < MIN_ROWS) {
    const error_forest = { base: meanError, trees: [] };
    const cuts = Array.from({ length: width }, () => []);
    return { cuts, value_forest: NO_FOREST, error_forest, error_floor, ...(base_errors && { base_errors }) };
  }
  const cuts = Array.from({ length: width }, (_, feature) =>
    findCuts(columns.subarray(feature * rowCount, (feature + 1) * rowCount)),
  );
  const grids = cuts.map((ofFeature) => new CutGrid(ofFeature));
  const learner = new Learner({
    rowCount,
    bins: binColumns(columns, grids, rowCount),
    binCounts: cuts.map((ofFeature) => ofFeature.length + 2),
    isCategory: cuts.map(() => false),
    columnOf: cuts.map((_, feature) => feature),
  });
  const rows = everyRow(rowCount);
  const minRowsPerLeaf = clamp(Math.round(rowCount / 100), MIN_LEAF, MAX_LEAF);
  const valueParams = { maxLeaves: VALUE_LEAVES, minRowsPerLeaf };
  const usual = deviations.map((deviation) => clamp(deviation, -MAX_DEVIATION, MAX_DEVIATION));
  const valueForest = () => {
    if (corrected.length < MIN_ROWS) return NO_FOREST;
    const values = learner.booster(corrected, valueParams, squaredLoss(usual));
    return values.addRounds(VALUE_ROUNDS, onRound)[0] ?? NO_FOREST;
  };
  const value_forest = valueForest();
  const errorParams = { maxLeaves: ERROR_LEAVES, minRowsPerLeaf };
  const sizes = learner.booster(rows, errorParams, squaredLoss(errors));
  const [error_forest = NO_FOREST] = sizes.addRounds(ERROR_ROUNDS, (round) => onRound(VALUE_ROUNDS + round));
  return { cuts, value_forest, error_forest, error_floor, ...(base_errors && { base_errors }) };
}

/** Reads what is known from origins within the parts: from all of them, or from as many at random as are enough. */
function collectRows(
  parts: readonly Part[],
  reader: InputReader,
  baseErrors: readonly number[] | undefined,
  { horizon, seed, most = MAX_ROWS }: CollectOptions,
): Rows {
  let possible = 0;
  for (const { end } of parts) {
    for (let origin = MIN_HISTORY; origin < end; origin++) {
      possible += Math.min(horizon, end - origin);
    }
  }
  const random = seededRandom(seed);
  const width = reader.names.length;
  const inputsOf: Float64Array[] = [];
  const deviations: number[] = [];
  const corrected: number[] = [];
  for (const { series, end } of parts) {
    for (let origin = MIN_HISTORY; origin < end; origin++) {
      if (random() * possible > most || !isOrigin(series, origin, horizon)) continue;
      const steps = Math.min(horizon, end - origin);
      const { base, inputs } = reader.read(series, origin, steps, baseErrors);
      for (let step = 0; step < steps; step++) {
        const actual = series.values[origin + step] ?? Number.NaN;
        if (Number.isNaN(actual)) continue;
        const deviation = (actual / base.unit - (base.values[step] ?? 0)) / base.scale;
        if (!base.isIntermittent) corrected.push(deviations.length);
        deviations.push(clamp(deviation, -MAX_ERROR, MAX_ERROR));
        inputsOf.push(inputs.subarray(step * width, (step + 1) * width));
      }
    }
  }
  const rowCount = deviations.length;
  const columns = new Float64Array(rowCount * width);
  for (const [row, inputs] of inputsOf.entries()) {
    for (let feature = 0; feature < width; feature++) {
      columns[feature * rowCount + row] = inputs[feature] ?? 0;
    }
  }
  return { columns, deviations: Float64Array.from(deviations), corrected: Uint32Array.from(corrected) };
}

/** Rows that cuts are chosen from. */
const CUT_ROWS = 20_000;

function findCuts(column: Float64Array): number[] {
  const stride = Math.max(1, Math.floor(column.length / CUT_ROWS));
  return chooseCuts(countValues(column.filter((_, row) => row % stride === 0)));
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
