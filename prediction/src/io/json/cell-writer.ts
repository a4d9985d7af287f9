import type { AnswerLayout, JsonPiece, PredictedBlock } from '../../serving/answer-layout.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { TextBuffer } from '../../serving/text-buffer.js';
import { CELL, type CellBlock, CellKind } from '../cells/cell-block.js';
import { type CellMemory, NUMBER_TEXT, writeNumberTexts } from '../cells/cell-memory.js';
import { MAX_BLOCK_BYTES } from '../columns/byte-budget.js';

/** Bytes of room for an answer to begin with; it grows to that of a row. */
const ROOM = 128 * 1024;

/** A byte before each row, and one behind it; 0 for none. */
export interface Separators {
  readonly before: number;
  readonly behind: number;
}

/** A stretch of the kernel's memory. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The kinds of pieces as the kernel knows them: see `kernel/assembly/json/answers.ts`. */
const KIND = { literal: 0, echo: 1, number: 2, choice: 3, escaped: 4, list: 5, row: 6 } as const;

/** Words of a piece, and of a text in a list of texts. */
const PIECE = 4;
const TEXT = 2;

/** The kernel copies by vectors, so it reads this much beyond a text. */
const SLACK = 16;

/** Writes answer rows in the kernel, from cells and predictions to bytes. The rows of one body are written by one. */
export class CellWriter {
  readonly #lent: CellMemory;
  readonly #layout: AnswerLayout;
  /** Addresses: of the pieces and their end, of doubles, of numbers as texts, of choices and of a list of cells or rows. */
  readonly #pieces: Stretch;
  readonly #doubles: number;
  readonly #numbers: number;
  readonly #choices: number;
  readonly #list: number;
  /** The number of the block's first row in the answer. */
  #first = 0;
  #room: Stretch;
  readonly #rewriter: CellRewriter;

  constructor({ layout, maxRows }: BlockPredictor, { lent, plan }: CellBlock) {
    const { memory } = lent;
    const { numberCount, choiceCount } = layout;
    this.#lent = lent;
    this.#layout = layout;
    this.#pieces = writePieces(lent, layout.json);
    this.#doubles = memory.allocate(8 * maxRows * numberCount);
    this.#numbers = memory.allocate(NUMBER_TEXT * maxRows * numberCount);
    this.#choices = memory.allocate(maxRows * choiceCount);
    this.#list = memory.allocate(4 * maxRows * plan.columns.length);
    this.#room = this.#allocate(ROOM);
    this.#rewriter = new CellRewriter(lent, this.#list);
  }

