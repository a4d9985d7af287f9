import { type AdaptedCalibration, shiftAt } from '../../calibration/adapting.js';
import { describeWidths } from '../../calibration/trained-calibration.js';
import { ErrorEstimator, type WidthChoice, widestReach } from '../../intervals/conformal.js';
import {
  type Bounded,
  fromStandard,
  lengthFromStandard,
  Rounding,
  withinSupport,
} from '../../intervals/target-range.js';
import type { PromisedTarget } from '../../promises/subject.js';
import {
  ANOMALY,
  CONFIDENCE,
  EXPLAINED_SHARE,
  flagChoice,
  isOutside,
  layOutInterval,
  MAX,
  MIN,
  VALUE,
} from '../../rows/answer-layout.js';
import { BlockExplainer, type Explanation, ModelExplainer } from '../../rows/block-explainer.js';
import { BlockScorer, ModelScorers, RowBinner, type RowBlock } from '../../rows/row-binner.js';
import type { AskedNumbers, TaskAnswer, TaskServer } from '../../serving/row-server.js';
import { baseColumn, contributionColumn } from '../../table/column-names.js';
import { createCellReader } from '../../table/reading/create-reader.js';
import { scorerMemory } from '../../trees/forest/forest-scorer.js';
import { countTrees } from '../../trees/forest/tree.js';
import type { Steps } from '../../trees/steps.js';
import type { RegressionModel } from './model.js';

/** A predicted target; its numbers are finite, and min ≤ value ≤ max. */
export interface Prediction {
  value: number;
  /**
   * Among the rows answered with confidence c, a share c has its true value between min and max. It
   * is below the level asked for where the model has seen too few rows to promise it.
   */
  confidence: number;
  min: number;
  max: number;
  /** The row's own value of the target, as sent; null if it has none. */
  original: unknown;
  /** True if the original lies outside min and max; null if it is not a number. */
  anomaly: boolean | null;
  /** Where it was asked for. */
  explanation?: Explanation;
}

/** The numbers of a row, apart from the base and the contributions, which stand behind them. */
const NUMBERS = 4;

/** A model without its trees, which the scorers have in a separate form. */
type Facts = Omit<RegressionModel, 'value_forest' | 'error_forest' | 'partial_rows'>;

interface Parts {
  readonly model: Facts;
  readonly binner: RowBinner;
  readonly scorers: ModelScorers;
  /** The errors of ordinary rows, and of partial ones. */
  readonly errors: ErrorEstimator;
  readonly partialErrors: ErrorEstimator | null;
  readonly rounding: Rounding;
  /** Undefined for a model of a release before 0.3.0. */
  readonly explainer: ModelExplainer | undefined;
  readonly explainedRounding: Rounding;
  /** Reads a row's own value of the target. */
  readonly readActual: (original: unknown) => number;
}

