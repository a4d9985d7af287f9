import type { PredictedBlock } from '../../rows/answer-layout.js';
import type { BlockPredictor } from '../../rows/blocks.js';
import { ByteBuffer } from '../../rows/byte-buffer.js';
import type { RowBlock } from '../../rows/row-binner.js';
import { RowWriter } from '../../rows/row-writer.js';
import type { AnswerWriter } from '../answer-part.js';
import { CellBlock } from '../cells/cell-block.js';
import { CellMemory } from '../cells/cell-memory.js';
import { ColumnBlock } from '../column-reader.js';
import { MAX_BLOCK_BYTES } from '../columns/byte-budget.js';
import { CSV_FORM, csvHeader } from '../csv/csv-form.js';
import { KernelRows } from './kernel-rows.js';

/** The text around the rows of an answer. Those before and behind a row are a byte or none. */
interface Frame {
  readonly open: string;
  /** Before each row but the first. */
  readonly before: string;
  readonly behind: string;
  readonly close: string;
}

/** Bytes to begin with. */
const CAPACITY = 80 * 1024;

/** To prepare the kernel takes about as long as to write this many rows without it. */
const MIN_KERNEL_ROWS = 16;

/** Writes answers as JSON, lines of JSON or CSV. The kernel writes cells and columns, unless they are few. */
export class TextWriter implements AnswerWriter {
  readonly #blocks: BlockPredictor;
  readonly #frame: Frame;
  readonly #objects: RowWriter;
  readonly #out = new ByteBuffer(CAPACITY);
  #isBegun = false;
  #rows: KernelRows | undefined;
  /** The memory for rows that came by column; null, if it cannot be had. */
  #memory: CellMemory | null | undefined;

  constructor(blocks: BlockPredictor, to: 'json' | 'ndjson' | 'csv') {
    const { layout, writer } = blocks;
    this.#blocks = blocks;
    this.#objects = to === 'csv' ? new RowWriter(layout, CSV_FORM.pieces(layout), CSV_FORM) : writer;
    if (to === 'json') this.#frame = { open: '[', before: ',', behind: '', close: ']' };
    else if (to === 'ndjson') this.#frame = { open: '', before: '', behind: '\n', close: '' };
    else this.#frame = { open: csvHeader(layout), before: '', behind: '', close: '' };
  }

  get length(): number {
    return this.#out.length;
  }

  *write(block: RowBlock, predicted: PredictedBlock): Generator<void> {
    const isFirst = this.#begin();
    if (block instanceof CellBlock || block instanceof ColumnBlock) {
      this.#rows ??= this.#openRows(block);
      if (this.#rows) {
        yield* this.#rows.write(this.#out, block, predicted, isFirst);
        return;
      }
    }
    const { before, behind } = this.#frame;
    for (let index = 0; index < block.rowCount; index++) {
      const row = this.#objects.write(block.row(index), predicted, index);
      this.#out.text((isFirst && index === 0 ? '' : before) + row + behind);
      if (this.#out.length >= MAX_BLOCK_BYTES) yield;
    }
  }

  end(): void {
    this.#begin();
    this.#out.text(this.#frame.close);
  }

  take(): Uint8Array {
    return this.#out.take();
  }

  close(): void {
    this.#memory?.release();
    this.#memory = undefined;
  }

  /** Opens the answer. Returns whether that was to be done. */
  #begin(): boolean {
    if (this.#isBegun) return false;
    this.#isBegun = true;
    this.#out.text(this.#frame.open);
    return true;
  }

  #openRows(block: CellBlock | ColumnBlock): KernelRows | undefined {
    if (block.rowCount < MIN_KERNEL_ROWS) return undefined;
    const memory = block instanceof CellBlock ? block.lent : this.#acquire();
    const { before, behind } = this.#frame;
    return memory && new KernelRows(this.#blocks, memory, this.#objects, [codeOf(before), codeOf(behind)]);
  }

  #acquire(): CellMemory | undefined {
    if (this.#memory === undefined) this.#memory = CellMemory.tryAcquire(this.#blocks) ?? null;
    return this.#memory ?? undefined;
  }
}

function codeOf(text: string): number {
  return text === '' ? 0 : text.charCodeAt(0);
}
