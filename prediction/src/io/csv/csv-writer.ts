import {
  type AnswerColumn,
  FLAGS,
  isExplained,
  needsObjects,
  type PredictedBlock,
} from '../../serving/answer-layout.js';
import type { RowBlock } from '../../serving/row-binner.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import { ObjectText } from '../../serving/row-writer.js';
import { type Literal, literal, TextBuffer } from '../../serving/text-buffer.js';
import { Cell, parseNumber, type RowObject } from '../../table/cells.js';
import type { AnswerWriter } from '../answer-part.js';
import { CELL, CellBlock, CellKind } from '../cells/cell-block.js';
import { type CellMemory, NUMBER_TEXT, writeNumberTexts } from '../cells/cell-memory.js';
import { MAX_BLOCK_BYTES } from '../columns/byte-budget.js';

/** Bytes to begin with. */
const CAPACITY = 80 * 1024;

/** Bytes of room for lines. A row that is longer is written without the kernel. */
const ROOM = 128 * 1024;

type WriteField = (row: RowObject, predicted: PredictedBlock, index: number) => void;

const NO_VALUES: RowObject = {};

const NOTHING = literal('');
const COMMA = literal(',');
const LINE_END = literal('\r\n');
const OPEN_LIST = literal('"[');
const CLOSE_LIST = literal(']"');

/**
 * Writes answers as CSV (RFC 4180, lines end with CRLF): a header line, and for each row the columns that tables have.
 * A list is a JSON array.
 */
export class CsvWriter implements AnswerWriter {
  readonly #blocks: BlockPredictor;
  readonly #needsRow: boolean;
  readonly #target: Cell;
  readonly #columns: readonly AnswerColumn[];
  /** The input columns, which come first. */
  readonly #inputs: readonly Cell[];
  /** The fields behind those. */
  readonly #fields: readonly WriteField[];
  /** True if behind the inputs there are the numbers of a row, as the kernel writes them. */
  readonly #isPlain: boolean;
  readonly #choices: Uint8Array;
  readonly #out = new CsvBuffer(CAPACITY);
  #hasHeader = false;
  #lines: CellLines | undefined;

  constructor(blocks: BlockPredictor) {
    const { layout, columns } = blocks;
    this.#blocks = blocks;
    this.#needsRow = isExplained(layout) || needsObjects(layout);
    this.#target = new Cell(layout.sent[layout.target] ?? '');
    this.#columns = layout.columns;
    this.#inputs = columns.map(({ name }) => new Cell(name));
    const others = this.#columns.slice(columns.length);
    const last = others.length - Number(others.at(-1)?.kind === 'row-id');
    this.#isPlain =
      last === layout.numberCount &&
      others.every((column, at) => at === last || (column.kind === 'number' && column.at === at));
    this.#choices = new Uint8Array(layout.choiceCount);
    this.#fields = others.map((column) => this.#createField(column));
  }

  get length(): number {
    return this.#out.length;
  }

  *write(block: RowBlock, predicted: PredictedBlock): Generator<void> {
    this.#header();
    if (block instanceof CellBlock && this.#isPlain) {
      this.#lines ??= new CellLines(block.lent, this.#blocks);
      yield* this.#lines.write(this.#out, block, predicted, (index) => this.#row(block, predicted, index));
      return;
    }
    for (let index = 0; index < block.rowCount; index++) {
      this.#row(block, predicted, index);
      if (this.#out.length >= MAX_BLOCK_BYTES) yield;
    }
  }

  end(): void {
    this.#header();
  }

  take(): Uint8Array {
    return this.#out.take();
  }

  #row(block: RowBlock, predicted: PredictedBlock, index: number): void {
    const isCopied = block instanceof CellBlock && !block.others.has(index);
    const row = isCopied && !this.#needsRow ? NO_VALUES : block.row(index);
    if (isCopied) this.#copyInputs(block, index);
    else this.#writeInputs(row);
    if (!this.#isPlain) predicted.writeChoices(index, this.#target.of(row), this.#choices, 0);
    for (const [place, write] of this.#fields.entries()) {
      if (place > 0) this.#out.literal(COMMA);
      write(row, predicted, index);
    }
    this.#out.literal(LINE_END);
  }

  #header(): void {
    if (this.#hasHeader) return;
    this.#hasHeader = true;
    this.#out.raw(this.#columns.map(({ name }) => csvField(name)).join());
    this.#out.literal(LINE_END);
  }

  /** Copies cells, without a value for each. */
  #copyInputs(block: CellBlock, index: number): void {
    const { words, bytes } = block.lent.memory;
    const out = this.#out;
    const { length } = this.#inputs;
    let place = (block.place.cells + CELL * index * block.plan.columns.length) / 4;
    for (let column = 0; column < length; column++, place += 2) {
      const start = words[place] ?? 0;
      const size = words[place + 1] ?? 0;
      const end = start + (size >>> 3);
      const isCopied = COPIED[size & 7] === true && out.plainField(bytes, start, end);
      if (isCopied) continue;
      this.#value(block.value(index, column));
      out.literal(COMMA);
    }
  }

