import { ForestScorer } from '../forest/forest-scorer.js';
import { ErrorEstimator, type WidthChoice, widestReach } from '../intervals/conformal.js';
import {
  fromStandard,
  lengthFromStandard,
  Rounding,
  type TargetSupport,
  withinSupport,
} from '../intervals/target-range.js';
import type { RegressionModel } from '../model/model.js';
import type { PartialRows } from '../model/partial-rows.js';
import type { Steps } from '../steps.js';
import { cellText, parseNumber } from '../table/cells.js';
import type { NumberReading } from '../table/reading/column-reading.js';
import { readerOf } from '../table/reading/tell-reading.js';
import type { Prediction } from './prediction.js';
import type { RowBlock } from './row-binner.js';
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
  /** Predicted values and errors in standard units; in place of the errors, later, the reaches of the intervals. */
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
    // Loops of little each: in one of all, the numbers between the steps would be objects.
    chooseWidths(count, workspace, choices, predicted);
    this.#bound(count, workspace, predicted);
    keepWithinSupport(this.#model.target_support, count, predicted);
  }

  /** Writes the standards and errors of the rows that are binned. */
  #score(count: number, { binned, indexes, standards, errors }: Workspace): void {
    const ordinaryCount = sortByKind(binned.isPartial, count, indexes);
    // A view costs more than the scoring of a row.
    const ordinary =
      ordinaryCount === indexes.length ? indexes : indexes.subarray(0, ordinaryCount);
    standards.fill(this.#model.value_forest.base, 0, count);
    this.#values.addToAll(standards, binned.bins, count);
    this.#errors.write(errors, ordinary, binned.bins, count);
    if (!this.#partial || ordinaryCount === count) return;
    const partial = indexes.subarray(ordinaryCount, count);
    this.#partial.correct(standards, partial, binned.bins, count);
    this.#partial.errors.write(errors, partial, binned.bins, count);
  }

  /** Writes the predicted values, and the bounds at the reaches that stand in place of the errors. */
  #bound(count: number, { standards, errors }: Workspace, predicted: PredictedRows): void {
    const { values, mins, maxs } = predicted;
    const { target_scale } = this.#model;
    const rounding = this.#rounding;
    for (let index = 0; index < count; index++) {
      const standard = standards[index] ?? 0;
      const reach = errors[index] ?? 0;
      values[index] = rounding.nearest(fromStandard(target_scale, standard));
      mins[index] = rounding.down(fromStandard(target_scale, standard - reach));
      maxs[index] = rounding.up(fromStandard(target_scale, standard + reach));
    }
  }
}

/** Writes the confidences, and the reach of each interval in place of the predicted error. */
function chooseWidths(
  count: number,
  { errors, binned }: Workspace,
  { ordinary, partial }: WidthChoices,
  { confidences }: PredictedRows,
): void {
  for (let index = 0; index < count; index++) {
    const error = errors[index] ?? 0;
    const { level, score } = binned.isPartial[index] === 1 ? partial(error) : ordinary(error);
    confidences[index] = level;
    errors[index] = score * error;
  }
}

function keepWithinSupport(
  support: TargetSupport,
  count: number,
  { values, mins, maxs }: PredictedRows,
): void {
  for (let index = 0; index < count; index++) {
    const value = values[index] ?? 0;
    const kept = withinSupport(support, { value, min: mins[index] ?? 0, max: maxs[index] ?? 0 });
    values[index] = kept.value;
    mins[index] = kept.min;
    maxs[index] = kept.max;
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

/** Predicts the errors of partial rows. */
export class PartialEstimator {
  readonly errors: ErrorEstimator;
  readonly #base: number;
  readonly #corrections: ForestScorer;

  static *create(partialRows: PartialRows): Steps<PartialEstimator> {
    const { base, trees } = partialRows.correction_forest;
    const errors = yield* ErrorEstimator.create(partialRows);
    return new PartialEstimator(errors, base, yield* ForestScorer.create(trees));
  }

  private constructor(errors: ErrorEstimator, base: number, corrections: ForestScorer) {
    this.errors = errors;
    this.#base = base;
    this.#corrections = corrections;
  }

  /**
   * Adds the corrections of the given rows to what the value forest said of them.
   *
   * @param bins as for `ForestScorer.addTo`.
   */
  correct(values: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    for (const row of rows) values[row] = (values[row] ?? 0) + this.#base;
    this.#corrections.addTo(values, rows, bins, stride);
  }
}

/** The predictions of some rows, by row. */
export class PredictedRows {
  readonly values: Float64Array;
  readonly confidences: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;

  /** Reads the text of a row's own value of the target. */
  readonly readActual: (text: string) => number;

  /**
   * @param most the most rows that it is to hold at once.
   * @param reading how the target was read in training.
   */
  constructor(most: number, reading: NumberReading | null) {
    this.readActual = readerOf('number', reading);
    this.values = new Float64Array(most);
    this.confidences = new Float64Array(most);
    this.mins = new Float64Array(most);
    this.maxs = new Float64Array(most);
  }

  /** Whether a target lies outside a row's interval; null, if it is no number. */
  anomaly(index: number, actual: number): boolean | null {
    if (Number.isNaN(actual)) return null;
    return actual < (this.mins[index] ?? 0) || actual > (this.maxs[index] ?? 0);
  }

  /**
   * @param original the row's own value of the target, as sent.
   * @param actual the number that it is read as, if it is one.
   */
  prediction(index: number, original: unknown, actual: number): Prediction {
    return {
      value: this.values[index] ?? 0,
      confidence: this.confidences[index] ?? 0,
      min: this.mins[index] ?? 0,
      max: this.maxs[index] ?? 0,
      original,
      anomaly: this.anomaly(index, actual),
    };
  }
}

/** Reads a row's own value of the target as training does; NaN if it is no number. */
export function actualValue(original: unknown, read = parseNumber): number {
  if (typeof original === 'number') return original;
  return original === null ? Number.NaN : read(cellText(original));
}
