import { needsObjects, type PredictedBlock } from '../../serving/answer-layout.js';
import type { RowBlock } from '../../serving/row-binner.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import { literal, TextBuffer } from '../../serving/text-buffer.js';
import type { AnswerWriter } from '../answer-part.js';
import { CellBlock } from '../cells/cell-block.js';
import { MAX_BLOCK_BYTES } from '../columns/byte-budget.js';
import { CellWriter, type Separators } from './cell-writer.js';

const OPEN = literal('[');
const COMMA = literal(',');
const CLOSE = literal(']');
const LINE_END = literal('\n');

/** The text around rows. */
const FIRST: Separators = { before: 0, behind: 0 };
const LATER: Separators = { before: 0x2c, behind: 0 };
const LINE: Separators = { before: 0, behind: 0x0a };

/** Bytes to begin with. */
const CAPACITY = 80 * 1024;

/** To prepare the kernel takes about as long as to write this many rows without it. */
const MIN_CELL_ROWS = 16;

/** Writes an array of answer rows, or one row a line. */
export class JsonWriter implements AnswerWriter {
  readonly #blocks: BlockPredictor;
  readonly #areLines: boolean;
  readonly #out = new TextBuffer(CAPACITY);
  #isBegun = false;
  #cells: CellWriter | undefined;

  constructor(blocks: BlockPredictor, to: 'json' | 'ndjson') {
    this.#blocks = blocks;
    this.#areLines = to === 'ndjson';
  }

  get length(): number {
    return this.#out.length;
  }

  *write(block: RowBlock, predicted: PredictedBlock): Generator<void> {
    if (block instanceof CellBlock && this.#writesCells(block)) {
      yield* this.#writeCells(block, predicted);
      return;
    }
    for (let index = 0; index < block.rowCount; index++) {
      this.#writeObject(block, predicted, index);
      if (this.#out.length >= MAX_BLOCK_BYTES) yield;
    }
  }

  end(): void {
    if (this.#areLines) return;
    if (!this.#isBegun) this.#out.literal(OPEN);
    this.#out.literal(CLOSE);
  }

  take(): Uint8Array {
    return this.#out.take();
  }

  #writesCells({ rowCount }: CellBlock): boolean {
    if (this.#cells) return true;
    return rowCount >= MIN_CELL_ROWS && !needsObjects(this.#blocks.layout);
  }

  #writeObject(block: RowBlock, predicted: PredictedBlock, index: number): void {
    if (!this.#areLines) this.#out.literal(this.#isBegun ? COMMA : OPEN);
    this.#isBegun = true;
    this.#blocks.writer.write(this.#out, block.row(index), predicted, index);
    if (this.#areLines) this.#out.literal(LINE_END);
  }

  *#writeCells(block: CellBlock, predicted: PredictedBlock): Generator<void> {
    this.#cells ??= new CellWriter(this.#blocks, block);
    this.#cells.begin(block, predicted);
    let written = 0;
    for (const index of block.others.keys()) {
      yield* this.#writeRows(this.#cells, block, written, index);
      this.#writeObject(block, predicted, index);
      written = index + 1;
    }
    yield* this.#writeRows(this.#cells, block, written, block.rowCount);
  }

  *#writeRows(cells: CellWriter, block: CellBlock, from: number, to: number): Generator<void> {
    if (from === to) return;
    if (this.#areLines) {
      yield* cells.write(this.#out, block, from, to, LINE);
    } else if (this.#isBegun) {
      yield* cells.write(this.#out, block, from, to, LATER);
    } else {
      this.#out.literal(OPEN);
      this.#isBegun = true;
      yield* cells.write(this.#out, block, from, from + 1, FIRST);
      yield* cells.write(this.#out, block, from + 1, to, LATER);
    }
  }
}
