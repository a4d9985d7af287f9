import { cutText } from '../text/cut-text.js';
import { isRowObject, type TextReader, textReader } from './cells.js';
import type { TableColumn } from './column.js';
import { type CellColumn, ColumnBuilder } from './column-builder.js';
import { columnName, INDEX_COLUMN, nameIndex, tooManyColumns } from './column-names.js';
import { type ColumnSummary, categoryShare, profileColumn } from './column-profile.js';
import { DroppedRows, type RowRanges } from './dropped-rows.js';
import { TableWords } from './missing-words.js';
import { type Alternative, findAlternatives, type MarkParameter, toParameter } from './reading/alternatives.js';
import { marksOf, type Place, type ShownReading, shownReading, type TableMarks } from './reading/column-reading.js';
import { notAnObject, type ObjectSink, type OrderedSink } from './row-reader.js';
import { RowPlaces } from './rows-read.js';
import { MAX_COLUMNS } from './table.js';
import { TableError } from './table-error.js';
import { TextMemory } from './text-column.js';

/** The rows that tell what columns hold, and the characters of their cells that are looked at. */
const MAX_READ_ROWS = 1000;
const MAX_READ_CHARACTERS = 8 * 1024 * 1024;

/** The rows that are shown, and the characters of all of them. */
const MAX_SHOWN_ROWS = 20;
const MAX_SHOWN_CHARACTERS = 128 * 1024;

const MAX_EXAMPLES = 3;

/** The texts of a column that are named as missing. */
const MAX_WORDS = 19;

/** The characters that are shown of a cell, an example and a name. */
const MAX_CELL = 200;
const MAX_EXAMPLE = 60;
const MAX_NAME = 1000;

/** A column as its first rows show it. */
export interface PreviewColumn {
  readonly name: string;
  /** The kind as which its values would be read; `empty` without any. */
  readonly kind: ColumnSummary['kind'] | 'empty';
  /** How its texts would be read; null for plain values. */
  readonly reading: ShownReading | null;
  /** The first different values, at most three. */
  readonly examples: string[];
  /** The texts that count as missing and their rows, the most frequent first; '' is an empty cell. */
  readonly missing: MissingText[];
  /** The parameters that would decide an undecided column, each with what it makes of an example. */
  readonly alternatives: ReadingAlternative[];
  /** True of a first column without a name, which a training does not learn from unless its use is chosen. */
  readonly is_index: boolean;
}

/** A text that counts as a missing value, and the rows that have it. */
interface MissingText {
  readonly text: string;
  readonly rows: number;
}

/** A parameter of a training with its value, and what it makes of a text. */
interface ReadingAlternative extends MarkParameter {
  readonly text: string;
  readonly becomes: string;
}

/** The beginning of a table, as it is read. */
export interface FirstRowsShown {
  readonly columns: PreviewColumn[];
  /** The cells of at most 20 rows, by column; null is missing. */
  readonly rows: (string | null)[][];
  /** The rows that tell what the columns hold. */
  readonly rows_read: number;
  /** The columns that have neither a name nor a value in these rows: a training leaves them out. */
  readonly unnamed_columns: number;
}

interface Column {
  readonly name: string;
  readonly isIndex: boolean;
  readonly builder: ColumnBuilder;
  readonly readText: TextReader;
  readonly examples: Set<string>;
  /** The rows of each text that counts as missing, but for empty cells. */
  readonly missing: Map<string, number>;
  /** The rows with a value. */
  present: number;
}

/** Gathers the first rows of a table without a target, and needs no more after some. */
export class FirstRows implements OrderedSink {
  readonly #memory = new TextMemory();
  readonly #marks: TableMarks;
  readonly #dropped: DroppedRows;
  readonly #words: TableWords;
  readonly #columns: Column[] = [];
  readonly #shown: (string | null)[][] = [];
  #shownCharacters = 0;
  #characters = 0;
  #named = 0;
  readonly places = new RowPlaces();

  /**
   * @param marks whose meaning the sender has named.
   * @param dropped rows that the sender leaves out; later rows than the first may be among them.
   */
  constructor(marks: TableMarks = {}, dropped: RowRanges = []) {
    this.#marks = marks;
    this.#dropped = new DroppedRows(dropped);
    this.#words = new TableWords(marks);
  }

  get rowCount(): number {
    return this.places.length;
  }

  get isFull(): boolean {
    return this.rowCount >= MAX_READ_ROWS || this.#characters >= MAX_READ_CHARACTERS;
  }

  /** The same rows for a format of objects, whose names come with their values. */
  readonly objects: ObjectSink = new FirstObjects(this);

  /** Adds columns, whatever their names are. */
  begin(sent: readonly string[]): void {
    const given = sent.map(columnName);
    const names = nameIndex(given);
    for (const [at, name] of names.entries()) this.addColumn(name, name !== given[at]);
  }

