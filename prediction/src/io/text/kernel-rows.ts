import type { AnswerLayout, PredictedBlock } from '../../rows/answer-layout.js';
import type { BlockPredictor } from '../../rows/blocks.js';
import type { ByteBuffer } from '../../rows/byte-buffer.js';
import type { RowBlock } from '../../rows/row-binner.js';
import type { MakeText, RowPiece, TextForm } from '../../rows/row-pieces.js';
import type { RowWriter } from '../../rows/row-writer.js';
import { CELL, CellBlock, CellKind } from '../cells/cell-block.js';
import { type CellMemory, NUMBER_TEXT, writeNumberTexts } from '../cells/cell-memory.js';
import { CellTexts, SLACK } from '../cells/cell-texts.js';
import type { ColumnBlock } from '../column-reader.js';
import { MAX_BLOCK_BYTES } from '../columns/byte-budget.js';
import { ColumnCells } from './column-cells.js';

/** Bytes of room for an answer to begin with; it grows to that of a row. */
const ROOM = 128 * 1024;

/** A stretch of the kernel's memory. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The kinds of pieces as the kernel knows them: see `kernel/assembly/text/rows.ts`. */
const KIND = { literal: 0, echo: 1, number: 2, choice: 3, escaped: 4, list: 5, row: 6, made: 7 } as const;

/** The words of a job that differ from block to block, and the number of all words. */
const JobWord = { cells: 0, first: 10, before: 11 } as const;
const JOB = 14;

/** Words of a piece, and of a text in a list of texts. */
const PIECE = 4;
const TEXT = 2;

/** Writes the rows of one answer as bytes in the kernel, from cells and predictions. */
export class KernelRows {
  readonly #held: CellMemory;
  readonly #layout: AnswerLayout;
  readonly #form: TextForm;
  readonly #before: number;
  readonly #hasChoices: boolean;
  /** Addresses: of doubles, of numbers as texts, of choices, of cells that are made, and of a list of cells or rows. */
  readonly #doubles: number;
  readonly #numbers: number;
  readonly #choices: number;
  readonly #made: number;
  readonly #list: number;
  /** The address of what the kernel needs to know of a block: see `writeRows` there. */
  readonly #job: number;
  readonly #makers: readonly MakeText[];
  readonly #madeTexts: CellTexts;
  readonly #rewriter: CellRewriter;
  readonly #columnCells: () => ColumnCells;
  #columns: ColumnCells | undefined;
  #room: Stretch;

