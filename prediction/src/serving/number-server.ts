import { ForestScorer } from '../trees/forest/forest-scorer.js';
import { ErrorEstimator, type WidthChoice, widestReach } from '../intervals/conformal.js';
import {
  type Bounded,
  fromStandard,
  lengthFromStandard,
  Rounding,
  withinSupport,
} from '../intervals/target-range.js';
import type { RegressionModel } from '../model/model.js';
import type { PartialRows } from '../model/partial-rows.js';
import type { Steps } from '../trees/steps.js';
import { cellText } from '../table/cells.js';
import { derivedColumns } from '../table/column-names.js';
import { readerOf } from '../table/reading/tell-reading.js';
import { type AnswerLayout, flagChoice, layOutAnswer } from './answer-layout.js';
import { type BinnedRows, RowBinner, type RowBlock, sortByKind } from './row-binner.js';
import type { TaskAnswer, TaskServer } from './row-server.js';

/** A predicted target; its numbers are finite, and min ≤ value ≤ max. */
export interface Prediction {
  value: number;
  /**
   * Of the rows answered with confidence c, a share c has its true value between min and max. It
   * is below the level asked for where the model has seen too few rows to promise that one.
   */
  confidence: number;
  min: number;
  max: number;
  /** The row's own value of the target, as sent; null if it has none. */
  original: unknown;
  /** Whether the original lies outside min and max; null if it is no number. */
  anomaly: boolean | null;
}

/** The places of the numbers of a row. */
const [VALUE, CONFIDENCE, MIN, MAX] = [0, 1, 2, 3];
const NUMBERS = 4;

/** The choice of a row: whether its own value is an anomaly. */
const ANOMALY = 0;

function numberLayout(model: RegressionModel): AnswerLayout {
  const { original, confidence, min, max, anomaly, explain } = derivedColumns(model.target);
  const value = { kind: 'number', at: VALUE } as const;
  const level = { kind: 'number', at: CONFIDENCE } as const;
  const lower = { kind: 'number', at: MIN } as const;
  const upper = { kind: 'number', at: MAX } as const;
  const outside = { kind: 'flag', at: ANOMALY } as const;
  return layOutAnswer(model, true, (truth) => [
    { name: model.target, ...value, inTables: 'always' },
    { name: original, ...truth, inTables: 'explained' },
    { name: confidence, ...level, inTables: 'always' },
    { name: min, ...lower, inTables: 'always' },
    { name: max, ...upper, inTables: 'always' },
    { name: anomaly, ...outside, inTables: 'explained' },
    {
      name: explain,
      kind: 'object',
      members: [
        { name: 'predicted_value', ...value },
        { name: 'confidence', ...level },
        { name: 'anomaly', ...outside },
        { name: 'truth', ...truth },
        { name: 'confidence_lower_bound', ...lower },
        { name: 'confidence_upper_bound', ...upper },
      ],
      inTables: 'explained',
    },
  ]);
}

/** The parts of a regressor. */
interface Parts {
  readonly values: ForestScorer;
  readonly errors: ErrorEstimator;
  readonly partial: PartialEstimator | null;
  readonly rounding: Rounding;
  /** Reads the text of a row's own value of the target. */
  readonly readActual: (text: string) => number;
}

/** Predicts rows as numbers, each with an interval. */
export class NumberServer implements TaskServer<Prediction> {
  readonly layout: AnswerLayout;

  static *create(model: RegressionModel): Steps<NumberServer> {
    const { value_forest, partial_rows, target_scale, target_deviation, target_reading } = model;
    return new NumberServer(model, yield* RowBinner.create(model), {
      values: yield* ForestScorer.create(value_forest.trees),
      errors: yield* ErrorEstimator.create(model),
      partial: partial_rows && (yield* PartialEstimator.create(partial_rows)),
      rounding: new Rounding(lengthFromStandard(target_scale, target_deviation)),
      readActual: readerOf('number', target_reading),
    });
  }

  private constructor(
    private readonly model: RegressionModel,
    readonly binner: RowBinner,
    private readonly parts: Parts,
  ) {
    this.layout = numberLayout(model);
  }

  /** @param confidence the level of every interval; undefined, for the highest within a deviation. */
  begin(confidence: number | undefined, maxRows: number): PredictedNumbers {
    const widest = widestReach(this.model.target_deviation);
    const choice = (errors: ErrorEstimator) =>
      confidence === undefined ? errors.widthsWithin(widest) : errors.widthsAt(confidence);
    const { errors, partial } = this.parts;
    const ordinary = choice(errors);
    const widths = { ordinary, partial: partial ? choice(partial.errors) : ordinary };
    return new PredictedNumbers(this.model, this.parts, widths, this.binner.room(maxRows), maxRows);
  }
}

/** The choice of interval widths, by kind of row. */
interface WidthChoices {
  readonly ordinary: WidthChoice;
  readonly partial: WidthChoice;
}

