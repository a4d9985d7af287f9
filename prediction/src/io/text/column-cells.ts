import type { TextForm } from '../../rows/row-pieces.js';
import { CELL, CellKind } from '../cells/cell-block.js';
import { type CellMemory, NUMBER_TEXT, writeNumberTexts } from '../cells/cell-memory.js';
import { CellTexts } from '../cells/cell-texts.js';
import type { ColumnBlock } from '../column-reader.js';
import type { EntryVector, Vector } from '../columns/vector.js';

/** Texts that are kept, as many rows have them, and the longest of them, in bytes. */
const MAX_KNOWN = 4096;
const MAX_KNOWN_BYTES = 64;

/** Rows are laid out together whose texts take so many bytes, or a row that takes more. */
const PORTION = 1024 * 1024;

/** A column that an answer repeats. */
interface EchoedColumn {
  readonly name: string;
  /** The index of its cell in a row. */
  readonly at: number;
}

/** Makes cells of rows that came by column: their texts as an answer has them. */
export class ColumnCells {
  /** The address of the cells of a block's rows. */
  readonly start: number;
  readonly #held: CellMemory;
  readonly #columns: readonly EchoedColumn[];
  readonly #form: TextForm;
  readonly #maxRows: number;
  readonly #doubles: number;
  readonly #numbers: number;
  /** Texts of rows, which are laid out again for the next ones, and those of many rows. */
  readonly #texts: CellTexts;
  readonly #knownTexts: CellTexts;
  /** The cells of the latter, and how many there are. */
  readonly #known: number;
  #count = 0;

  /** @param columns the indexes of the columns that the answer repeats */
  constructor(held: CellMemory, columns: ReadonlySet<number>, form: TextForm, maxRows: number) {
    const { memory, plan } = held;
    this.#held = held;
    this.#columns = Array.from(columns, (at) => ({ name: plan.columns[at] ?? '', at }));
    this.#form = form;
    this.#maxRows = maxRows;
    this.start = memory.allocate(CELL * maxRows * plan.columns.length);
    this.#doubles = memory.allocate(8 * maxRows);
    this.#numbers = memory.allocate(NUMBER_TEXT * maxRows * this.#columns.length);
    this.#known = memory.allocate(CELL * MAX_KNOWN);
    this.#texts = new CellTexts(memory);
    this.#knownTexts = new CellTexts(memory);
  }

  /** Lays out rows from an index on. Returns the index behind the last one. */
  lay(block: ColumnBlock, from: number): number {
    const to = portionEnd(block, this.#columns, from);
    const begin = this.start + from * this.#stride;
    this.#texts.clear();
    this.#held.memory.bytes.fill(0, begin, this.start + to * this.#stride);
    for (const [index, { name, at }] of this.#columns.entries()) {
      const first = begin + CELL * at;
      const vector = block.vector(name, from, to);
      if (vector) this.#layColumn(vector, first, index, to - from);
    }
    return to;
  }

  get #stride(): number {
    return CELL * this.#held.plan.columns.length;
  }

  /** @param cell the address of the first cell */
  #layColumn(vector: Vector, cell: number, index: number, rows: number): void {
    if (vector.kind === 'number') this.#layNumbers(vector.values, cell, index);
    else if (vector.kind === 'entries') this.#layEntries(vector, cell);
    else if (vector.kind === 'date') {
      for (let row = 0; row < rows; row++) this.#put(this.#texts, vector.value(row), cell + row * this.#stride);
    }
  }

  #layNumbers(values: Float64Array, cell: number, index: number): void {
    const { memory } = this.#held;
    const texts = this.#numbers + index * NUMBER_TEXT * this.#maxRows;
    // Numbers that are not finite have no text, and become missing values.
    writeNumberTexts(memory, values, { doubles: this.#doubles, texts }, (value) =>
      Number.isFinite(value) ? String(value) : '',
    );
    memory.kernel.setNumbers(texts, values.length, cell, this.#stride);
  }

  #copyKnown(place: number, cell: number): void {
    const { words } = this.#held.memory;
    const from = this.#known / 4 + 2 * place;
    words[cell / 4] = words[from] ?? 0;
    words[cell / 4 + 1] = words[from + 1] ?? 0;
  }

  #layEntries(vector: EntryVector, cell: number): void {
    const { codes, entries } = vector;
    const places = entries.findings(this);
    for (let row = 0, to = cell; row < codes.length; row++, to += this.#stride) {
      const code = codes[row] ?? 0;
      const known = places[code] ?? -1;
      const place = known < 0 ? this.#know(vector, row, code, places) : known;
      if (place < 0) this.#put(this.#texts, vector.value(row), to);
      else this.#copyKnown(place, to);
    }
  }

  /** Returns the place of an entry among those that are kept, −1 for one that is not. */
  #know(vector: EntryVector, row: number, code: number, places: Int16Array): number {
    if (code < 0 || code >= places.length || this.#count === MAX_KNOWN) return -1;
    if (vector.entries.textBytes(code) > MAX_KNOWN_BYTES) return -1;
    const place = this.#count++;
    this.#put(this.#knownTexts, vector.value(row), this.#known + CELL * place);
    places[code] = place;
    return place;
  }

  #put(texts: CellTexts, value: unknown, cell: number): void {
    if (value === null) this.#held.memory.words.fill(0, cell / 4, cell / 4 + 2);
    else texts.put(cell, this.#form.valueText(value), CellKind.written);
  }
}

/** Returns the index behind the rows from `from` on that are laid out together. */
function portionEnd(block: ColumnBlock, columns: readonly EchoedColumn[], from: number): number {
  const sizes = new Float64Array(block.rowCount - from);
  for (const { name } of columns) block.vector(name, from, block.rowCount)?.addTextBytes(sizes);
  let bytes = sizes[0] ?? 0;
  let rows = 1;
  while (rows < sizes.length && bytes + (sizes[rows] ?? 0) <= PORTION) bytes += sizes[rows++] ?? 0;
  return from + rows;
}
