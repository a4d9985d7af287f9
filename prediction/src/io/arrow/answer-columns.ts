import {
  type AnswerColumn,
  type AnswerLayout,
  FLAGS,
  isExplained,
  type PredictedBlock,
  type TextNumbers,
} from '../../rows/answer-layout.js';
import type { RowBlock } from '../../rows/row-binner.js';
import { createObjectText } from '../../rows/row-writer.js';
import { cellText, type RowObject } from '../../table/cells.js';
import { quote } from '../../table/table-error.js';
import { CellBlock } from '../cells/cell-block.js';
import { type ArrowColumns, ColumnBlock } from '../column-reader.js';
import { FormatError } from '../columns/format-error.js';
import { BoolWriter, type ColumnWriter, IndexWriter, ListWriter, NumberWriter, TextWriter } from './column-writers.js';
import { BatchBody } from './message-bytes.js';
import type { Dictionary, RawColumn } from './raw-column.js';
import { type Field, TypeId, UTF8 } from './schema.js';
import { isPassedOn, writeRows } from './sent-columns.js';

/** A dictionary that is to be written before a batch. */
interface DictionaryPart {
  readonly id: number;
  readonly count: number;
  readonly isDelta: boolean;
  readonly body: BatchBody;
}

export interface OutputColumn {
  readonly field: Field;
  /** The bytes of texts that were added and are not written. */
  readonly textBytes: number;
  /** Takes the values of a block. */
  add(block: AnswerBlock): void;
  /** Yields what the dictionary lacks for the rows that were added. */
  dictionary(): Iterable<DictionaryPart>;
  /** Writes the rows that were added as the next column of a batch. */
  write(body: BatchBody): void;
}

/** The choices that decide the columns of an answer. */
interface AnswerShape {
  readonly layout: AnswerLayout;
  readonly isFile: boolean;
  /** The first rows; undefined, if there are none. */
  readonly first: AnswerBlock | undefined;
}

/** Returns the columns of an answer, in their order. */
export function answerColumns(shape: AnswerShape): OutputColumn[] {
  let nextId = 0;
  return shape.layout.columns.map((column) => {
    const mayBeIndexed = column.kind === 'echo' || column.kind === 'text';
    return outputColumn(shape, column, mayBeIndexed ? nextId++ : 0);
  });
}

/** @param id of the dictionary that the column has, if it has one */
function outputColumn(shape: AnswerShape, column: AnswerColumn, id: number): OutputColumn {
  const { name } = column;
  switch (column.kind) {
    case 'echo':
      return echoColumn(shape, column, id);
    case 'number': {
      const { numberCount } = shape.layout;
      return new MadeColumn(name, new NumberWriter(), (writer, { rowCount, predicted }) =>
        writer.addColumn(predicted.numbers, column.at, numberCount, rowCount),
      );
    }
    case 'row-id': {
      const prefix = Buffer.from(column.prefix);
      return new MadeColumn(name, new TextWriter(), (writer, { rowCount, predicted }) => {
        for (let row = 0; row < rowCount; row++) {
          writer.addNumber(prefix, (predicted.first ?? 0) + row);
        }
      });
    }
    case 'flag':
      return madeColumn(name, new BoolWriter(), (block, row) => {
        return FLAGS[block.choice(row, column.at)] ?? null;
      });
    case 'text':
      return new TextColumn(name, column.texts, id, column.at);
    case 'list':
      return madeColumn(name, new ListWriter(), (block, row) => {
        const count = block.choice(row, column.at);
        return Array.from({ length: count }, (_, place) => {
          return column.texts[block.choice(row, column.at + 1 + place)] ?? '';
        });
      });
    case 'object': {
      const write = createObjectText(shape.layout, column.members);
      return madeColumn(name, new TextWriter(), ({ rows, predicted }, row) => write(rows[row] ?? {}, predicted, row));
    }
    case 'warnings':
      return madeColumn(name, new TextWriter(), ({ rows }, row) => column.describe(rows[row] ?? {}));
    case 'null':
      return madeColumn(name, new TextWriter(), () => null);
  }
}