  /**
   * @param before a byte before each row but the first of the answer; 0 for none
   * @param behind a byte behind each row; 0 for none
   */
  constructor(
    { layout, maxRows }: BlockPredictor,
    held: CellMemory,
    { pieces, form }: RowWriter,
    [before, behind]: readonly [number, number],
  ) {
    const { memory, plan } = held;
    const { numberCount, choiceCount } = layout;
    this.#held = held;
    this.#layout = layout;
    this.#form = form;
    this.#before = before;
    this.#hasChoices = pieces.some(({ kind }) => kind === 'choice' || kind === 'list');
    this.#makers = pieces.flatMap((piece) => (piece.kind === 'made' ? [piece.make] : []));
    const parts = writePieces(held, pieces);
    this.#doubles = memory.allocate(8 * maxRows * Math.max(numberCount, 1));
    this.#numbers = memory.allocate(NUMBER_TEXT * maxRows * numberCount);
    this.#choices = memory.allocate(maxRows * choiceCount);
    this.#made = memory.allocate(CELL * maxRows * this.#makers.length);
    this.#list = memory.allocate(4 * maxRows * plan.columns.length);
    this.#room = this.#allocate(ROOM);
    this.#madeTexts = new CellTexts(memory);
    this.#rewriter = new CellRewriter(held, form, this.#list);
    const echoed = new Set(
      pieces.flatMap((piece) => (piece.kind === 'echo' || piece.kind === 'escaped' ? [piece.at] : [])),
    );
    this.#columnCells = () => new ColumnCells(held, echoed, form, maxRows);
    this.#job = memory.allocate(4 * JOB);
    const job = [
      ...[0, plan.columns.length, parts.start, parts.end, this.#numbers, numberCount],
      ...[this.#choices, choiceCount, this.#made, this.#makers.length, 0, 0, behind, Number(form.isCsv)],
    ];
    memory.words.set(job, this.#job / 4);
  }

  /**
   * Writes the rows of a block. Yields as `AnswerWriter.write`.
   *
   * @param isFirst whether they are the first of the answer
   */
  *write(
    out: ByteBuffer,
    block: CellBlock | ColumnBlock,
    predicted: PredictedBlock,
    isFirst: boolean,
  ): Generator<void> {
    this.#prepare(block, predicted);
    const { rowCount } = block;
    if (block instanceof CellBlock) {
      this.#setJob(JobWord.cells, block.place.cells);
      this.#make(block, predicted, 0, rowCount);
      // From here on the cells have no values.
      this.#rewriter.rewrite(block);
      yield* this.#writeRows(out, 0, rowCount, isFirst);
      return;
    }
    this.#columns ??= this.#columnCells();
    this.#setJob(JobWord.cells, this.#columns.start);
    for (let from = 0; from < rowCount; ) {
      const to = this.#columns.lay(block, from);
      this.#make(block, predicted, from, to);
      yield* this.#writeRows(out, from, to, isFirst && from === 0);
      from = to;
    }
  }

  *#writeRows(out: ByteBuffer, from: number, to: number, isFirst: boolean): Generator<void> {
    const { kernel } = this.#held.memory;
    for (let row = from; row < to; ) {
      const isOpening = isFirst && row === from;
      this.#setJob(JobWord.before, isOpening ? 0 : this.#before);
      const { start, end } = this.#room;
      const next = kernel.writeRows(this.#job, row, isOpening ? row + 1 : to, start, end);
      out.bytes(this.#held.memory.bytes.subarray(start, kernel.writtenEnd()));
      if (next === row) this.#room = this.#allocate(2 * (end - start));
      row = next;
      if (out.length >= MAX_BLOCK_BYTES) yield;
    }
  }

  /** Writes the choices and numbers of a block. */
  #prepare(block: CellBlock | ColumnBlock, predicted: PredictedBlock): void {
    const { numberCount, choiceCount, sent, target } = this.#layout;
    const { memory } = this.#held;
    this.#setJob(JobWord.first, predicted.first ?? 0);
    if (this.#hasChoices) {
      const readTarget = block instanceof CellBlock ? this.#targetReader(block) : block.readColumn(sent[target] ?? '');
      for (let row = 0; row < block.rowCount; row++) {
        predicted.writeChoices(row, readTarget(row), memory.bytes, this.#choices + row * choiceCount);
      }
    }
    const numbers = predicted.numbers.subarray(0, block.rowCount * numberCount);
    const places = { doubles: this.#doubles, texts: this.#numbers };
    writeNumberTexts(memory, numbers, places, this.#form.numberText);
  }

  /** Makes the texts of rows. */
  #make(block: RowBlock, predicted: PredictedBlock, from: number, to: number): void {
    const { length } = this.#makers;
    if (length === 0) return;
    this.#madeTexts.clear();
    for (let row = from; row < to; row++) {
      const values = block.row(row);
      for (const [index, make] of this.#makers.entries()) {
        const text = this.#form.valueText(make(values, predicted, row));
        this.#madeTexts.put(this.#made + CELL * (row * length + index), text, CellKind.written);
      }
    }
  }

  #setJob(word: number, value: number): void {
    this.#held.memory.words[this.#job / 4 + word] = value;
  }

  /** Returns what reads the rows' own values of the target. The kernel reads those that are plain numbers. */
  #targetReader(block: CellBlock): (row: number) => unknown {
    const { target, isNumeric, readsPoints } = this.#layout;
    const read = (row: number) => block.value(row, target) ?? null;
    if (!isNumeric) return read;
    const { numbers, unread } = block.readNumbers(target, readsPoints);
    const slow = new Set(unread);
    return (row) => (slow.has(row) ? read(row) : numbers[row]);
  }

  #allocate(length: number): Stretch {
    const start = this.#held.memory.allocate(length);
    return { start, end: start + length };
  }
}

/** Writes the pieces of a row into the memory. */
function writePieces(lent: CellMemory, pieces: readonly RowPiece[]): Stretch {
  const texts = new Texts(lent, pieces);
  let made = 0;
  const start = lent.memory.allocate(4 * PIECE * pieces.length);
  const { words } = lent.memory;
  for (const [index, piece] of pieces.entries()) {
    words.set([KIND[piece.kind], ...packPiece(piece, texts, made)], start / 4 + PIECE * index);
    if (piece.kind === 'made') made++;
  }
  return { start, end: start + 4 * PIECE * pieces.length };
}

/** @param made the number of made pieces before it */
function packPiece(piece: RowPiece, texts: Texts, made: number): readonly number[] {
  switch (piece.kind) {
    case 'literal':
      return texts.add(piece.before);
    case 'echo':
      return [piece.at, ...texts.add(piece.before)];
    case 'number':
      return [piece.at, ...texts.add(piece.before)];
    case 'row':
      return [0, ...texts.add(piece.before)];
    case 'made':
      return [made, ...texts.add(piece.before)];
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

  constructor(lent: CellMemory, pieces: readonly RowPiece[]) {
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

/** Makes the bytes of cells what an answer has for their values. */
class CellRewriter {
  readonly #lent: CellMemory;
  /** The place where the kernel lists cells. */
  readonly #list: number;
  readonly #form: TextForm;
  /** By the bytes of cells, their texts. */
  readonly #known = new Map<string, Buffer>();
  readonly #texts: CellTexts;

  constructor(lent: CellMemory, form: TextForm, list: number) {
    this.#lent = lent;
    this.#form = form;
    this.#list = list;
    this.#texts = new CellTexts(lent.memory);
  }

  /** Changes the cells of a block whose bytes are not those of the answer. The bytes of the last block are lost. */
  rewrite(block: CellBlock): void {
    const { memory } = this.#lent;
    const { plan, place, rowCount } = block;
    const count = memory.kernel.listOthers(place.cells, plan.columns.length * rowCount, this.#form.isCsv, this.#list);
    if (count === 0) return;
    const cells = memory.words.slice(this.#list / 4, this.#list / 4 + count);
    const textOf = this.#reader(cells);
    const changed: { readonly cell: number; readonly text: Buffer }[] = [];
    for (const cell of cells) {
      const length = (memory.words[cell / 4 + 1] ?? 0) >>> 3;
      const kind = (memory.words[cell / 4 + 1] ?? 0) & 7;
      const text = textOf(cell);
      // Most numbers of many digits are in their shortest form.
      if (kind === CellKind.otherNumber && String(Number(text)) === text) {
        memory.words[cell / 4 + 1] = length * 8 + CellKind.number;
      } else {
        changed.push({ cell, text: this.#textOf(block, cell, kind + text) });
      }
    }
    this.#texts.clear();
    for (const { cell, text } of changed) this.#texts.putBytes(cell, text, CellKind.written);
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

  #textOf(block: CellBlock, cell: number, key: string): Buffer {
    const known = this.#known.get(key);
    if (known) return known;
    const index = (cell - block.place.cells) / CELL;
    const columnCount = block.plan.columns.length;
    const value = block.value(Math.floor(index / columnCount), index % columnCount);
    const text = Buffer.from(this.#form.valueText(value));
    if (key.length > MAX_KNOWN_BYTES) return text;
    if (this.#known.size === MAX_KNOWN) this.#known.clear();
    // A part of a text would keep all of it in memory.
    this.#known.set(Buffer.from(key, 'latin1').toString('latin1'), text);
    return text;
  }
}
