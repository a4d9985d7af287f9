import type { TextForm } from '../../serving/row-pieces.js';
import { CELL, CellKind } from '../cells/cell-block.js';
import { type CellMemory, NUMBER_TEXT, writeNumberTexts } from '../cells/cell-memory.js';
import { CellTexts } from '../cells/cell-texts.js';
import type { ColumnBlock } from '../column-reader.js';
import type { EntryVector, Vector } from '../columns/vector.js';

/** Texts of entries that are kept, as many rows have them, and the longest of them, in bytes. */
const MAX_ENTRIES = 4096;
const MAX_ENTRY_BYTES = 64;

/** Rows are laid out together whose texts take so many bytes, or a row that takes more. */
const PORTION = 1024 * 1024;

/** Makes cells of the rows of Arrow and Parquet: their texts as an answer has them. */
export class ColumnCells {
  /** The address of the cells of a block's rows. */
  readonly start: number;
  readonly #held: CellMemory;
  readonly #columns: readonly { readonly name: string; readonly at: number }[];
  readonly #form: TextForm;
  readonly #maxRows: number;
  readonly #doubles: number;
  readonly #numbers: number;
  /** Texts of rows, which are laid out again for the next ones, and those of entries. */
  readonly #texts: CellTexts;
  readonly #entries: CellTexts;
  /** The cells of entries, and how many there are. */
  readonly #known: number;
  #count = 0;

  /** @param columns the indexes of the columns that the answer repeats */
  constructor(held: CellMemory, columns: ReadonlySet<number>, form: TextForm, maxRows: number) {
    const { memory, plan } = held;
    this.#held = held;
    this.#columns = plan.columns.map((name, at) => ({ name, at })).filter(({ at }) => columns.has(at));
    this.#form = form;
    this.#maxRows = maxRows;
    this.start = memory.allocate(CELL * maxRows * plan.columns.length);
    this.#doubles = memory.allocate(8 * maxRows);
    this.#numbers = memory.allocate(NUMBER_TEXT * maxRows * this.#columns.length);
    this.#known = memory.allocate(CELL * MAX_ENTRIES);
    this.#texts = new CellTexts(memory);
    this.#entries = new CellTexts(memory);
  }

  /** Lays out rows from an index on. Returns the index behind the last one. */
  lay(block: ColumnBlock, from: number): number {
    const { vectors } = block.batch;
    const columns = this.#columns.map(({ name, at }) => ({
      at,
      vector: vectors.get(name)?.slice(block.start, block.start + block.rowCount),
    }));
    const to = portionEnd(columns, from, block.rowCount);
    this.#texts.clear();
    const { bytes } = this.#held.memory;
    const stride = this.#stride;
    bytes.fill(0, this.start + from * stride, this.start + to * stride);
    for (const [index, { at, vector }] of columns.entries()) {
      if (vector) this.#layColumn(vector.slice(from, to), this.start + from * stride + CELL * at, index, to - from);
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
      for (let row = 0; row < rows; row++) this.#layText(vector.value(row), cell + row * this.#stride);
    }
  }

  #layNumbers(values: Float64Array, cell: number, index: number): void {
    const { memory } = this.#held;
    const texts = this.#numbers + index * NUMBER_TEXT * this.#maxRows;
    // What is not finite has no text, and becomes a missing value.
    writeNumberTexts(memory, values, { doubles: this.#doubles, texts }, (value) =>
      Number.isFinite(value) ? String(value) : '',
    );
    memory.kernel.setNumbers(texts, values.length, cell, this.#stride);
  }

  #layEntries(vector: EntryVector, cell: number): void {
    const { codes, entries } = vector;
    const { memory } = this.#held;
    const places = entries.findings(this);
    const step = this.#stride / 4;
    let { words } = memory;
    for (let row = 0, to = cell / 4; row < codes.length; row++, to += step) {
      const code = codes[row] ?? 0;
      let place = places[code] ?? -1;
      if (place < 0) {
        place = this.#know(vector, row, code, places);
        if (place < 0) this.#layText(vector.value(row), 4 * to);
        words = memory.words;
        if (place < 0) continue;
      }
      const from = this.#known / 4 + 2 * place;
      words[to] = words[from] ?? 0;
      words[to + 1] = words[from + 1] ?? 0;
    }
  }

  /** Returns the place of an entry among those that are kept, −1 for one that is not. */
  #know(vector: EntryVector, row: number, code: number, places: Int16Array): number {
    if (code < 0 || code >= places.length || this.#count === MAX_ENTRIES) return -1;
    if (vector.entries.textBytes(code) > MAX_ENTRY_BYTES) return -1;
    const place = this.#count++;
    this.#put(this.#entries, vector.value(row), this.#known + CELL * place);
    places[code] = place;
    return place;
  }

  #layText(value: unknown, cell: number): void {
    this.#put(this.#texts, value, cell);
  }

  #put(texts: CellTexts, value: unknown, cell: number): void {
    if (value === null) this.#held.memory.words.fill(0, cell / 4, cell / 4 + 2);
    else texts.put(cell, this.#form.valueText(value), CellKind.written);
  }
}

/** Returns the index behind the rows from `from` on that are laid out together. */
function portionEnd(columns: readonly { readonly vector: Vector | undefined }[], from: number, rows: number): number {
  const sizes = new Float64Array(rows);
  for (const { vector } of columns) vector?.addTextBytes(sizes);
  let bytes = sizes[from] ?? 0;
  let to = from + 1;
  while (to < rows && bytes + (sizes[to] ?? 0) <= PORTION) bytes += sizes[to++] ?? 0;
  return to;
}
