import type { BlockPredictor } from '../formats/block-predictor.js';
import type { RegressionModel } from '../model/model.js';
import { type RowCheck, RowChecks } from '../row-check/row-check.js';
import { finish, type Steps } from '../steps.js';
import { ownValue } from '../table/cells.js';
import { AnswerPortions, type RowEngine } from './answer-portions.js';
import type { Prediction } from './prediction.js';
import { ResponseWriter } from './response-writer.js';
import { RowFrame } from './row-frame.js';
import {
  actualValue,
  PredictedRows,
  RowPredictor,
  type WidthChoices,
  type Workspace,
} from './row-predictor.js';

/** Room for a block of rows and what is predicted of them. */
interface Block {
  readonly workspace: Workspace;
  readonly predicted: PredictedRows;
}

export interface PredictOptions {
  /**
   * The level, 0.01 to 0.99, that every interval, or every set of classes, is to keep. A set's is 0.9 without
   * it. Without it each interval gets the highest
   * level whose interval, before it is rounded, is no wider than one standard deviation of the target.
   */
  confidence?: number;
}

/** The parts of a predictor that take long to make. */
interface Parts {
  readonly predictor: RowPredictor;
  readonly frame: RowFrame;
  readonly checks: RowChecks;
}

function* createParts(model: RegressionModel): Steps<Parts> {
  return {
    predictor: yield* RowPredictor.create(model),
    frame: yield* RowFrame.create(model.columns),
    checks: yield* RowChecks.create(model),
  };
}

/** A regressor made ready for answering. May be used by any number of callers in turn. */
export class Predictor {
  readonly #model: RegressionModel;
  readonly #engine: RowEngine<WidthChoices, Block>;
  readonly #predictor: RowPredictor;
  readonly #checks: RowChecks;
  readonly #portions: AnswerPortions<WidthChoices, Block>;

  static *create(model: RegressionModel): Steps<Predictor> {
    return new Predictor(model, yield* createParts(model));
  }

  constructor(model: RegressionModel, parts = finish(createParts(model))) {
    const { predictor, frame, checks } = parts;
    const writer = new ResponseWriter(model, frame);
    this.#predictor = predictor;
    this.#checks = checks;
    const engine: RowEngine<WidthChoices, Block> = {
      room: (most) => ({
        workspace: predictor.workspace(most),
        predicted: new PredictedRows(most, model.target_reading),
      }),
      predict: (block, choices, { workspace, predicted }) =>
        predictor.predict(block, choices, workspace, predicted),
      write: (out, row, { predicted }, index) => writer.row(out, row, predicted, index),
    };
    this.#model = model;
    this.#engine = engine;
    this.#portions = new AnswerPortions(engine, predictor.binner, this.#checks.names);
  }

  /**
   * Predicts the target of each row. An object gives its values by column name, blanks at whose ends do
   * not count; any other value gives none.
   *
   * @throws {RangeError} if `confidence` is not within 0.01 to 0.99.
   */
  predict(rows: readonly unknown[], { confidence }: PredictOptions = {}): Prediction[] {
    const choices = this.#predictor.widthChoices(confidence);
    const predictions: Prediction[] = [];
    for (const { read, block } of this.#portions.blocks(rows, choices)) {
      const { predicted } = block;
      for (const [index, row] of read.entries()) {
        const original = ownValue(row, this.#model.target);
        const actual = actualValue(original, predicted.readActual);
        predictions.push(predicted.prediction(index, original, actual));
      }
    }
    return predictions;
  }

  /**
   * The answer to a prediction request as JSON in UTF-8: one array with an object a row, which has the
   * model's input columns as sent, the columns derived from the target, and the columns that close a
   * row. It comes in portions, each made when it is asked for, of some 64 KB or a little work, so
   * that others can be served in between; they may be kept, as each has memory of its own.
   *
   * @throws {RangeError} at once, if `confidence` is not within 0.01 to 0.99.
   */
  answer(
    rows: readonly unknown[],
    { confidence }: PredictOptions = {},
  ): IterableIterator<Uint8Array> {
    return this.#portions.array(rows, this.#predictor.widthChoices(confidence));
  }

  /**
   * The same for one row, as text, which costs less: nothing is made for it that could not be made before.
   *
   * @throws {RangeError} if `confidence` is not within 0.01 to 0.99.
   */
  answerOne(row: unknown, { confidence }: PredictOptions = {}): string {
    return this.#portions.one(row, this.#predictor.widthChoices(confidence));
  }

  /**
   * The same rows as `answer`, each as a line that ends with "\n" (NDJSON), in portions of whole lines.
   *
   * @throws {RangeError} at once, if `confidence` is not within 0.01 to 0.99.
   */
  lines(
    rows: readonly unknown[],
    { confidence }: PredictOptions = {},
  ): IterableIterator<Uint8Array> {
    return this.#portions.lines(rows, this.#predictor.widthChoices(confidence));
  }

  /**
   * Begins the prediction of rows in any format, for one body.
   *
   * @throws {RangeError} if `confidence` is not within 0.01 to 0.99.
   */
  blocks({ confidence }: PredictOptions = {}): BlockPredictor {
    const choices = this.#predictor.widthChoices(confidence);
    const engine = this.#engine;
    const { maxRows } = this.#portions;
    const room = engine.room(maxRows);
    const { predicted } = room;
    return {
      ...{ columns: this.#model.columns, target: this.#model.target, maxRows },
      task: 'regression',
      ...{ names: this.#checks.names, binner: this.#predictor.binner },
      predict: (block) => {
        engine.predict(block, choices, room);
        return { task: 'regression', predicted };
      },
      writeJson: (out, row, index) => engine.write(out, row, room, index),
      check: () => this.check(),
    };
  }

  /** Begins a check of rows for names and values that the model does not know. It predicts nothing. */
  check(): RowCheck {
    return this.#checks.begin();
  }
}