/** A column of what rows sent. */
function echoColumn(
  { layout, first, isFile }: AnswerShape,
  { name, at, numbers }: Extract<AnswerColumn, { kind: 'echo' }>,
  id: number,
): OutputColumn {
  const source = layout.sent[at] ?? '';
  const raw = first?.arrow?.columns.get(source);
  if (raw && isPassedOn(raw)) return new SentColumn(source, name, raw, id, isFile);
  if (numbers && raw?.field.type.id !== TypeId.Utf8View) {
    return new MadeColumn(name, new NumberWriter(), (writer, block) => block.addNumbers(source, numbers, writer));
  }
  return new MadeColumn(name, new TextWriter(), (writer, block) => block.addTexts(source, writer));
}

/** A value of JSON as a number: NaN, if it is none. */
function toNumber(value: unknown, { read }: TextNumbers): number {
  return typeof value === 'number' ? value : read(cellText(value));
}

/** A column whose values are made row by row. */
class MadeColumn<W extends ColumnWriter<never>> implements OutputColumn {
  readonly field: Field;
  readonly #writer: W;
  readonly #addTo: (writer: W, block: AnswerBlock) => void;

  /** @param addTo adds the values of a block's rows. */
  constructor(name: string, writer: W, addTo: (writer: W, block: AnswerBlock) => void) {
    this.field = { name, type: writer.type, children: writer.children, dictionary: null };
    this.#writer = writer;
    this.#addTo = addTo;
  }

  get textBytes(): number {
    return this.#writer.textBytes;
  }

  add(block: AnswerBlock): void {
    this.#addTo(this.#writer, block);
  }

  *dictionary(): Generator<DictionaryPart> {}

  write(body: BatchBody): void {
    this.#writer.write(body);
  }
}

function madeColumn<T>(
  name: string,
  writer: ColumnWriter<T>,
  valueAt: (block: AnswerBlock, row: number) => T,
): OutputColumn {
  return new MadeColumn(name, writer, (to, block) => {
    for (let row = 0; row < block.rowCount; row++) to.add(valueAt(block, row));
  });
}

/** One of some texts for each row, as an index of them. */
class TextColumn implements OutputColumn {
  readonly field: Field;
  readonly textBytes = 0;
  readonly #texts: readonly string[];
  readonly #id: number;
  readonly #at: number;
  readonly #indices = new IndexWriter();
  #isWritten = false;

