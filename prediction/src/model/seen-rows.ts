import { Cell, type RowObject, textReader } from '../table/cells.js';
import type { TableColumn } from '../table/column.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { createCellReader } from '../table/reading/create-reader.js';
import type { RowTable } from '../table/table.js';

/** The most rows that are kept of a table; of a larger one, those with the least hashes, which are a random sample. */
const MAX_KEPT = 32_768;

const VERSION = 1;
const HEAD_BYTES = 12;
const ROW_BYTES = 6;

/**
 * Knows which rows a model was trained on, in 6 bytes a row: hashes of the columns that it uses and of the target, of all
 * rows of a table or of a sample. Two rows share their hashes once in some 10^14, and those of the columns alone once in
 * 4 × 10^9.
 */
export class SeenRows {
  /** The rows whose hash is larger are not in the sample. */
  readonly #limit: number;
  /** Ascending, each once. */
  readonly #known: Float64Array;

  private constructor(limit: number, keys: Iterable<number>) {
    this.#limit = limit;
    this.#known = Float64Array.from(new Set(keys)).sort();
  }

  /** @param columns of the model that was trained on the table */
  static of(table: RowTable, columns: readonly ColumnSummary[]): SeenRows {
    const { features, targets } = hashRows(table, columns);
    const least = features.slice().sort();
    const limit = least.length > MAX_KEPT ? (least[MAX_KEPT - 1] ?? 0) : 0xffffffff;
    const keys: number[] = [];
    for (const [row, hash] of features.entries()) {
      if (hash <= limit && keys.length < MAX_KEPT) keys.push(packKey(hash, targets[row] ?? 0));
    }
    return new SeenRows(limit, keys);
  }

  /** @throws {Error} if the bytes are not encoded rows */
  static decode(bytes: Uint8Array): SeenRows {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = bytes.length < HEAD_BYTES ? -1 : view.getUint32(8, true);
    const isWhole = bytes.length === HEAD_BYTES + ROW_BYTES * count;
    if (!isWhole || view.getUint32(0, true) !== VERSION) {
      throw new Error('The rows that a model was trained on cannot be read');
    }
    const keys = Array.from({ length: count }, (_, index) => {
      const at = HEAD_BYTES + ROW_BYTES * index;
      return packKey(view.getUint32(at, true), view.getUint16(at + 4, true));
    });
    return new SeenRows(view.getUint32(4, true), keys);
  }

  encode(): Uint8Array {
    const bytes = new Uint8Array(HEAD_BYTES + ROW_BYTES * this.#known.length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, VERSION, true);
    view.setUint32(4, this.#limit, true);
    view.setUint32(8, this.#known.length, true);
    let at = HEAD_BYTES;
    for (const key of this.#known) {
      view.setUint32(at, Math.floor(key / 0x10000), true);
      view.setUint16(at + 4, key % 0x10000, true);
      at += ROW_BYTES;
    }
    return bytes;
  }

  /**
   * Returns those of some rows of a table that are sure to be new to the model: they are in the sample, and not among
   * the rows that it was trained on.
   *
   * @param columns of that model
   */
  findNew(table: RowTable, columns: readonly ColumnSummary[], rows: Uint32Array): Uint32Array {
    const { features, targets } = hashRows(table, columns);
    return rows.filter((row) => {
      const hash = features[row] ?? 0;
      const key = packKey(hash, targets[row] ?? 0);
      return hash <= this.#limit && this.#firstFrom(key) !== key;
    });
  }

  /**
   * Returns a check for rows that have the values of a known one in all columns that the model uses, whatever their
   * target. It knows only the rows of its sample, if it has one.
   *
   * @param columns of the model
   */
  createCheck(columns: readonly ColumnSummary[]): (row: RowObject) => boolean {
    const inputs = columns
      .filter(({ used }) => used)
      .map((summary) => ({ cell: new Cell(summary.name), seed: hashText(summary.name), hashOf: valueHash(summary) }));
    return (row) => {
      let sum = 0;
      for (const { cell, seed, hashOf } of inputs) sum = (sum + mix(seed, hashOf(cell.of(row)))) >>> 0;
      const hash = mix(sum, 1);
      return Math.floor(this.#firstFrom(packKey(hash, 0)) / 0x10000) === hash;
    };
  }

  /** Returns the least key that is known and not below another; NaN if there is none. */
  #firstFrom(key: number): number {
    let [low, high] = [0, this.#known.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#known[middle] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return this.#known[low] ?? Number.NaN;
  }
}

function packKey(hash: number, target: number): number {
  return hash * 0x10000 + target;
}

/** Hashes what a model reads of each row, and its target. Columns that it does not use, such as identifiers, make no row new. */
function hashRows(table: RowTable, columns: readonly ColumnSummary[]) {
  const { rowCount } = table;
  const features = new Uint32Array(rowCount);
  for (const summary of columns) {
    if (!summary.used) continue;
    const column = table.columns.find(({ name }) => name === summary.name);
    const seed = hashText(summary.name);
    const hashAt = column ? hashColumn(column, summary) : () => 0;
    // A sum does not depend on the order of the columns.
    for (let row = 0; row < rowCount; row++) {
      features[row] = (features[row] ?? 0) + mix(seed, hashAt(row));
    }
  }
  return {
    features: features.map((hash) => mix(hash, 1)),
    targets: Uint16Array.from({ length: rowCount }, targetHashes(table)),
  };
}

function hashColumn(column: TableColumn, summary: ColumnSummary): (row: number) => number {
  if (column.kind !== 'text') return (row) => hashNumber(column.values[row] ?? Number.NaN);
  const hashOf = valueHash(summary);
  const known = column.texts.map(hashOf);
  const missing = hashOf(null);
  return (row) => {
    const code = column.codes[row] ?? 0;
    return code === 0 ? missing : (known[code - 1] ?? missing);
  };
}

/** Returns what hashes a value as the model reads it. */
function valueHash({ kind, reading, missing_words: words }: ColumnSummary): (value: unknown) => number {
  const readText = textReader(words);
  if (kind === 'category') return (value) => hashText(readText(value));
  const read = createCellReader(kind, reading, words);
  return (value) => hashNumber(read(value));
}

function targetHashes(table: RowTable): (_: unknown, row: number) => number {
  if (table.task === 'regression') {
    return (_, row) => hashNumber(table.targetValues[row] ?? 0) & 0xffff;
  }
  const known = table.classes.map(({ name }) => hashText(name) & 0xffff);
  return (_, row) => known[table.targetClasses[row] ?? 0] ?? 0;
}

const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);

function hashNumber(value: number): number {
  double[0] = value === 0 || Number.isNaN(value) ? Math.abs(value) : value;
  return mix(mix(0x9747b28c, halves[0] ?? 0), halves[1] ?? 0);
}

function hashText(text: string): number {
  let hash = text.length;
  for (let index = 0; index < text.length; index++) hash = mix(hash, text.charCodeAt(index));
  return hash;
}

/** Mixes 32 bits into a hash, as MurmurHash3 does with a block and at its end (Appleby 2011). */
function mix(hash: number, bits: number): number {
  let block = Math.imul(bits, 0xcc9e2d51);
  block = Math.imul((block << 15) | (block >>> 17), 0x1b873593);
  let mixed = hash ^ block;
  mixed = Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
