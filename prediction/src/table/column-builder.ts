import { type TextReader, textReader } from './cells.js';
import {
  type ColumnUse,
  isPassedOver,
  MAX_TEXTS,
  type MissingCells,
  type TableColumn,
  type TextColumn,
} from './column.js';
import { countCodes } from './column-profile.js';
import { DEFAULT_WORDS, MissingWords, WordCounts } from './missing-words.js';
import type { ColumnReading, Place, ReadingMarks, UndecidedReading } from './reading/column-reading.js';
import { ColumnValues } from './reading/column-values.js';
import { looksLike } from './reading/create-reader.js';
import { ColumnForm, type ColumnKind, type MixedKind } from './reading/decide-column.js';
import { describeUnread, listUnread, type UnreadCells } from './reading/unread-cells.js';
import { countBytes, detached, TextCells, type TextHolder, type TextMemory, typedText } from './text-column.js';
import { readTextValues } from './text-values.js';

/** The cells of a column in some rows: values, or numbers, or moments in milliseconds since 1970. */
export type CellColumn =
  | { readonly kind: 'entries'; value(index: number): unknown }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'number' | 'date';
      value(index: number): unknown;
      /** NaN is missing. */
      readonly values: Float64Array;
      /** Writes one of them as a cell of text. */
      readonly textOf: (value: number) => string;
    };

/**
 * Gathers the cells of one column. Rows that are passed over stay missing. It begins with the
 * distinct texts; if they become too many, it goes over to numbers or dates, if they are such, and
 * else does without the rare ones. The meaning of the texts is decided when all are there.
 */
export class ColumnBuilder implements TextHolder {
  readonly #memory: TextMemory;
  readonly #use: ColumnUse | undefined;
  readonly #form: ColumnForm;
  readonly #words: readonly string[];
  readonly #readText: TextReader;
  /** The words that are numbers. */
  readonly #missingNumbers: ReadonlyMap<number, string>;
  readonly #found: WordCounts;
  #isEmpty = true;
  #texts = new TextCells();
  #values: ColumnValues | undefined;
  /** Writes a value as a cell of text, of cells that came as numbers. */
  #textOf: ((value: number) => string) | undefined;

  /**
   * @param use without it, the values decide what the column holds.
   * @param marks that the sender has named.
   * @param words that count as missing.
   */
  constructor(memory: TextMemory, use?: ColumnUse, marks?: ReadingMarks, words = DEFAULT_WORDS) {
    this.#memory = memory;
    this.#use = use;
    this.#form = new ColumnForm(marks);
    this.#words = words;
    this.#readText = textReader(words);
    this.#missingNumbers = MissingWords.of(words).numbers;
    this.#found = new WordCounts(words);
    memory.enter(this);
  }

  /** True for an index without values: the table then has no such column. */
  get isEmptyIndex(): boolean {
    return this.#use === 'index' && this.#isEmpty;
  }

  get heldBytes(): number {
    return this.#values === undefined ? this.#texts.heldBytes : 0;
  }