class PredictedNumbers implements TaskAnswer<Prediction> {
  readonly numbers: Float64Array;
  readonly #model: RegressionModel;
  readonly #parts: Parts;
  readonly #widths: WidthChoices;
  readonly #binned: BinnedRows;
  /** Indexes of the rows at hand: ordinary ones from the front, partial ones from the end. */
  readonly #indexes: Uint32Array;
  /** Predicted values and errors in standard units; in place of the errors, later, the reaches of the intervals. */
  readonly #standards: Float64Array;
  readonly #errors: Float64Array;

  constructor(
    model: RegressionModel,
    parts: Parts,
    widths: WidthChoices,
    binned: BinnedRows,
    maxRows: number,
  ) {
    this.#model = model;
    this.#parts = parts;
    this.#widths = widths;
    this.#binned = binned;
    this.#indexes = new Uint32Array(maxRows);
    this.#standards = new Float64Array(maxRows);
    this.#errors = new Float64Array(maxRows);
    this.numbers = new Float64Array(maxRows * NUMBERS);
  }

  predict(block: RowBlock): void {
    const count = block.rowCount;
    block.bin(this.#binned);
    this.#score(count);
    // Loops of little each: in one of all, the numbers between the steps would be objects.
    this.#chooseWidths(count);
    this.#bound(count);
    this.#keepWithinSupport(count);
  }

  writeChoices(row: number, original: unknown, choices: Uint8Array, at: number): void {
    choices[at + ANOMALY] = flagChoice(this.#isAnomaly(row, original));
  }

  prediction(row: number, original: unknown): Prediction {
    const at = row * NUMBERS;
    const { value, min, max } = boundedAt(this.numbers, at);
    const confidence = this.numbers[at + CONFIDENCE] ?? 0;
    return { value, confidence, min, max, original, anomaly: this.#isAnomaly(row, original) };
  }

  /** Whether a row's own value lies outside its interval; null, if it is no number. */
  #isAnomaly(row: number, original: unknown): boolean | null {
    if (original === null) return null;
    const actual =
      typeof original === 'number' ? original : this.#parts.readActual(cellText(original));
    if (Number.isNaN(actual)) return null;
    const at = row * NUMBERS;
    return actual < (this.numbers[at + MIN] ?? 0) || actual > (this.numbers[at + MAX] ?? 0);
  }

  /** Writes the standards and errors of the rows that are binned. */
  #score(count: number): void {
    const { values, errors, partial } = this.#parts;
    const { bins, isPartial } = this.#binned;
    const ordinaryCount = sortByKind(isPartial, count, this.#indexes);
    const isAll = ordinaryCount === this.#indexes.length;
    // A view of memory costs more than to score a row.
    const ordinary = isAll ? this.#indexes : this.#indexes.subarray(0, ordinaryCount);
    this.#standards.fill(this.#model.value_forest.base, 0, count);
    values.addToAll(this.#standards, bins, count);
    errors.write(this.#errors, ordinary, bins, count);
    if (!partial || ordinaryCount === count) return;
    const others = this.#indexes.subarray(ordinaryCount, count);
    partial.correct(this.#standards, others, bins, count);
    partial.errors.write(this.#errors, others, bins, count);
  }

  /** Writes the confidences, and the reach of each interval in place of the predicted error. */
  #chooseWidths(count: number): void {
    const { numbers } = this;
    const { isPartial } = this.#binned;
    const { ordinary, partial } = this.#widths;
    const errors = this.#errors;
    for (let row = 0; row < count; row++) {
      const error = errors[row] ?? 0;
      const { level, score } = isPartial[row] === 1 ? partial(error) : ordinary(error);
      numbers[row * NUMBERS + CONFIDENCE] = level;
      errors[row] = score * error;
    }
  }

  /** Writes the predicted values, and the bounds at the reaches that stand in place of the errors. */
  #bound(count: number): void {
    const { numbers } = this;
    const { target_scale } = this.#model;
    const { rounding } = this.#parts;
    const standards = this.#standards;
    const errors = this.#errors;
    for (let row = 0; row < count; row++) {
      const standard = standards[row] ?? 0;
      const reach = errors[row] ?? 0;
      const at = row * NUMBERS;
      numbers[at + VALUE] = rounding.nearest(fromStandard(target_scale, standard));
      numbers[at + MIN] = rounding.down(fromStandard(target_scale, standard - reach));
      numbers[at + MAX] = rounding.up(fromStandard(target_scale, standard + reach));
    }
  }

  #keepWithinSupport(count: number): void {
    const { numbers } = this;
    const { target_support } = this.#model;
    for (let row = 0; row < count; row++) {
      const at = row * NUMBERS;
      const kept = withinSupport(target_support, boundedAt(numbers, at));
      numbers[at + VALUE] = kept.value;
      numbers[at + MIN] = kept.min;
      numbers[at + MAX] = kept.max;
    }
  }
}

function boundedAt(numbers: Float64Array, at: number): Bounded {
  return {
    value: numbers[at + VALUE] ?? 0,
    min: numbers[at + MIN] ?? 0,
    max: numbers[at + MAX] ?? 0,
  };
}

/** Predicts the errors of partial rows. */
class PartialEstimator {
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