/** Makes a regressor ready to predict rows as numbers, each with an interval. */
export function* serveNumbers(model: RegressionModel): Steps<TaskServer<Prediction>> {
  const { value_forest, error_forest, partial_rows, ...facts } = model;
  const { target_scale, target_deviation, target_reading, missing_words, metrics } = facts;
  const { keeps_mean } = facts.target_support;
  const memory = scorerMemory();
  const corrections = partial_rows ? [partial_rows.correction_forest] : undefined;
  const parts: Parts = {
    model: facts,
    binner: yield* RowBinner.create(model),
    scorers: yield* ModelScorers.create([value_forest], corrections, memory),
    errors: yield* ErrorEstimator.create(model, memory),
    partialErrors: partial_rows && (yield* ErrorEstimator.create(partial_rows, memory)),
    rounding: new Rounding(lengthFromStandard(target_scale, target_deviation)),
    explainer: ModelExplainer.of(model, [value_forest], corrections),
    explainedRounding: new Rounding(EXPLAINED_SHARE * lengthFromStandard(target_scale, target_deviation)),
    readActual: createCellReader('number', target_reading, missing_words?.target),
  };
  const { binner, scorers, errors, partialErrors } = parts;
  const ofPartial = partial_rows ? [partial_rows.correction_forest, partial_rows.error_forest] : [];
  return {
    layout: layOutInterval(facts),
    binner,
    forestBytes: scorers.bytes + errors.bytes + (partialErrors?.bytes ?? 0) + (parts.explainer?.bytes ?? 0),
    facts,
    trees: countTrees([value_forest, error_forest, ...ofPartial]),
    explainer: parts.explainer,
    contributions: parts.explainer ? nameContributions(model.target, parts.explainer) : [],
    get promised(): PromisedTarget {
      const calibration = { log_widths: describeWidths(facts), ...(keeps_mean && { is_whole: keeps_mean }) };
      const calibrated_rows = metrics.held_out_rows;
      const words = missing_words && { missing_words: missing_words.target };
      return { task: 'regression', reading: target_reading, ...words, classes: [], calibration, calibrated_rows };
    },
    // Each row has its own confidence.
    defaultLevel: undefined,
    begin: (asked, maxRows, adapted) => new PredictedNumbers(parts, adapted, asked, maxRows),
  };
}

function nameContributions(target: string, { names }: ModelExplainer): string[] {
  return [baseColumn(target), ...names.map((name) => contributionColumn(target, name))];
}

class PredictedNumbers implements TaskAnswer<Prediction> {
  readonly numbers: Float64Array;
  readonly #parts: Parts;
  /** The choice of interval widths, by kind of row. */
  readonly #ordinaryWidths: WidthChoice;
  readonly #partialWidths: WidthChoice;
  /** Its scores are the predicted values in standard units. */
  readonly #scorer: BlockScorer;
  /** Predicted errors in standard units; in their place, later, the reaches of the intervals. */
  readonly #errors: Float64Array;
  readonly #explainer: BlockExplainer | undefined;
  /** The numbers of a row. */
  readonly #stride: number;

