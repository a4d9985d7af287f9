import type { Model } from '../model/model.js';
import { ownValue } from '../table/row-object.js';
import { JsonBytes, type Literal, literal } from './json-buffer.js';
import { actualValue, PredictedRows } from './predicted-rows.js';
import type { Prediction } from './prediction.js';
import { AnswerWriter } from './response-writer.js';
import { type RowCheck, RowChecks } from './row-check.js';
import { KeyReader } from './row-keys.js';
import { RowPredictor, type WidthChoices } from './row-predictor.js';

export interface PredictOptions {
  /**
   * The level, 0.01 to 0.99, that every interval is to keep. Without it each row gets the highest
   * level whose interval, before it is rounded, is no wider than one standard deviation of the target.
   */
  confidence?: number;
}

/** Rows that are scored together: their bins stay in the processor's first cache. */
const MAX_ROWS = 256;

/** Cells that are read together: rows of many columns are scored by the dozen, to keep nobody waiting. */
const MAX_CELLS = 8192;

/** Bytes that an answer is handed over in, and a little more. */
const PORTION = 64 * 1024;

/** About what a cell, and the columns that every row has, take; too little only costs a larger portion. */
const CELL_BYTES = 32;
const ROW_BYTES = 512;

/** The text around and between the rows of an answer. */
interface Frame {
  readonly open: Literal;
  readonly between: Literal;
  readonly afterEach: Literal;
  readonly close: Literal;
}

const NOTHING = literal('');
const ARRAY: Frame = {
  open: literal('['),
  between: literal(','),
  afterEach: NOTHING,
  close: literal(']'),
};
const LINES: Frame = {
  open: NOTHING,
  between: NOTHING,
  afterEach: literal('\n'),
  close: NOTHING,
};

/** A model made ready for answering. May be used by any number of callers in turn. */
export class Predictor {
  readonly #target: string;
  readonly #columnCount: number;
  readonly #writer: AnswerWriter;
  readonly #predictor: RowPredictor;
  readonly #checks: RowChecks;

  constructor(model: Model) {
    this.#target = model.target;
    this.#columnCount = model.columns.length;
    this.#writer = new AnswerWriter(model);
    this.#predictor = new RowPredictor(model);
    this.#checks = new RowChecks(model);
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
    for (const { block, predicted } of this.#blocks(rows, choices)) {
      for (const [index, row] of block.entries()) {
        const original = ownValue(row, this.#target);
        predictions.push(predicted.prediction(index, original, actualValue(original)));
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
    return this.#portions(rows, this.#predictor.widthChoices(confidence), ARRAY);
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
    return this.#portions(rows, this.#predictor.widthChoices(confidence), LINES);
  }

  /** Begins a check of rows: what the model can make nothing of in them. It predicts nothing. */
  check(): RowCheck {
    return this.#checks.begin();
  }

  *#portions(
    rows: readonly unknown[],
    choices: WidthChoices,
    { open, between, afterEach, close }: Frame,
  ): Generator<Uint8Array> {
    const out = new JsonBytes(this.#room(rows.length));
    out.literal(open);
    for (const { start, block, predicted } of this.#blocks(rows, choices)) {
      for (let index = 0; index < block.length; index++) {
        if (start + index > 0) out.literal(between);
        this.#writer.row(out, block[index], predicted, index);
        out.literal(afterEach);
        if (out.length >= PORTION) yield out.take();
      }
    }
    out.literal(close);
    if (out.length > 0) yield out.end();
  }

  /** Rows predicted block by block; what is predicted of one is overwritten by the next. */
  *#blocks(rows: readonly unknown[], choices: WidthChoices) {
    const size = Math.min(this.#blockSize, rows.length);
    const workspace = this.#predictor.workspace(size);
    const predicted = new PredictedRows(size);
    const keys = new KeyReader(this.#checks.names);
    for (let start = 0; start < rows.length; ) {
      const block = keys.read(rows, start, size);
      this.#predictor.predict(block, 0, block.length, choices, workspace, predicted);
      yield { start, block, predicted };
      start += block.length;
    }
  }

  get #blockSize(): number {
    return Math.min(MAX_ROWS, Math.ceil(MAX_CELLS / Math.max(this.#columnCount, 1)));
  }

  #room(rowCount: number): number {
    const rowBytes = ROW_BYTES + CELL_BYTES * this.#columnCount;
    return Math.min(PORTION, rowCount * rowBytes) + rowBytes + 64;
  }
}
