import { ForestScorer } from '../forest/forest-scorer.js';
import type { RowBlock } from '../formats/row-block.js';
import { widestReach } from '../intervals/conformal.js';
import { ErrorEstimator, type WidthChoice } from '../intervals/interval-width.js';
import { Rounding } from '../intervals/rounding.js';
import { withinSupport } from '../intervals/target-range.js';
import { fromStandard, lengthFromStandard } from '../intervals/target-scale.js';
import type { RegressionModel } from '../model/model.js';
import type { Steps } from '../steps.js';
import { PartialEstimator } from './partial-estimator.js';
import type { PredictedRows } from './predicted-rows.js';
import { type BinnedRows, RowBinner } from './row-binner.js';

/** The choice of interval widths, by kind of row. */
export interface WidthChoices {
  readonly ordinary: WidthChoice;
  readonly partial: WidthChoice;
}

/** Arrays that one answer after another block works in. */
export interface Workspace {
  readonly binned: BinnedRows;
  /** Indexes of the rows at hand: ordinary ones from the front, partial ones from the end. */
  readonly indexes: Uint32Array;
  /** Predicted values and errors in standard units. */
  readonly standards: Float64Array;
  readonly errors: Float64Array;
}

/** From rows to predicted values and intervals. */
export class RowPredictor {
  readonly #model: RegressionModel;
  readonly #binner: RowBinner;
  readonly #values: ForestScorer;
  readonly #errors: ErrorEstimator;
  readonly #partial: PartialEstimator | null;
  readonly #rounding: Rounding;

  static *create(model: RegressionModel): Steps<RowPredictor> {
    const { value_forest, partial_rows } = model;
    return new RowPredictor(
      model,
      yield* RowBinner.create(model),
      yield* ForestScorer.create(value_forest.trees),
      yield* ErrorEstimator.create(model),
      partial_rows && (yield* PartialEstimator.create(partial_rows)),
    );
  }

  private constructor(
    model: RegressionModel,
    binner: RowBinner,
    values: ForestScorer,
    errors: ErrorEstimator,
    partial: PartialEstimator | null,
  ) {
    this.#model = model;
    this.#binner = binner;
    this.#values = values;
    this.#errors = errors;
    this.#partial = partial;
    this.#rounding = new Rounding(lengthFromStandard(model.target_scale, model.target_deviation));
  }

  /**
   * @param confidence the level of every interval; undefined, for the highest within a deviation.
   * @throws {RangeError} if it is not within 0.01 to 0.99.
   */
  widthChoices(confidence: number | undefined): WidthChoices {
    const widest = widestReach(this.#model.target_deviation);
    const choice = (errors: ErrorEstimator) =>
      confidence === undefined ? errors.widthsWithin(widest) : errors.widthsAt(confidence);
    const ordinary = choice(this.#errors);
    return { ordinary, partial: this.#partial ? choice(this.#partial.errors) : ordinary };
  }

  /** @param most the most rows that are predicted at once. */
  workspace(most: number): Workspace {
    return {
      binned: this.#binner.room(most),
      indexes: new Uint32Array(most),
      standards: new Float64Array(most),
      errors: new Float64Array(most),
    };
  }

  get binner(): RowBinner {
    return this.#binner;
  }

  /** Predicts the rows of a block. */
  predict(
    block: RowBlock,
    choices: WidthChoices,
    workspace: Workspace,
    predicted: PredictedRows,
  ): void {
    const count = block.rowCount;
    block.bin(workspace.binned);
    this.#score(count, workspace);
    const { standards, errors, binned } = workspace;
    for (let index = 0; index < count; index++) {
      const isPartial = binned.isPartial[index] === 1;
      const choose = isPartial ? choices.partial : choices.ordinary;
      this.#tell(index, standards[index] ?? 0, errors[index] ?? 0, choose, predicted);
    }
  }

  /** Writes the standards and errors of the rows that are binned. */
  #score(count: number, { binned, indexes, standards, errors }: Workspace): void {
    const ordinaryCount = sortByKind(binned.isPartial, count, indexes);
    const ordinary = indexes.subarray(0, ordinaryCount);
    standards.fill(this.#model.value_forest.base, 0, count);
    this.#values.addToAll(standards, binned.bins, count);
    this.#errors.write(errors, ordinary, binned.bins, count);
    if (!this.#partial || ordinaryCount === count) return;
    const partial = indexes.subarray(ordinaryCount, count);
    this.#partial.correct(standards, partial, binned.bins, count);
    this.#partial.errors.write(errors, partial, binned.bins, count);
  }

  #tell(
    index: number,
    standard: number,
    error: number,
    choose: WidthChoice,
    { values, confidences, mins, maxs }: PredictedRows,
  ): void {
    const { target_scale, target_support } = this.#model;
    const { level, score } = choose(error);
    const reach = score * error;
    const { value, min, max } = withinSupport(target_support, {
      value: this.#rounding.nearest(fromStandard(target_scale, standard)),
      min: this.#rounding.down(fromStandard(target_scale, standard - reach)),
      max: this.#rounding.up(fromStandard(target_scale, standard + reach)),
    });
    confidences[index] = level;
    values[index] = value;
    mins[index] = min;
    maxs[index] = max;
  }
}

/** Writes the indexes of ordinary rows, and behind them those of partial rows. Tells how many are ordinary. */
export function sortByKind(isPartial: Uint8Array, count: number, indexes: Uint32Array): number {
  let ordinaryCount = 0;
  let last = count;
  for (let index = 0; index < count; index++) {
    if (isPartial[index] === 1) indexes[--last] = index;
    else indexes[ordinaryCount++] = index;
  }
  return ordinaryCount;
}