  /** Without a confidence, each interval has the highest within a deviation. */
  constructor(
    parts: Parts,
    adapted: AdaptedCalibration | undefined,
    { confidence, contributions }: AskedNumbers,
    maxRows: number,
  ) {
    this.#parts = parts;
    const { explainer } = parts;
    this.#explainer = contributions && explainer ? new BlockExplainer(explainer, maxRows) : undefined;
    this.#stride = NUMBERS + (this.#explainer ? 1 + this.#explainer.length : 0);
    const widest = widestReach(parts.model.target_deviation);
    const factorOf = adapted && ((level: number) => Math.exp(shiftAt(adapted.shifts, level)));
    const choose = (errors: ErrorEstimator) =>
      confidence === undefined ? errors.widthsWithin(widest, factorOf) : errors.widthsAt(confidence, factorOf);
    this.#ordinaryWidths = choose(parts.errors);
    this.#partialWidths = parts.partialErrors ? choose(parts.partialErrors) : this.#ordinaryWidths;
    this.#scorer = new BlockScorer(parts.scorers, parts.binner, maxRows);
    this.#errors = new Float64Array(maxRows);
    this.numbers = new Float64Array(maxRows * this.#stride);
  }

  get bins(): Uint8Array {
    return this.#scorer.binned.bins;
  }

  predict(block: RowBlock): void {
    const count = block.rowCount;
    const scorer = this.#scorer;
    const { errors, partialErrors } = this.#parts;
    scorer.score(block);
    errors.write(this.#errors, scorer.ordinary, scorer.binned.bins, count);
    if (scorer.partial.length > 0) {
      partialErrors?.write(this.#errors, scorer.partial, scorer.binned.bins, count);
    }
    // Loops of little each: in one of all, the numbers between the steps would be objects.
    this.#chooseWidths(count);
    this.#bound(count);
    this.#keepWithinSupport(count);
    if (this.#explainer) this.#explain(this.#explainer, count);
  }

  writeChoices(row: number, original: unknown, choices: Uint8Array, at: number): void {
    choices[at + ANOMALY] = flagChoice(this.#isAnomaly(row, original));
  }

  prediction(row: number, original: unknown): Prediction {
    const at = row * this.#stride;
    const { value, min, max } = boundedAt(this.numbers, at);
    const confidence = this.numbers[at + CONFIDENCE] ?? 0;
    const prediction = { value, confidence, min, max, original, anomaly: this.#isAnomaly(row, original) };
    if (!this.#explainer) return prediction;
    const [base = 0] = this.numbers.subarray(at + NUMBERS, at + NUMBERS + 1);
    const contributions = this.numbers.subarray(at + NUMBERS + 1, at + this.#stride);
    return { ...prediction, explanation: this.#explainer.describe(base, contributions) };
  }

  /** Returns whether a row's own value lies outside its interval; null, if it is not a number. */
  #isAnomaly(row: number, original: unknown): boolean | null {
    if (original === null) return null;
    const actual = this.#parts.readActual(original);
    return Number.isNaN(actual) ? null : isOutside(actual, this.numbers, row * this.#stride);
  }

  /** Writes the confidences, and the reach of each interval in place of the predicted error. */
  #chooseWidths(count: number): void {
    const { numbers } = this;
    const stride = this.#stride;
    const { isPartial } = this.#scorer.binned;
    const ordinary = this.#ordinaryWidths;
    const partial = this.#partialWidths;
    const errors = this.#errors;
    for (let row = 0; row < count; row++) {
      const error = errors[row] ?? 0;
      const { level, score } = isPartial[row] === 1 ? partial(error) : ordinary(error);
      numbers[row * stride + CONFIDENCE] = level;
      errors[row] = score * error;
    }
  }

  /** Writes the predicted values, and the bounds at the reaches that stand in place of the errors. */
  #bound(count: number): void {
    const { numbers } = this;
    const { rounding, model } = this.#parts;
    const { target_scale } = model;
    const standards = this.#scorer.scores;
    const errors = this.#errors;
    const stride = this.#stride;
    for (let row = 0; row < count; row++) {
      const standard = standards[row] ?? 0;
      const reach = errors[row] ?? 0;
      const at = row * stride;
      numbers[at + VALUE] = rounding.nearest(fromStandard(target_scale, standard));
      numbers[at + MIN] = rounding.down(fromStandard(target_scale, standard - reach));
      numbers[at + MAX] = rounding.up(fromStandard(target_scale, standard + reach));
    }
  }

  #keepWithinSupport(count: number): void {
    const { numbers } = this;
    const { target_support } = this.#parts.model;
    const stride = this.#stride;
    for (let row = 0; row < count; row++) {
      const at = row * stride;
      const kept = withinSupport(target_support, boundedAt(numbers, at));
      numbers[at + VALUE] = kept.value;
      numbers[at + MIN] = kept.min;
      numbers[at + MAX] = kept.max;
    }
  }

  /** Writes the base and the contributions, which add up to the predicted value before it is rounded and kept in range. */
  #explain(explainer: BlockExplainer, count: number): void {
    const { numbers } = this;
    const { model, explainedRounding: rounding } = this.#parts;
    const { target_scale } = model;
    const { values, bases, length } = explainer;
    explainer.explain(this.#scorer, count, () => 0);
    for (let row = 0; row < count; row++) {
      let at = row * this.#stride + NUMBERS;
      numbers[at++] = rounding.nearest(fromStandard(target_scale, bases[row] ?? 0));
      const end = (row + 1) * length;
      for (let from = row * length; from < end; from++) {
        numbers[at++] = rounding.nearest(lengthFromStandard(target_scale, values[from] ?? 0));
      }
    }
  }
}

function boundedAt(numbers: Float64Array, at: number): Bounded {
  return { value: numbers[at + VALUE] ?? 0, min: numbers[at + MIN] ?? 0, max: numbers[at + MAX] ?? 0 };
}
