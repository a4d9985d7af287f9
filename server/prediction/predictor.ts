import { AnswerWriter } from './answer-writer.js';
import { widestReach } from './calibration.js';
import { cellText, parseNumber } from './cells.js';
import { ErrorEstimator, type WidthChoice } from './error-estimator.js';
import { ForestScorer } from './forest-scorer.js';
import type { Model } from './model.js';
import { PartialEstimator } from './partial-estimator.js';
import type { Prediction } from './prediction.js';
import { RowBinner } from './row-binner.js';
import { ownValue } from './row-object.js';
import { fromStandard } from './target-scale.js';
import { withinSupport } from './target-support.js';

export interface PredictOptions {
  /**
   * The level, 0.01 to 0.99, that every interval is to keep. Without it each row gets the highest
   * level whose interval is no wider than one standard deviation of the target.
   */
  confidence?: number;
}

/** Rows that are scored together: their bins stay in the processor's first cache. */
const BLOCK = 256;

/** How the widths of intervals are chosen, by kind of row. */
interface WidthChoices {
  ordinary: WidthChoice;
  partial: WidthChoice;
}

/** A model made ready for answering. May be used by any number of callers in turn. */
export class Predictor {
  readonly #model: Model;
  readonly #writer: AnswerWriter;
  readonly #binner: RowBinner;
  readonly #values: ForestScorer;
  readonly #errors: ErrorEstimator;
  readonly #partial: PartialEstimator | null;

  constructor(model: Model) {
    this.#model = model;
    this.#writer = new AnswerWriter(model);
    this.#binner = new RowBinner(model);
    this.#values = new ForestScorer(model.value_forest.trees);
    this.#errors = new ErrorEstimator(model);
    this.#partial = model.partial_rows && new PartialEstimator(model.partial_rows);
  }

  /**
   * Predicts the target of each row. An object gives its values by column name; any other value
   * gives none.
   *
   * @throws {RangeError} if `confidence` is not within 0.01 to 0.99.
   */
  predict(rows: readonly unknown[], options: PredictOptions = {}): Prediction[] {
    const choices = this.#widthChoices(options);
    return [...blocksOf(rows)].flatMap((block) => this.#predictBlock(block, choices));
  }

  /**
   * The answer to a prediction request as JSON text, in pieces of a row each, so that a server
   * can serve others in between and need not hold the whole. Joined, they are one array with an object a row: the model's
   * input columns as sent, the columns derived from the target, and the columns that close a row.
   *
   * @throws {RangeError} at once, if `confidence` is not within 0.01 to 0.99.
   */
  answer(rows: readonly unknown[], options: PredictOptions = {}): Generator<string> {
    return this.#pieces(rows, this.#widthChoices(options));
  }

  *#pieces(rows: readonly unknown[], choices: WidthChoices): Generator<string> {
    let opening = '[';
    for (const block of blocksOf(rows)) {
      for (const [index, prediction] of this.#predictBlock(block, choices).entries()) {
        yield opening + this.#writer.row(block[index], prediction);
        opening = ',';
      }
    }
    yield opening === '[' ? '[]' : ']';
  }

  #widthChoices({ confidence }: PredictOptions): WidthChoices {
    const widest = widestReach(this.#model.target_deviation);
    const choice = (errors: ErrorEstimator) =>
      confidence === undefined ? errors.widthsWithin(widest) : errors.widthsAt(confidence);
    const ordinary = choice(this.#errors);
    return { ordinary, partial: this.#partial ? choice(this.#partial.errors) : ordinary };
  }

  #predictBlock(rows: readonly unknown[], choices: WidthChoices): Prediction[] {
    const { bins, isPartial } = this.#binner.bin(rows);
    const indexes = Uint32Array.from(rows, (_, index) => index);
    const values = new Float64Array(rows.length).fill(this.#model.value_forest.base);
    this.#values.addTo(values, indexes, bins, rows.length);
    const errors = new Float64Array(rows.length);
    const ordinary = indexes.filter((index) => isPartial[index] === 0);
    this.#errors.write(errors, ordinary, bins, rows.length);
    if (this.#partial && ordinary.length < rows.length) {
      const partial = indexes.filter((index) => isPartial[index] === 1);
      this.#partial.correct(values, partial, bins, rows.length);
      this.#partial.errors.write(errors, partial, bins, rows.length);
    }
    return rows.map((row, index) => {
      const choose = isPartial[index] === 1 ? choices.partial : choices.ordinary;
      return this.#prediction(row, values[index] ?? 0, errors[index] ?? 0, choose);
    });
  }

  #prediction(row: unknown, standard: number, error: number, choose: WidthChoice): Prediction {
    const { target, target_scale, target_support } = this.#model;
    const { level, score } = choose(error);
    const { value, min, max } = withinSupport(target_support, {
      value: fromStandard(target_scale, standard),
      min: fromStandard(target_scale, standard - score * error),
      max: fromStandard(target_scale, standard + score * error),
    });
    const original = ownValue(row, target);
    const truth = parseNumber(cellText(original));
    return {
      value,
      confidence: level,
      min,
      max,
      original,
      anomaly: Number.isNaN(truth) ? null : truth < min || truth > max,
    };
  }
}

function* blocksOf(rows: readonly unknown[]): Generator<readonly unknown[]> {
  for (let start = 0; start < rows.length; start += BLOCK) yield rows.slice(start, start + BLOCK);
}
