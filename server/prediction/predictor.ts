import { AnswerWriter } from './answer-writer.js';
import {
  allWidths,
  groupOf,
  HIGHEST_LEVEL,
  highestWithin,
  LOWEST_LEVEL,
  type Width,
  widthAt,
} from './calibration.js';
import { cellText, parseNumber } from './cells.js';
import { createEncoder, type Encoder } from './encoder.js';
import { predictedError } from './error-model.js';
import { ForestScorer } from './forest-scorer.js';
import type { Model } from './model.js';
import type { Prediction } from './prediction.js';
import { ownValue } from './row-object.js';
import { fromStandard } from './target-scale.js';

export interface PredictOptions {
  /**
   * The level, 0.01 to 0.99, that every interval is to keep. Without it each row gets the highest
   * level whose interval is no wider than one standard deviation of the target.
   */
  confidence?: number;
}

/** Rows that are scored together: their bins stay in the processor's first cache. */
const BLOCK = 256;

/** Chooses the width of a row's interval, given its group and its predicted error. */
type WidthChoice = (group: number, error: number) => Width;

/** A model made ready for answering. May be used by any number of callers in turn. */
export class Predictor {
  readonly #model: Model;
  readonly #writer: AnswerWriter;
  readonly #inputs: readonly { name: string; encoder: Encoder }[];
  readonly #values: ForestScorer;
  readonly #errors: ForestScorer;
  /** For each group the widths at every level. */
  readonly #widths: readonly (readonly Width[])[];

  constructor(model: Model) {
    this.#model = model;
    this.#writer = new AnswerWriter(model);
    this.#inputs = model.features.flatMap(({ column, cuts }) => {
      const summary = model.columns[column];
      return summary ? [{ name: summary.name, encoder: createEncoder(summary, cuts) }] : [];
    });
    this.#values = new ForestScorer(model.value_forest.trees);
    this.#errors = new ForestScorer(model.error_forest.trees);
    this.#widths = model.calibration.scores.map(allWidths);
  }

  /**
   * Predicts the target of each row. An object gives its values by column name; any other value
   * gives none.
   *
   * @throws {RangeError} if `confidence` is not within 0.01 to 0.99.
   */
  predict(rows: readonly unknown[], options: PredictOptions = {}): Prediction[] {
    const choose = this.#widthChoice(options);
    return [...blocksOf(rows)].flatMap((block) => this.#predictBlock(block, choose));
  }

  /**
   * The answer to a prediction request as JSON text, in pieces of up to 256 rows, so that a server
   * can serve others in between. Joined, they are one array with an object a row: the model's
   * input columns as sent, the columns derived from the target, and the columns that close a row.
   *
   * @throws {RangeError} at once, if `confidence` is not within 0.01 to 0.99.
   */
  answer(rows: readonly unknown[], options: PredictOptions = {}): Generator<string> {
    return this.#pieces(rows, this.#widthChoice(options));
  }

  *#pieces(rows: readonly unknown[], choose: WidthChoice): Generator<string> {
    let opening = '[';
    for (const block of blocksOf(rows)) {
      const predictions = this.#predictBlock(block, choose);
      yield opening + predictions.map((p, index) => this.#writer.row(block[index], p)).join(',');
      opening = ',';
    }
    yield opening === '[' ? '[]' : ']';
  }

  #widthChoice({ confidence }: PredictOptions): WidthChoice {
    if (confidence === undefined) {
      const widest = this.#model.target_deviation / 2;
      return (group, error) => highestWithin(this.#widths[group] ?? [], widest / error);
    }
    if (!(confidence >= LOWEST_LEVEL && confidence <= HIGHEST_LEVEL)) {
      throw new RangeError(`The confidence must be within 0.01 to 0.99, but is ${confidence}.`);
    }
    const widths = this.#model.calibration.scores.map((scores) => widthAt(scores, confidence));
    return (group) => widths[group] ?? { level: LOWEST_LEVEL, score: 0 };
  }

  #predictBlock(rows: readonly unknown[], choose: WidthChoice): Prediction[] {
    const bins = this.#binRows(rows);
    const indexes = Uint32Array.from(rows, (_, index) => index);
    const values = new Float64Array(rows.length).fill(this.#model.value_forest.base);
    this.#values.addTo(values, indexes, bins, rows.length);
    const errors = new Float64Array(rows.length).fill(this.#model.error_forest.base);
    this.#errors.addTo(errors, indexes, bins, rows.length);
    return rows.map((row, index) =>
      this.#prediction(row, values[index] ?? 0, errors[index] ?? 0, choose),
    );
  }

  #binRows(rows: readonly unknown[]): Uint8Array {
    const bins = new Uint8Array(this.#inputs.length * rows.length);
    for (const [feature, { name, encoder }] of this.#inputs.entries()) {
      const offset = feature * rows.length;
      for (let index = 0; index < rows.length; index++) {
        bins[offset + index] = encoder.bin(ownValue(rows[index], name));
      }
    }
    return bins;
  }

  #prediction(row: unknown, standard: number, errorSum: number, choose: WidthChoice): Prediction {
    const { target, target_scale, error_floor, calibration } = this.#model;
    const error = predictedError(errorSum, error_floor);
    const { level, score } = choose(groupOf(calibration.upper_bounds, error), error);
    const min = fromStandard(target_scale, standard - score * error);
    const max = fromStandard(target_scale, standard + score * error);
    const original = ownValue(row, target);
    const truth = parseNumber(cellText(original));
    return {
      value: fromStandard(target_scale, standard),
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
