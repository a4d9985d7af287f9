import type { BlockPredictor } from '../formats/block-predictor.js';
import type { ClassificationModel } from '../model/class-model.js';
import { type RowCheck, RowChecks } from '../row-check/row-check.js';
import { finish, type Steps } from '../steps.js';
import { ownValue } from '../table/cells.js';
import { AnswerPortions, type RowEngine } from './answer-portions.js';
import type { ClassPrediction } from './class-prediction.js';
import { ClassWriter } from './class-writer.js';
import { ClassReader, PredictedClasses } from './predicted-classes.js';
import type { PredictOptions } from './predictor.js';
import { type ClassWorkspace, RowClassifier, type SetChoices } from './row-classifier.js';
import { RowFrame } from './row-frame.js';

/** The confidence of sets where none is asked for. */
const DEFAULT_CONFIDENCE = 0.9;

/** Room for a block of rows and what is predicted of them. */
interface Block {
  readonly workspace: ClassWorkspace;
  readonly predicted: PredictedClasses;
  /** The sets of the answer at hand. */
  choices: SetChoices | undefined;
}

/** The parts of a classifier that take long to make. */
interface Parts {
  readonly classifier: RowClassifier;
  readonly frame: RowFrame;
  readonly checks: RowChecks;
}

function* createParts(model: ClassificationModel): Steps<Parts> {
  return {
    classifier: yield* RowClassifier.create(model),
    frame: yield* RowFrame.create(model.columns),
    checks: yield* RowChecks.create(model),
  };
}

/** A classifier made ready for answering. May be used by any number of callers in turn. */
export class Classifier {
  readonly #model: ClassificationModel;
  readonly #engine: RowEngine<SetChoices, Block>;
  readonly #names: readonly string[];
  readonly #classifier: RowClassifier;
  readonly #checks: RowChecks;
  readonly #portions: AnswerPortions<SetChoices, Block>;
  readonly #reader: ClassReader;

  static *create(model: ClassificationModel): Steps<Classifier> {
    return new Classifier(model, yield* createParts(model));
  }

  constructor(model: ClassificationModel, parts = finish(createParts(model))) {
    const { classifier, frame, checks } = parts;
    const writer = new ClassWriter(model, frame);
    this.#names = model.classes.map(({ name }) => name);
    this.#classifier = classifier;
    this.#checks = checks;
    this.#reader = new ClassReader(model.classes);
    const engine: RowEngine<SetChoices, Block> = {
      room: (most) => ({
        workspace: classifier.workspace(most),
        predicted: new PredictedClasses(most, model.classes.length),
        choices: undefined,
      }),
      predict: (rows, choices, block) => {
        block.choices = choices;
        classifier.predict(rows, block.workspace, block.predicted);
      },
      write: (out, row, { predicted, choices }, index) => {
        if (choices) writer.row(out, row, predicted, index, chooserOf(choices, predicted, index));
      },
    };
    // A probability is told with the name of its class.
    const perClass =
      1 + Math.ceil(Buffer.byteLength(this.#names.join('')) / this.#names.length / 32);
    this.#model = model;
    this.#engine = engine;
    const valueCount = perClass * this.#names.length;
    this.#portions = new AnswerPortions(engine, classifier.binner, this.#checks.names, valueCount);
  }

  /**
   * Predicts the class of each row. An object gives its values by column name; any other value gives none.
   *
   * @throws {RangeError} if `confidence` is not within 0.01 to 0.99.
   */
  predict(rows: readonly unknown[], { confidence }: PredictOptions = {}): ClassPrediction[] {
    const choices = this.#choices(confidence);
    const predictions: ClassPrediction[] = [];
    for (const { read, block } of this.#portions.blocks(rows, choices)) {
      const { predicted } = block;
      for (const [index, row] of read.entries()) {
        const original = ownValue(row, this.#model.target);
        const chooser = chooserOf(choices, predicted, index);
        const actual = this.#reader.of(original);
        predictions.push(predicted.prediction(index, this.#names, chooser, original, actual));
      }
    }
    return predictions;
  }

  /**
   * The answer to a prediction request: see `Predictor.answer`. Its rows have a set of classes in place of
   * bounds, which are null.
   *
   * @throws {RangeError} at once, if `confidence` is not within 0.01 to 0.99.
   */
  answer(
    rows: readonly unknown[],
    { confidence }: PredictOptions = {},
  ): IterableIterator<Uint8Array> {
    return this.#portions.array(rows, this.#choices(confidence));
  }

  /** As `Predictor.answerOne`. */
  answerOne(row: unknown, { confidence }: PredictOptions = {}): string {
    return this.#portions.one(row, this.#choices(confidence));
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
    return this.#portions.lines(rows, this.#choices(confidence));
  }

  /** As `Predictor.blocks`. */
  blocks({ confidence }: PredictOptions = {}): BlockPredictor {
    const choices = this.#choices(confidence);
    const engine = this.#engine;
    const names = this.#names;
    const reader = this.#reader;
    const { maxRows } = this.#portions;
    const room = engine.room(maxRows);
    const { predicted } = room;
    const chooser = (index: number) => chooserOf(choices, predicted, index);
    return {
      ...{ columns: this.#model.columns, target: this.#model.target, maxRows },
      task: 'classification',
      ...{ names: this.#checks.names, binner: this.#classifier.binner },
      predict: (block) => {
        engine.predict(block, choices, room);
        return { task: 'classification', predicted, names, chooserOf: chooser, reader };
      },
      writeJson: (out, row, index) => engine.write(out, row, room, index),
      check: () => this.check(),
    };
  }

  /** As `Predictor.check`. */
  check(): RowCheck {
    return this.#checks.begin();
  }

  #choices(confidence = DEFAULT_CONFIDENCE): SetChoices {
    return this.#classifier.setChoices(confidence);
  }
}

function chooserOf(choices: SetChoices, { isPartial }: PredictedClasses, index: number) {
  return isPartial[index] === 1 ? choices.partial : choices.ordinary;
}
