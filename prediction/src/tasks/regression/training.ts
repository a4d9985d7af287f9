import { findGroup, widthAt } from '../../intervals/conformal.js';
import { pick, standardDeviation } from '../../intervals/statistics.js';
import {
  chooseScale,
  findSupport,
  fromStandard,
  lengthFromStandard,
  nearestTo,
  Rounding,
  reachTo,
  settle,
  type TargetScale,
  type TargetSupport,
  toStandard,
  withinSupport,
} from '../../intervals/target-range.js';
import type { RegressionTable } from '../../table/table.js';
import { countRounds, type Fitted, type OutOfFold, trainingRows } from '../../training/folds.js';
import { correctForests } from '../../training/partial-rows.js';
import type { Progress } from '../../training/progress.js';
import { ERROR_LEVEL, type JudgedRows, type TaskTraining, type TrainedParts } from '../../training/train-model.js';
import type { Forest, Scores } from '../../trees/forest/tree.js';
import { correctionTreeParams } from '../../trees/params.js';
import { ERROR_ROUNDS, errorsFromFewer, type FittedErrorModel, fitErrorModel } from './error-model.js';
import { measure } from './metrics.js';
import type { PartialRows, RegressionModel } from './model.js';
import { NumberObjective } from './objective.js';

/** Of partial rows; more rounds cost more time than they gain. */
const CORRECTION_ROUNDS = 30;

/** The size of errors of ordinary rows. */
interface Calibrated extends FittedErrorModel {
  reaches: Float64Array;
}

type PartialPart = Omit<PartialRows, 'unfamiliar_bins'>;

/**
 * Trains a regressor: a forest that predicts the target, and a smaller one that predicts the size of its error; two
 * more for partial rows.
 */
export class NumberTraining implements TaskTraining<NumberObjective, Calibrated, PartialPart, RegressionModel> {
  readonly objective: NumberObjective;
  readonly #scale: TargetScale;
  readonly #support: TargetSupport;
  readonly #reachOf: (predicted: number, actual: number) => number;