  /** @param at the index of the choice */
  constructor(name: string, texts: readonly string[], id: number, at: number) {
    const dictionary = { id, indexType: this.#indices.type };
    this.field = { name, type: UTF8, children: [], dictionary };
    this.#texts = texts;
    this.#id = id;
    this.#at = at;
  }

  add(block: AnswerBlock): void {
    for (let row = 0; row < block.rowCount; row++) this.#indices.add(block.choice(row, this.#at));
  }

  *dictionary(): Generator<DictionaryPart> {
    if (this.#isWritten) return;
    this.#isWritten = true;
    const texts = new TextWriter();
    for (const text of this.#texts) texts.add(text);
    const body = new BatchBody();
    texts.write(body);
    yield { id: this.#id, count: this.#texts.length, isDelta: false, body };
  }

  write(body: BatchBody): void {
    this.#indices.write(body);
  }
}

/** A column that an answer has as it was sent. */
class SentColumn implements OutputColumn {
  readonly field: Field;
  /** Sent values are copied only as they are written. */
  readonly textBytes = 0;
  readonly #name: string;
  readonly #isFile: boolean;
  #batch: ArrowColumns | undefined;
  /** The rows of the batch that were written, and those that were added since. */
  #written = 0;
  #added = 0;
  /** The part of the dictionary that was written. */
  #dictionary: Dictionary | undefined;
  #chunks = 0;

  /**
   * @param source the model's name of the column.
   * @param name of the column in the answer.
   * @param id of its dictionary there.
   */
  constructor(source: string, name: string, { field }: RawColumn, id: number, isFile: boolean) {
    const dictionary = field.dictionary && { ...field.dictionary, id };
    this.field = { ...field, name, dictionary };
    this.#name = source;
    this.#isFile = isFile;
  }

  add({ arrow, rowCount }: AnswerBlock): void {
    if (arrow !== this.#batch) {
      this.#batch = arrow;
      this.#written = 0;
    }
    this.#added += rowCount;
  }

  *dictionary(): Generator<DictionaryPart> {
    const dictionary = this.#batch?.columns.get(this.#name)?.dictionary;
    const id = this.field.dictionary?.id;
    if (!dictionary || id === undefined) return;
    if (dictionary !== this.#dictionary) this.#begin(dictionary);
    for (const chunk of dictionary.chunks.slice(this.#chunks)) {
      const body = new BatchBody();
      writeRows(body, chunk, 0, chunk.length);
      yield { id, count: chunk.length, isDelta: this.#chunks > 0, body };
      this.#chunks++;
    }
  }

  write(body: BatchBody): void {
    const raw = this.#batch?.columns.get(this.#name);
    if (raw && this.#batch) writeRows(body, raw, this.#batch.start + this.#written, this.#added);
    this.#written += this.#added;
    this.#added = 0;
  }

  #begin(dictionary: Dictionary): void {
    if (this.#dictionary && this.#isFile) {
      const name = quote(this.#name);
      throw new FormatError(
        `The dictionary of the column ${name} is replaced by another, which a file of Arrow cannot have. Ask for a stream.`,
      );
    }
    this.#dictionary = dictionary;
    this.#chunks = 0;
  }
}

/** The rows of a block and what is predicted of them, from which an answer takes values by column. */
export class AnswerBlock {
  readonly rowCount: number;
  readonly predicted: PredictedBlock;
  readonly #block: RowBlock;
  readonly #layout: AnswerLayout;
  #rows: readonly RowObject[] | undefined;
  #choices: Uint8Array | undefined;

  constructor(block: RowBlock, predicted: PredictedBlock, layout: AnswerLayout) {
    this.#block = block;
    this.predicted = predicted;
    this.rowCount = block.rowCount;
    this.#layout = layout;
  }

  /** The columns of Arrow that the rows are of; undefined for other formats. */
  get arrow(): ArrowColumns | undefined {
    return this.#block instanceof ColumnBlock ? this.#block.batch.arrow : undefined;
  }

  /** True if these are the last rows of their batch. */
  get isLast(): boolean {
    const block = this.#block;
    return block instanceof ColumnBlock && block.start + block.rowCount === block.batch.length;
  }

  /** True if the batch may be cut behind these rows: bits stay whole bytes. */
  get isCut(): boolean {
    const block = this.#block;
    return block instanceof ColumnBlock && (block.start + block.rowCount) % 8 === 0;
  }

  /** The rows as objects under the model's names. */
  get rows(): readonly RowObject[] {
    this.#rows ??= Array.from({ length: this.rowCount }, (_, index) => this.#block.row(index));
    return this.#rows;
  }

  choice(row: number, at: number): number {
    this.#choices ??= this.#choose();
    return this.#choices[row * this.#layout.choiceCount + at] ?? 0;
  }

  #choose(): Uint8Array {
    const { choiceCount, sent, target } = this.#layout;
    const originalAt = isExplained(this.#layout) ? this.#block.readColumn(sent[target] ?? '') : () => null;
    const choices = new Uint8Array(this.rowCount * choiceCount);
    for (let row = 0; row < this.rowCount; row++) {
      this.predicted.writeChoices(row, originalAt(row), choices, row * choiceCount);
    }
    return choices;
  }

  /** Adds what the rows sent under a name. */
  addNumbers(name: string, numbers: TextNumbers, to: NumberWriter): void {
    const block = this.#block;
    const valueAt = block.readColumn(name);
    const column = block instanceof CellBlock ? block.plan.columns.indexOf(name) : -1;
    if (block instanceof CellBlock && column >= 0) {
      const read = block.readNumbers(column, numbers.readsPoints);
      for (const row of read.unread) read.numbers[row] = toNumber(valueAt(row), numbers);
      to.addColumn(read.numbers, 0, 1, this.rowCount);
    } else {
      for (let row = 0; row < this.rowCount; row++) to.add(toNumber(valueAt(row), numbers));
    }
  }

  addTexts(name: string, to: TextWriter): void {
    const block = this.#block;
    const column = block instanceof CellBlock ? block.plan.columns.indexOf(name) : -1;
    if (block instanceof CellBlock && column >= 0) {
      block.addTexts(column, to);
      return;
    }
    const valueAt = block.readColumn(name);
    for (let row = 0; row < this.rowCount; row++) to.addValue(valueAt(row));
  }
}
