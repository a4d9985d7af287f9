import { KeyReader, type ModelNames, underModelNames } from '../row-check/row-keys.js';
import { type RowObject, valuesOf } from '../table/cells.js';
import { JsonBuffer, type Literal, literal } from './json-buffer.js';
import type { RowBinner } from './row-binner.js';
import { ObjectBlock, type RowBlock } from './row-binner.js';

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

/**
 * Predicts rows block by block, and writes each as JSON.
 *
 * @typeParam C what is chosen for a whole answer.
 * @typeParam B room for what is predicted of a block of rows.
 */
export interface RowEngine<C, B> {
  /** @param most the most rows of a block. */
  room(most: number): B;
  /** Predicts a block of rows. */
  predict(rows: RowBlock, choice: C, block: B): void;
  /** Writes the row at an index of the block. */
  write(out: JsonBuffer, row: RowObject, block: B, index: number): void;
}

/** Answers in portions. May be used by any number of callers in turn. */
export class AnswerPortions<C, B> {
  readonly #engine: RowEngine<C, B>;
  readonly #binner: RowBinner;
  readonly #names: ModelNames;
  readonly #columnCount: number;
  readonly #valueCount: number;
  /** Room for one row and its answer, which one after another uses. */
  #single: { readonly block: B; readonly out: JsonBuffer } | undefined;

  /** @param valueCount the number of values in a row's answer, without those of the columns. */
  constructor(engine: RowEngine<C, B>, binner: RowBinner, names: ModelNames, valueCount = 0) {
    this.#engine = engine;
    this.#binner = binner;
    this.#names = names;
    this.#columnCount = names.inputs.length;
    this.#valueCount = valueCount;
  }

  /** An array of rows as JSON: see `Predictor.answer`. */
  array(rows: readonly unknown[], choice: C): Generator<Uint8Array> {
    return this.#portions(rows, choice, ARRAY);
  }

  /** An array of one row as JSON: see `Predictor.answerOne`. */
  one(row: unknown, choice: C): string {
    this.#single ??= { block: this.#engine.room(1), out: new JsonBuffer(this.#room(1)) };
    const { block, out } = this.#single;
    const sent = valuesOf(row);
    const read = underModelNames(sent, this.#names.layoutOf(sent));
    this.#engine.predict(new ObjectBlock([read], this.#binner), choice, block);
    out.literal(ARRAY.open);
    this.#engine.write(out, read, block, 0);
    out.literal(ARRAY.close);
    // What is rarely so large is not kept.
    if (out.length > PORTION) this.#single = undefined;
    return out.takeText();
  }

  /** Rows as lines of JSON: see `Predictor.lines`. */
  lines(rows: readonly unknown[], choice: C): Generator<Uint8Array> {
    return this.#portions(rows, choice, LINES);
  }

  *#portions(
    rows: readonly unknown[],
    choice: C,
    { open, between, afterEach, close }: Frame,
  ): Generator<Uint8Array> {
    const out = new JsonBuffer(this.#room(rows.length));
    out.literal(open);
    let isFirst = true;
    for (const { read, block } of this.blocks(rows, choice)) {
      for (const [index, row] of read.entries()) {
        if (!isFirst) out.literal(between);
        isFirst = false;
        this.#engine.write(out, row, block, index);
        out.literal(afterEach);
        if (out.length >= PORTION) yield out.take();
      }
    }
    out.literal(close);
    if (out.length > 0) yield out.end();
  }

  /**
   * Predicts rows block by block, under the names of the model. The predictions of a block are overwritten by those of
   * the next.
   */
  *blocks(rows: readonly unknown[], choice: C) {
    const size = Math.min(this.maxRows, rows.length);
    const block = this.#engine.room(size);
    const keys = new KeyReader(this.#names);
    for (let start = 0; start < rows.length; ) {
      const read = keys.read(rows, start, size);
      this.#engine.predict(new ObjectBlock(read, this.#binner), choice, block);
      yield { read, block };
      start += read.length;
    }
  }

  /** The most rows that are predicted at once. */
  get maxRows(): number {
    return Math.min(MAX_ROWS, Math.ceil(MAX_CELLS / Math.max(this.#columnCount, 1)));
  }

  #room(rowCount: number): number {
    const rowBytes = ROW_BYTES + CELL_BYTES * (this.#columnCount + this.#valueCount);
    return Math.min(PORTION, rowCount * rowBytes) + rowBytes + 64;
  }
}