  /** Prepares a block, whose rows `write` writes then. */
  begin(block: CellBlock, predicted: PredictedBlock): void {
    const { numberCount, choiceCount } = this.#layout;
    this.#first = predicted.first ?? 0;
    const readTarget = this.#targetReader(block);
    const { bytes } = this.#lent.memory;
    for (let row = 0; row < block.rowCount; row++) {
      predicted.writeChoices(row, readTarget(row), bytes, this.#choices + row * choiceCount);
    }
    writeNumberTexts(
      this.#lent.memory,
      predicted.numbers.subarray(0, block.rowCount * numberCount),
      { doubles: this.#doubles, texts: this.#numbers },
      JSON.stringify,
    );
    this.#rewriter.rewrite(block);
  }

  /** Writes the rows from one index up to another, none of which is an object. Yields as `AnswerWriter.write`. */
  *write(
    out: TextBuffer,
    { plan, place }: CellBlock,
    from: number,
    to: number,
    { before, behind }: Separators,
  ): Generator<void> {
    const { kernel } = this.#lent.memory;
    const { numberCount, choiceCount } = this.#layout;
    for (let row = from; row < to; ) {
      const { start, end } = this.#room;
      const next = kernel.writeRows(
        ...([plan.start, this.#pieces.start, this.#pieces.end, place.cells] as const),
        ...([this.#numbers, numberCount, this.#choices, choiceCount] as const),
        ...([this.#first, row, to, start, end, before, behind] as const),
      );
      out.bytes(this.#lent.memory.bytes.subarray(start, kernel.writtenEnd()));
      if (next === row) this.#room = this.#allocate(2 * (end - start));
      row = next;
      if (out.length >= MAX_BLOCK_BYTES) yield;
    }
  }

  /** Returns what reads the rows' own values of the target. The kernel reads those that are plain numbers. */
  #targetReader(block: CellBlock): (row: number) => unknown {
    const { target, isNumeric, readsPoints } = this.#layout;
    const read = (row: number) => block.value(row, target) ?? null;
    if (!isNumeric) return read;
    const { kernel, words, doubles } = this.#lent.memory;
    const { plan, place, rowCount } = block;
    const at = this.#doubles;
    const list = this.#list;
    const count = kernel.readValues(...([plan.start, place.cells, target, rowCount, readsPoints, at, list] as const));
    const unread = new Set(words.subarray(list / 4, list / 4 + count));
    return (row) => (unread.has(row) ? read(row) : doubles[at / 8 + row]);
  }

  #allocate(length: number): Stretch {
    const start = this.#lent.memory.allocate(length);
    return { start, end: start + length };
  }
}

type KernelPiece = Exclude<JsonPiece, { kind: 'made' }>;

/** Writes the pieces of a row into the memory. */
function writePieces(lent: CellMemory, all: readonly JsonPiece[]): Stretch {
  const pieces = all.filter((piece) => piece.kind !== 'made');
  if (pieces.length < all.length) throw new Error('The kernel has no rows that are objects');
  const texts = new Texts(lent, pieces);
  const start = lent.memory.allocate(4 * PIECE * pieces.length);
  const { words } = lent.memory;
  for (const [index, piece] of pieces.entries()) {
    words.set([KIND[piece.kind], ...packPiece(piece, texts)], start / 4 + PIECE * index);
  }
  return { start, end: start + 4 * PIECE * pieces.length };
}

function packPiece(piece: KernelPiece, texts: Texts): readonly number[] {
  switch (piece.kind) {
    case 'literal':
      return texts.add(piece.before);
    case 'echo':
      return [piece.at, ...texts.add(piece.before)];
    case 'number':
      return [piece.at, ...texts.add(piece.before)];
    case 'row':
      return [0, ...texts.add(piece.before)];
    case 'escaped':
      return [piece.at];
    default:
      return [piece.at, texts.addList(piece.texts)];
  }
}

/** The texts of pieces, in one stretch of memory. */
class Texts {
  readonly #lent: CellMemory;
  /** The places of the next list of texts, and of the next text. */
  #list: number;
  #end: number;

  constructor(lent: CellMemory, pieces: readonly JsonPiece[]) {
    const lists = pieces.flatMap((piece) => ('texts' in piece ? piece.texts : []));
    const all = pieces.map((piece) => ('before' in piece ? piece.before : '')).concat(lists);
    const length = all.reduce((sum, text) => sum + Buffer.byteLength(text), SLACK);
    this.#lent = lent;
    this.#list = lent.memory.allocate(4 * TEXT * lists.length);
    this.#end = lent.memory.allocate(length);
  }

  /** Returns the address and the length of a text. */
  add(text: string): [number, number] {
    const bytes = Buffer.from(text);
    const at = this.#end;
    this.#lent.memory.bytes.set(bytes, at);
    this.#end += bytes.length;
    return [at, bytes.length];
  }

  /** Returns the address of a list of texts. */
  addList(texts: readonly string[]): number {
    const list = this.#list;
    for (const text of texts) {
      this.#lent.memory.words.set(this.add(text), this.#list / 4);
      this.#list += 4 * TEXT;
    }
    return list;
  }
}

/** Texts that are remembered, as many rows may say the same, and the most bytes of one. */
const MAX_KNOWN = 4096;
const MAX_KNOWN_BYTES = 64;

/** Cells that stand within so many bytes are decoded at once. */
const MAX_DECODED = 512 * 1024;

/** Makes the bytes of cells what `JSON.stringify` writes for their values. */
class CellRewriter {
  readonly #lent: CellMemory;
  /** The place where the kernel lists cells. */
  readonly #list: number;
  /** By the bytes of cells, their JSON. */
  readonly #known = new Map<string, Buffer>();
  /** Room for what is written. */
  #start: number;
  #end: number;

  constructor(lent: CellMemory, list: number) {
    this.#lent = lent;
    this.#list = list;
    this.#start = lent.memory.allocate(0);
    this.#end = this.#start;
  }

  /** Changes the cells of a block whose bytes are not their JSON. What was written for the last block is lost. */
  rewrite(block: CellBlock): void {
    const { memory } = this.#lent;
    const { plan, place, rowCount } = block;
    const count = memory.kernel.listOthers(plan.start, place.cells, rowCount, this.#list);
    if (count === 0) return;
    const cells = memory.words.slice(this.#list / 4, this.#list / 4 + count);
    const textOf = this.#reader(cells);
    const changed: { readonly cell: number; readonly json: Buffer }[] = [];
    for (const cell of cells) {
      const length = (memory.words[cell / 4 + 1] ?? 0) >>> 3;
      const kind = (memory.words[cell / 4 + 1] ?? 0) & 7;
      const text = textOf(cell);
      // Most numbers of many digits are in their shortest form.
      if (kind === CellKind.otherNumber && String(Number(text)) === text) {
        memory.words[cell / 4 + 1] = length * 8 + CellKind.number;
      } else {
        changed.push({ cell, json: this.#writeJson(block, cell, kind + text) });
      }
    }
    this.#write(changed);
  }

  /** Returns a reader of the bytes of cells as Latin-1, which has a character for each. */
  #reader(cells: Uint32Array): (cell: number) => string {
    const { words, bytes } = this.#lent.memory;
    const buffer = Buffer.from(bytes.buffer);
    const startOf = (cell: number) => words[cell / 4] ?? 0;
    const endOf = (cell: number) => startOf(cell) + ((words[cell / 4 + 1] ?? 0) >>> 3);
    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    for (const cell of cells) {
      first = Math.min(first, startOf(cell));
      last = Math.max(last, endOf(cell));
    }
    if (last - first > MAX_DECODED) {
      return (cell) => buffer.toString('latin1', startOf(cell), endOf(cell));
    }
    const text = buffer.toString('latin1', first, last);
    return (cell) => text.slice(startOf(cell) - first, endOf(cell) - first);
  }

  #writeJson(block: CellBlock, cell: number, key: string): Buffer {
    const known = this.#known.get(key);
    if (known) return known;
    const index = (cell - block.place.cells) / CELL;
    const columnCount = block.plan.columns.length;
    const value = block.value(Math.floor(index / columnCount), index % columnCount);
    const json = Buffer.from(JSON.stringify(value) ?? 'null');
    if (key.length > MAX_KNOWN_BYTES) return json;
    if (this.#known.size === MAX_KNOWN) this.#known.clear();
    // A part of a text would keep all of it in memory.
    this.#known.set(Buffer.from(key, 'latin1').toString('latin1'), json);
    return json;
  }

  #write(changed: readonly { readonly cell: number; readonly json: Buffer }[]): void {
    const { memory } = this.#lent;
    const length = changed.reduce((sum, { json }) => sum + json.length, SLACK);
    if (length > this.#end - this.#start) {
      this.#start = memory.allocate(2 * length);
      this.#end = this.#start + 2 * length;
    }
    let at = this.#start;
    for (const { cell, json } of changed) {
      memory.bytes.set(json, at);
      memory.kernel.setJson(cell, at, json.length);
      at += json.length;
    }
  }
}