  #writeInputs(row: RowObject): void {
    for (const cell of this.#inputs) {
      this.#value(cell.of(row));
      this.#out.literal(COMMA);
    }
  }

  #value(value: unknown): void {
    if (typeof value === 'string') this.#out.text(value);
    else if (typeof value === 'number' && Number.isFinite(value)) this.#out.number(value);
    else if (typeof value === 'boolean') this.#out.raw(String(value));
    else if (typeof value === 'object' && value !== null) this.#out.text(JSON.stringify(value));
  }

  #createField(column: AnswerColumn): WriteField {
    const { layout } = this.#blocks;
    const out = this.#out;
    const choices = this.#choices;
    switch (column.kind) {
      case 'number':
        return (_row, { numbers }, index) => out.number(numbers[index * layout.numberCount + column.at] ?? 0);
      case 'row-id': {
        const prefix = literal(column.prefix);
        return (_row, { first = 0 }, index) => {
          out.literal(prefix);
          out.number(first + index);
        };
      }
      case 'flag':
        return () => this.#value(FLAGS[choices[column.at] ?? 0]);
      case 'text': {
        const fields = column.texts.map((text) => literal(csvField(text)));
        return () => out.literal(fields[choices[column.at] ?? 0] ?? NOTHING);
      }
      case 'list': {
        const members = column.texts.map((text) => literal(JSON.stringify(text).replaceAll('"', '""')));
        return () => this.#writeList(members, column.at);
      }
      case 'echo': {
        const cell = new Cell(layout.sent[column.at] ?? '');
        return (row) => this.#value(cell.of(row));
      }
      case 'object': {
        const text = new ObjectText(layout, column.members);
        return (row, predicted, index) => out.text(text.write(row, predicted, index));
      }
      case 'warnings':
        return (row) => this.#value(column.describe(row));
      case 'null':
        return () => {};
    }
  }

  /** Writes a list as a JSON array in quotes. */
  #writeList(members: readonly Literal[], at: number): void {
    const out = this.#out;
    out.literal(OPEN_LIST);
    const end = at + (this.#choices[at] ?? 0);
    for (let place = at + 1; place <= end; place++) {
      if (place > at + 1) out.literal(COMMA);
      out.literal(members[this.#choices[place] ?? 0] ?? NOTHING);
    }
    out.literal(CLOSE_LIST);
  }
}

/** By the kind of a cell, whether its bytes are a field of CSV. */
const COPIED: readonly boolean[] = Array.from({ length: 8 }, (_, kind) =>
  [CellKind.missing, CellKind.text, CellKind.number, CellKind.boolean].some((one) => one === kind),
);

/** Writes answer rows of inputs and numbers in the kernel, from cells and predictions to lines. One writes the rows of one body. */
class CellLines {
  readonly #lent: CellMemory;
  readonly #inputCount: number;
  readonly #numberCount: number;
  readonly #doubles: number;
  readonly #numbers: number;
  readonly #room: number;
  /** The text with which the ids of rows begin, and its length, 0 if they have none. */
  readonly #prefix: number;
  readonly #prefixLength: number;

  constructor(lent: CellMemory, { columns, layout, maxRows }: BlockPredictor) {
    this.#lent = lent;
    this.#inputCount = columns.length;
    this.#numberCount = layout.numberCount;
    this.#doubles = lent.memory.allocate(8 * layout.numberCount * maxRows);
    this.#numbers = lent.memory.allocate(NUMBER_TEXT * layout.numberCount * maxRows);
    this.#room = lent.memory.allocate(ROOM);
    const last = layout.columns.at(-1);
    const prefix = Buffer.from(last?.kind === 'row-id' ? last.prefix : '');
    this.#prefix = lent.memory.allocate(NUMBER_TEXT);
    this.#prefixLength = prefix.length;
    lent.memory.bytes.set(prefix, this.#prefix);
  }

  /**
   * Yields as `AnswerWriter.write`.
   *
   * @param writeRow writes a row that has more than plain fields.
   */
  *write(
    out: CsvBuffer,
    block: CellBlock,
    { numbers, first = 0 }: PredictedBlock,
    writeRow: (index: number) => void,
  ): Generator<void> {
    const { memory } = this.#lent;
    const places = { doubles: this.#doubles, texts: this.#numbers };
    const ofBlock = numbers.subarray(0, block.rowCount * this.#numberCount);
    writeNumberTexts(memory, ofBlock, places, String);
    let row = 0;
    for (const other of block.others.keys()) {
      yield* this.#writeLines(out, block, first, row, other, writeRow);
      writeRow(other);
      row = other + 1;
    }
    yield* this.#writeLines(out, block, first, row, block.rowCount, writeRow);
  }

  *#writeLines(
    out: CsvBuffer,
    { plan, place }: CellBlock,
    first: number,
    from: number,
    to: number,
    writeRow: (index: number) => void,
  ): Generator<void> {
    const { kernel, bytes } = this.#lent.memory;
    for (let row = from; row < to; row++) {
      row = kernel.writeLines(
        ...([place.cells, plan.columns.length, this.#inputCount] as const),
        ...([this.#numbers, this.#numberCount, this.#prefix, this.#prefixLength] as const),
        ...([first, row, to, this.#room, this.#room + ROOM] as const),
      );
      out.bytes(bytes.subarray(this.#room, kernel.linesEnd()));
      if (row < to) writeRow(row);
      if (out.length >= MAX_BLOCK_BYTES) yield;
    }
  }
}

const [SPACE, QUOTE, COMMA_BYTE] = [0x20, 0x22, 0x2c];

/** Longer text is handed to native code. */
const SHORT = 64;

/** The characters that spreadsheets take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Matches the texts that need quotes; blanks at their ends would be lost without. */
const NEEDS_QUOTES = /[",\r\n]|^[ \t]|[ \t]$/;

/** Returns a text as a field of CSV (RFC 4180). One that a spreadsheet would run as a formula begins with `'`. */
function csvField(text: string): string {
  const safe = FORMULA.test(text) && Number.isNaN(parseNumber(text.trim())) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Collects CSV as bytes. */
class CsvBuffer extends TextBuffer {
  /** Writes a text as a field. */
  text(text: string): void {
    if (text.length > SHORT || !this.#plain(text)) this.raw(csvField(text));
  }

  /**
   * Writes the bytes of a text without quotes and control characters as a field, and a comma; false, and nothing is
   * written, if it needs quotes, or might be a formula.
   */
  plainField(source: Uint8Array, from: number, to: number): boolean {
    this.reserve(to - from + 1);
    const bytes = this.memory;
    let at = this.end;
    if (to > from) {
      if (!isPlainBegin(source[from] ?? 0) || source[to - 1] === SPACE) return false;
      for (let index = from; index < to; index++) {
        const byte = source[index] ?? 0;
        if (byte === COMMA_BYTE) return false;
        bytes[at++] = byte;
      }
    }
    bytes[at++] = COMMA_BYTE;
    this.end = at;
    return true;
  }

  /** Writes a text that begins with a letter or a digit and needs no quotes; false, and nothing is written, if it does. */
  #plain(text: string): boolean {
    this.reserve(text.length);
    const bytes = this.memory;
    let at = this.end;
    if (text.length > 0 && !isPlainBegin(text.charCodeAt(0))) return false;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < SPACE || code > TILDE || code === QUOTE || code === COMMA_BYTE) return false;
      bytes[at++] = code;
    }
    if (bytes[at - 1] === SPACE && at > this.end) return false;
    this.end = at;
    return true;
  }
}

const TILDE = 0x7e;

/** Returns whether a field that begins with the character is neither a formula nor a blank. */
function isPlainBegin(code: number): boolean {
  return code >= 0x30 && code !== 0x3d && code !== 0x40;
}