  put(row: number, cell: unknown, place?: Place): void {
    if (isPassedOver(this.#use)) {
      if (this.#isEmpty) this.#isEmpty = this.#readText(cell) === '';
      return;
    }
    if (this.#values === undefined) this.#putText(row, cell, place);
    else this.#putValue(this.#values, row, cell, place);
  }

  /**
   * Puts the cells of some rows; of one column, all are of one kind.
   *
   * @param rows the index of each, negative where it is left out.
   * @param first the index of the first of them in the sender's table.
   */
  putColumn(rows: Int32Array, cells: CellColumn, first: number): void {
    if (cells.kind === 'missing' || this.#use === 'unused') return;
    const isOther = this.#use !== undefined && this.#use !== cells.kind;
    if (cells.kind === 'entries' || isOther) {
      for (let index = 0; index < rows.length; index++) {
        const row = rows[index] ?? -1;
        if (row < 0) continue;
        const value = cells.value(index);
        // Most texts are known, and need no place.
        const isKnown = this.#values === undefined && typeof value === 'string' && this.#texts.putKnown(row, value);
        if (!isKnown) this.put(row, value, { row: first + index });
      }
      return;
    }
    const { kind, textOf } = cells;
    const isNumber = kind === 'number';
    const own = isNumber ? ({ kind, unit: null } as const) : { kind };
    this.#values ??= new ColumnValues(own, this.#form);
    this.#textOf = textOf;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? -1;
      const value = cells.values[index] ?? Number.NaN;
      if (row < 0 || Number.isNaN(value)) continue;
      if (isNumber && this.#missingNumbers.has(value)) this.#found.add(value, { row: first + index });
      else this.#values.putValue(row, value);
    }
  }

  #putValue(values: ColumnValues, row: number, cell: unknown, place: Place | undefined): void {
    if (typeof cell === 'number' && values.kind.kind === 'number') {
      if (this.#missingNumbers.has(cell)) this.#found.add(cell, place);
      else if (!Number.isNaN(cell)) values.putValue(row, cell);
      return;
    }
    const text = this.#readText(cell);
    if (text === '') this.#found.add(cell, place);
    else values.putText(row, text, place);
  }

  #putText(row: number, cell: unknown, place: Place | undefined): void {
    // A text that is kept needs no more reading.
    if (typeof cell === 'string' && this.#texts.putKnown(row, cell)) return;
    const own = this.#readText(cell);
    const isTyped = typeof cell === 'number';
    const text = isTyped ? typedText(own) : own;
    if (text === '') this.#found.add(cell, place);
    if (text === '' || (text !== cell && this.#texts.putKnown(row, text))) return;
    if (this.#texts.isFull) this.makeRoom();
    this.#memory.reserve(text);
    // Room may have been made here, by going over to values.
    if (this.#values === undefined) {
      this.#texts.putNew(row, detached(text));
      if (text !== own) this.#texts.markTyped(text);
      if (!isTyped && this.#use !== 'category') this.#form.add(text, place);
    } else {
      this.#memory.release(countBytes(text));
      this.#putValue(this.#values, row, cell, place);
    }
  }

  makeRoom(): void {
    const before = this.heldBytes;
    const kind = this.#findKind();
    if (kind === null || kind.kind === 'undecided') this.#texts.forgetRare();
    else this.#becomeValues(kind.kind === 'mixed' ? kind.most : kind);
    this.#memory.release(before - this.heldBytes);
  }

  /** The column; the cells are given up with it. */
  take(name: string, rowCount: number): TableColumn {
    const choice = this.#use;
    if (isPassedOver(choice)) return unusedColumn(name, choice);
    const chosen = choice === 'number' || choice === 'date' ? choice : undefined;
    if (this.#values === undefined) {
      const kind = this.#findKind();
      if (chosen === undefined || kind === null || !isKind(kind)) return this.#takeTexts(name, rowCount, kind);
      this.#becomeValues(kind);
    }
    return this.#takeValues(name, rowCount, chosen);
  }

  #takeTexts(name: string, rowCount: number, kind: FoundKind): TextColumn {
    const reading = this.#decide(kind);
    const others = kind?.kind === 'mixed' && !kind.isOfUnits ? this.#findOthers(kind) : null;
    const texts = this.#texts.take(name, rowCount, reading);
    const missing = this.#describeMissing(others ?? this.#findUnread(texts, reading));
    const column = { ...texts, missing };
    return this.#use === 'category' ? { ...column, chosen: this.#use } : column;
  }

  #describeMissing(unread: UnreadCells | null): MissingCells {
    return { words: this.#words, found: this.#found.list(), unread };
  }

  #decide(kind: FoundKind): ColumnReading | null {
    if (kind === null || kind.kind === 'undecided') return kind;
    return kind.kind === 'mixed' ? kind.reading : this.#form.decide(kind);
  }

  /** Finds the texts that are not values of the kind of most texts. */
  #findOthers({ most }: MixedKind): UnreadCells | null {
    const isRead = (text: string) => looksLike(most.kind, text);
    return listUnread(most.kind, this.#texts.counted(), isRead, (text) => this.#form.placeOf(text));
  }

  /** Finds the texts that contradict the reading of their column. */
  #findUnread({ texts, codes }: TextColumn, reading: ColumnReading | null): UnreadCells | null {
    if (reading === null || reading.kind === 'undecided') return null;
    const values = readTextValues(texts, reading.kind, reading);
    const counts = countCodes({ texts, codes });
    const unread: [text: string, rows: number][] = [];
    let present = 0;
    for (let code = 1; code < counts.length; code++) {
      const rows = counts[code] ?? 0;
      present += rows;
      // The code behind the texts is that of texts that were not kept.
      if (rows > 0 && Number.isNaN(values[code])) unread.push([texts[code - 1] ?? '', rows]);
    }
    return describeUnread(reading.kind, unread, present, (text) => this.#form.placeOf(text));
  }

  #takeValues(name: string, rowCount: number, chosen: 'number' | 'date' | undefined): TableColumn {
    const held = this.#values;
    if (held === undefined) throw new Error('The column has no values');
    const reading = held.decide(chosen !== undefined);
    const values = held.take(rowCount, reading);
    const { kind } = held.kind;
    const missing = this.#describeMissing(held.listUnread(values, reading));
    if (chosen !== undefined) {
      if (reading.kind === 'undecided') values.fill(Number.NaN);
      return { kind, name, values, reading, chosen, missing };
    }
    if (reading.kind === 'undecided') return { ...unreadColumn(name, values, reading), missing };
    const textOf = this.#textOf;
    const fewTexts = textOf && asTexts(name, values, textOf, this.#memory, reading);
    return { ...(fewTexts ?? { kind, name, values, reading }), missing };
  }

  #findKind(): FoundKind {
    const choice = this.#use;
    return choice === 'category' ? null : this.#form.findKind(this.#texts.counted(), choice);
  }

  #becomeValues(kind: ColumnKind): void {
    const values = new ColumnValues(kind, this.#form);
    for (const { row, cell } of this.#texts.takeCells()) {
      if (typeof cell === 'number' && kind.kind === 'number') values.putValue(row, cell);
      else if (cell !== '') values.putText(row, String(cell), undefined);
    }
    this.#texts = new TextCells();
    this.#values = values;
  }
}

/** The kind of most texts of a column; null where they are categories. */
type FoundKind = ColumnKind | MixedKind | UndecidedReading | null;

function isKind(kind: MixedKind | UndecidedReading | ColumnKind): kind is ColumnKind {
  return kind.kind === 'number' || kind.kind === 'date';
}

/**
 * Returns a column as its texts, if they are few and there is room for them: the table is then the same as from a
 * format of texts.
 */
function asTexts(
  name: string,
  values: Float64Array,
  textOf: (value: number) => string,
  memory: TextMemory,
  reading: ColumnReading,
): TextColumn | undefined {
  const codeOf = new Map<number, number>();
  const codes = new Uint16Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    let code = codeOf.get(value);
    if (code === undefined) {
      if (codeOf.size === MAX_TEXTS) return undefined;
      code = codeOf.size + 1;
      codeOf.set(value, code);
    }
    codes[row] = code;
  }
  const texts: string[] = [];
  for (const value of codeOf.keys()) {
    const text = textOf(value);
    if (!memory.tryReserve(text)) {
      for (const held of texts) memory.release(countBytes(held));
      return undefined;
    }
    texts.push(text);
  }
  return { kind: 'text', name, texts, codes, reading };
}

/** Holds no cells, so that columns that are left out take no memory with the number of rows. */
function unusedColumn(name: string, chosen: 'unused' | 'index'): TextColumn {
  return { kind: 'text', name, texts: [], codes: new Uint16Array(0), reading: null, chosen };
}

/** A column whose texts are not kept, since they have more than one meaning. */
function unreadColumn(name: string, values: Float64Array, reading: UndecidedReading): TextColumn {
  const codes = Uint16Array.from(values, (value) => (Number.isNaN(value) ? 0 : 1));
  return { kind: 'text', name, texts: [], codes, reading };
}