  constructor(private readonly table: RegressionTable) {
    const { targetValues } = table;
    this.#scale = chooseScale(targetValues);
    this.#support = findSupport(targetValues);
    const target = targetValues.map((value) => toStandard(this.#scale, value));
    const deviation = lengthFromStandard(this.#scale, standardDeviation(target));
    this.#reachOf = reachInStandard(this.#scale, this.#support, new Rounding(deviation));
    this.objective = new NumberObjective(target);
  }

  statisticTargets(): Float64Array[] {
    return [this.objective.target];
  }

  calibrate(fitted: Fitted<NumberObjective>, progress: Progress): Calibrated {
    const { forests, outOfFold } = fitted;
    const { objective, scores } = outOfFold;
    const reaches = objective.target.map((actual, row) => this.#reachOf(scores.values[row] ?? 0, actual));
    const errors = {
      absoluteErrors: objective.residuals(scores).map(Math.abs),
      reaches,
      fromFewer: errorsFromFewer(fitted),
    };
    const onRound = progress.stage(0.06, countRounds(outOfFold, ERROR_ROUNDS));
    return { ...fitErrorModel(outOfFold, forests, errors, onRound), reaches };
  }

  /**
   * First a correction of the forest's errors, then the size of the errors that remain; these come from forests and
   * corrections that were not trained on the row.
   */
  calibratePartial(masked: OutOfFold<NumberObjective>, model: readonly Forest[], progress: Progress): PartialPart {
    const params = correctionTreeParams(trainingRows(masked).length);
    const { forests, scores } = correctForests(
      masked,
      model,
      CORRECTION_ROUNDS,
      () => params,
      progress.stage(0.06, countRounds(masked, CORRECTION_ROUNDS)),
    );
    const [correction_forest = { base: 0, trees: [] }] = forests;
    const errors = masked.objective
      .residuals(masked.scores)
      .map((residual, row) => residual - (scores.values[row] ?? 0));
    const reaches = errors.map((error, row) => {
      const actual = masked.objective.target[row] ?? 0;
      return this.#reachOf(actual - error, actual);
    });
    const { errorModel } = fitErrorModel(
      masked,
      model,
      { absoluteErrors: errors.map(Math.abs), reaches, fromFewer: null },
      progress.stage(0.06, countRounds(masked, ERROR_ROUNDS)),
    );
    return { correction_forest, ...errorModel };
  }

  judge(
    { objective: { target } }: OutOfFold<NumberObjective>,
    _: Calibrated,
    { values }: Scores,
    rows: Uint32Array,
  ): number {
    return rows.reduce((squares, row, index) => squares + ((target[row] ?? 0) - (values[index] ?? 0)) ** 2, 0);
  }

  judgeRows(
    { objective: { target }, scores, testRows }: OutOfFold<NumberObjective>,
    { errorModel: { calibration }, predictedErrors }: Calibrated,
  ): JudgedRows {
    const [scale, support] = [this.#scale, this.#support];
    const widths = calibration.scores.map((ofGroup) => widthAt(ofGroup, ERROR_LEVEL).score);
    const judged = Array.from(testRows, (row, index) => {
      const standard = scores.values[row] ?? 0;
      const error = predictedErrors[index] ?? 0;
      const reach = (widths[findGroup(calibration.upper_bounds, error)] ?? 0) * error;
      return withinSupport(support, {
        value: fromStandard(scale, standard),
        min: fromStandard(scale, standard - reach),
        max: fromStandard(scale, standard + reach),
      });
    });
    const predicted = Float64Array.from(judged, ({ value }) => value);
    return {
      losses: Float64Array.from(testRows, (row, index) => {
        return ((predicted[index] ?? 0) - fromStandard(scale, target[row] ?? 0)) ** 2;
      }),
      answers: {
        task: 'regression',
        predicted,
        lower: Float64Array.from(judged, ({ min }) => min),
        upper: Float64Array.from(judged, ({ max }) => max),
      },
      scale: {
        forestOf: () => 0,
        score: (_, standard) => fromStandard(scale, standard),
        added: (_, standard) => lengthFromStandard(scale, standard),
      },
    };
  }

  toUnits(squares: number): number {
    return lengthFromStandard(this.#scale, Math.sqrt(squares));
  }

  assemble({
    columns,
    features,
    fitted: { forests, outOfFold },
    calibrated: { errorModel, predictedErrors, reaches },
    partial,
  }: TrainedParts<NumberObjective, Calibrated, PartialPart>): RegressionModel {
    const { table } = this;
    const [scale, support] = [this.#scale, this.#support];
    const { objective, scores, testRows, folds, method } = outOfFold;
    const [value_forest = { base: 0, trees: [] }] = forests;
    const tested = {
      targets: pick(objective.target, testRows),
      predictions: pick(scores.values, testRows).map((standard) =>
        toStandard(scale, settle(support, fromStandard(scale, standard))),
      ),
      predictedErrors,
      reaches: pick(reaches, testRows),
    };
    const target_deviation = standardDeviation(this.objective.target);
    // Forests that are trained on all rows know the mean of those that measure.
    const [only] = folds.length === 1 ? folds : [];
    const mean = only?.forests[0]?.base ?? value_forest.base;
    return {
      task: 'regression',
      target: table.target,
      ...(table.missingWords && { missing_words: table.missingWords }),
      target_reading: table.targetReading ?? null,
      row_count: table.rowCount,
      columns,
      metrics: measure(tested, { mean, deviation: target_deviation, scale, isInOrder: method === 'last' }),
      features,
      target_scale: scale,
      target_support: support,
      value_forest,
      ...errorModel,
      target_deviation,
      partial_rows: partial,
    };
  }
}

/** Returns `reachTo` for values in standard units. */
function reachInStandard(scale: TargetScale, support: TargetSupport, rounding: Rounding) {
  if (support.values === null && !support.is_whole) {
    return (predicted: number, actual: number) => Math.abs(actual - predicted);
  }
  // In units and back again, a value of the target is itself only almost.
  const exact = (standard: number) => {
    const value = fromStandard(scale, standard);
    return support.is_whole ? Math.round(value) + 0 : nearestTo(support, value);
  };
  return (predicted: number, actual: number) => {
    // Rounded, a mean may become whole, and its narrowest interval that number alone.
    const answered = rounding.nearest(fromStandard(scale, predicted));
    const reach = reachTo(support, answered, exact(actual));
    // Two doubles may be further apart than any double says; their distance in standard units does as well.
    return Number.isFinite(reach) ? reach / scale.magnitude / scale.spread : Math.abs(actual - predicted);
  };
}