  addColumn(name: string, isIndex: boolean): void {
    if (name !== '' && ++this.#named > MAX_COLUMNS) throw tooManyColumns();
    const words = this.#words.of(name);
    const builder = new ColumnBuilder(this.#memory, undefined, marksOf(this.#marks, name), words);
    const gathered = {
      builder,
      readText: textReader(words),
      examples: new Set<string>(),
      missing: new Map(),
      present: 0,
    };
    this.#columns.push({ name, isIndex, ...gathered });
  }

  drops(place: Place): boolean {
    return this.#dropped.has(place);
  }

  add(cells: readonly unknown[], place: Place): void {
    if (this.isFull || this.drops(place)) return;
    const row = this.rowCount;
    this.places.add(place);
    const texts = this.#columns.map((column, at) => this.#put(column, row, cells[at], place));
    this.#show(texts);
  }

  addColumns(first: number, length: number, columns: ReadonlyMap<number, CellColumn>): void {
    for (let index = 0; index < length && !this.isFull; index++) {
      const place = { row: first + index };
      if (this.drops(place)) continue;
      const row = this.rowCount;
      this.places.add(place);
      const texts = this.#columns.map((column, at) => {
        const cells = columns.get(at);
        if (cells === undefined || cells.kind === 'missing') return null;
        return this.#put(column, row, cells.value(index), { row: first + index });
      });
      this.#show(texts);
    }
  }

  /** Returns what was gathered, which is given up, and the columns as a training would get them. */
  take(): { readonly shown: FirstRowsShown; readonly columns: readonly TableColumn[] } {
    const isLeftOut = ({ name, isIndex, examples }: Column) => (name === '' || isIndex) && examples.size === 0;
    const kept = [...this.#columns.entries()].filter(([, column]) => !isLeftOut(column));
    if (kept.length > MAX_COLUMNS) throw tooManyColumns();
    const share = categoryShare(kept.length);
    const taken: TableColumn[] = [];
    const columns = kept.map(([, held]): PreviewColumn => {
      const { name, isIndex, builder, examples } = held;
      const column = builder.take(name, this.rowCount);
      taken.push(column);
      const { kind, reading } = profileColumn(column, share).summary;
      // Marks decide nothing where other texts are too many.
      const isMixed = column.missing !== undefined && column.missing.unread !== null;
      const isUndecided = reading?.kind === 'undecided' && column.kind === 'text' && !isMixed;
      const alternatives = isUndecided ? findAlternatives(column.texts, marksOf(this.#marks, name)) : [];
      const shownName = name.slice(0, MAX_NAME);
      return {
        name: shownName,
        kind: examples.size === 0 ? 'empty' : kind,
        reading: shownReading(reading),
        examples: [...examples],
        missing: countMissing(held, this.rowCount),
        alternatives: alternatives.map((alternative) => asParameter(alternative, shownName)),
        is_index: isIndex,
      };
    });
    const shown = {
      columns,
      // Objects may bring a column after the first rows.
      rows: this.#shown.map((row) => kept.map(([at]) => row[at] ?? null)),
      rows_read: this.rowCount,
      unnamed_columns: this.#columns.length - kept.length,
    };
    return { shown, columns: taken };
  }

  #put(column: Column, row: number, cell: unknown, place?: Place): string | null {
    const { builder, readText, examples, missing } = column;
    builder.put(row, cell, place);
    const text = readText(cell);
    this.#characters += text.length;
    if (text === '') {
      const isText = typeof cell === 'string' || typeof cell === 'number';
      const word = isText && !Number.isNaN(cell) ? cutText(String(cell).trim(), MAX_EXAMPLE) : '';
      const isCounted = word !== '' && (missing.has(word) || missing.size < MAX_WORDS);
      if (isCounted) missing.set(word, (missing.get(word) ?? 0) + 1);
      return null;
    }
    column.present++;
    if (examples.size < MAX_EXAMPLES) examples.add(cutText(text, MAX_EXAMPLE));
    return text;
  }

  #show(texts: readonly (string | null)[]): void {
    if (this.#shown.length === MAX_SHOWN_ROWS) return;
    const row = texts.map((text) => text && cutText(text, MAX_CELL));
    const characters = row.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    // A first row is shown, however wide it is.
    if (this.#shown.length > 0 && this.#shownCharacters + characters > MAX_SHOWN_CHARACTERS) return;
    this.#shownCharacters += characters;
    this.#shown.push(row);
  }
}

/** Lists the texts of a column that count as missing. A row in which it has no cell counts as an empty one. */
function countMissing({ missing, present }: Column, rowCount: number): MissingText[] {
  const words = [...missing].map(([text, rows]) => ({ text, rows }));
  const empty = words.reduce((left, { rows }) => left - rows, rowCount - present);
  if (empty > 0) words.push({ text: '', rows: empty });
  return words.sort((one, other) => other.rows - one.rows);
}

/** Returns an alternative as the parameter of a training that states it. */
function asParameter({ marks, text, becomes }: Alternative, column: string): ReadingAlternative {
  return { ...toParameter(marks, column), text: cutText(text, MAX_EXAMPLE), becomes };
}

/** Brings objects into the order of the names as they appear. */
class FirstObjects implements ObjectSink {
  readonly #rows: FirstRows;
  readonly #places = new Map<string, number>();
  #count = 0;

  constructor(rows: FirstRows) {
    this.#rows = rows;
  }

  get isFull(): boolean {
    return this.#rows.isFull;
  }

  add(row: unknown, place: Place = { row: this.#count }): void {
    this.#count++;
    if (this.isFull || this.#rows.drops(place)) return;
    if (!isRowObject(row)) throw new TableError([notAnObject(place)]);
    const cells: unknown[] = [];
    for (const [key, value] of Object.entries(row)) {
      const name = columnName(key) || INDEX_COLUMN;
      let at = this.#places.get(name);
      if (at === undefined) {
        at = this.#places.size;
        this.#places.set(name, at);
        this.#rows.addColumn(name, columnName(key) === '');
      }
      cells[at] = value;
    }
    this.#rows.add(cells, place);
  }
}
