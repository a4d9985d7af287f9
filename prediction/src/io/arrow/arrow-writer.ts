import type { AnswerLayout, PredictedBlock } from '../../rows/answer-layout.js';
import type { RowBlock } from '../../rows/row-binner.js';
import type { AnswerOptions, AnswerWriter } from '../answer-part.js';
import { type ByteBudget, type HeldBytes, MAX_BLOCK_BYTES } from '../columns/byte-budget.js';
import { AnswerBlock, answerColumns, type OutputColumn } from './answer-columns.js';
import {
  BatchBody,
  type Block,
  batchMessage,
  dictionaryMessage,
  endOfStream,
  fileFooter,
  fileOpening,
  schemaMessage,
} from './message-bytes.js';

/** Rows of other formats that are written as a batch. */
const BATCH_ROWS = 2048;

const DICTIONARY = 'A dictionary of the answer in Arrow';

/** Writes the columns of tables as an Arrow stream or file. Rows of Arrow keep their columns as sent. */
export class ArrowWriter implements AnswerWriter {
  readonly #layout: AnswerLayout;
  readonly #isFile: boolean;
  #columns: readonly OutputColumn[] | undefined;
  /** Rows that were added and are not written, and whether they are a part of a batch of Arrow. */
  #pending = 0;
  #isPart = false;
  #pieces: Uint8Array[] = [];
  #length = 0;
  /** The bytes before those that were not taken. */
  #taken = 0;
  readonly #dictionaries: Block[] = [];
  readonly #batches: Block[] = [];
  readonly #budget: ByteBudget;
  readonly #held: HeldBytes;
  readonly #heldDictionaries: HeldBytes;

  constructor(layout: AnswerLayout, { to }: Pick<AnswerOptions, 'to'>, budget: ByteBudget) {
    this.#layout = layout;
    this.#budget = budget;
    this.#held = budget.hold('The answer in Arrow');
    this.#heldDictionaries = budget.hold(DICTIONARY, 'Send these columns as text.');
    this.#isFile = to === 'arrow-file';
  }

  get length(): number {
    // Rows that wait become a batch when they are taken.
    return this.#length + (this.#pending > 0 && !this.#isPart ? 1 : 0);
  }

  *write(rows: RowBlock, predicted: PredictedBlock): Generator<void> {
    const block = new AnswerBlock(rows, predicted, this.#layout);
    const columns = this.#begin(block);
    for (const column of columns) column.add(block);
    this.#pending += block.rowCount;
    this.#isPart = block.arrow !== undefined;
    const isWhole = this.#isPart ? block.isLast || (block.isCut && this.#isFull(columns)) : this.#isFull(columns);
    if (!isWhole) return;
    yield* this.#writeBatch(columns);
  }

  #isFull(columns: readonly OutputColumn[]): boolean {
    if (this.#pending >= BATCH_ROWS) return true;
    return columns.reduce((sum, { textBytes }) => sum + textBytes, 0) >= MAX_BLOCK_BYTES;
  }

  end(): void {
    const columns = this.#begin(undefined);
    if (this.#pending > 0) this.#writeWhole(columns);
    this.#put([endOfStream()]);
    if (!this.#isFile) return;
    const fields = columns.map(({ field }) => field);
    this.#put([fileFooter(fields, this.#dictionaries, this.#batches)]);
  }

  take(): Uint8Array {
    if (this.#pending > 0 && !this.#isPart && this.#columns) this.#writeWhole(this.#columns);
    const bytes = joined(this.#pieces, this.#length);
    this.#pieces = [];
    this.#taken += this.#length;
    this.#length = 0;
    this.#held.releaseAll();
    this.#heldDictionaries.releaseAll();
    return bytes;
  }

  close(): void {}

  #begin(first: AnswerBlock | undefined): readonly OutputColumn[] {
    if (this.#columns) return this.#columns;
    const shape = { layout: this.#layout, isFile: this.#isFile, first };
    this.#columns = answerColumns(shape);
    if (this.#isFile) this.#put([fileOpening()]);
    this.#put(schemaMessage(this.#columns.map(({ field }) => field)));
    return this.#columns;
  }

  /** Writes a batch whose dictionaries are only those of the model. */
  #writeWhole(columns: readonly OutputColumn[]): void {
    for (const _ of this.#writeBatch(columns));
  }

  /** Yields where `MAX_BLOCK_BYTES` or more wait to be taken, so that dictionaries do not wait for each other. */
  *#writeBatch(columns: readonly OutputColumn[]): Generator<void> {
    const rows = this.#pending;
    this.#pending = 0;
    for (const column of columns) {
      for (const { id, count, isDelta, body } of column.dictionary()) {
        this.#budget.expand(body.length, DICTIONARY);
        const message = dictionaryMessage(id, count, isDelta, body);
        this.#putBlock(this.#dictionaries, message, body, this.#heldDictionaries);
        if (this.#length >= MAX_BLOCK_BYTES) yield;
      }
    }
    const body = new BatchBody();
    for (const column of columns) column.write(body);
    this.#putBlock(this.#batches, batchMessage(rows, body), body, this.#held);
    if (this.#length >= MAX_BLOCK_BYTES) yield;
  }

  #putBlock(blocks: Block[], pieces: readonly Uint8Array[], body: BatchBody, held: HeldBytes): void {
    const metadataBytes = pieces[0]?.length ?? 0;
    if (this.#isFile) {
      blocks.push({ start: this.#taken + this.#length, metadataBytes, bodyBytes: body.length });
    }
    // The columns use the memory of their pieces again.
    const bytes = metadataBytes + body.length;
    // Once as a piece, and once as a part of what is taken.
    held.add(2 * bytes);
    this.#put([joined(pieces, bytes)]);
  }

  #put(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.#pieces.push(piece);
      this.#length += piece.length;
    }
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
