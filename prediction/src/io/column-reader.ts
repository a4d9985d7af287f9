import type { RowColumns } from '../rows/blocks.js';
import type { OutlierCheck } from '../rows/outlier-checks.js';
import type { BinnedInput, BinnedRows, RowBinner, RowBlock } from '../rows/row-binner.js';
import type { SchemaCheck } from '../rows/row-check.js';
import { ColumnMapper } from '../rows/row-keys.js';
import type { RowObject } from '../table/cells.js';
import { MISSING_BIN } from '../trees/binning/bin-mapper.js';
import { type ReadOptions, type RowReader, refuseUnknown } from './answer-part.js';
import type { RawColumn } from './arrow/raw-column.js';
import type { EntryVector, TimeVector, Vector } from './columns/vector.js';

/** Rows that came together, by the places of their columns. */
interface SentBatch {
  readonly length: number;
  readonly vectors: ReadonlyMap<number, Vector>;
  /** For Arrow, the columns as they were sent, and the first of the rows in them. */
  readonly columns?: readonly (RawColumn | undefined)[];
  readonly start?: number;
}

/**
 * Reads the batches of a body.
 *
 * @param choose is given the names of the columns, and returns the places of those that are wanted.
 */
type ReadBatches = (
  body: AsyncIterable<Uint8Array>,
  choose: (names: readonly string[]) => ReadonlySet<number>,
) => AsyncIterable<SentBatch>;

/** Reads rows that come by column, such as those of Arrow and Parquet. */
export class ColumnRowReader implements RowReader {
  readonly isWhole = false;
  readonly #blocks: RowColumns;
  readonly #unknown: ReadOptions['unknown'];
  readonly #check: SchemaCheck;
  readonly #readBatches: ReadBatches;
  /** The place of each column by its name, as a row would have it. */
  #sent: Readonly<Record<string, number>> = {};

  constructor(blocks: RowColumns, { unknown }: ReadOptions, check: SchemaCheck, readBatches: ReadBatches) {
    this.#blocks = blocks;
    this.#unknown = unknown;
    this.#check = check;
    this.#readBatches = readBatches;
  }

  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<ColumnBlock>> {
    let places: ReadonlyMap<string, number> = new Map();
    const batches = this.#readBatches(body, (names) => {
      places = this.#findPlaces(names);
      return new Set(places.values());
    });
    for await (const { length, vectors, columns, start = 0 } of batches) {
      const named = valuesAt(places, (place) => vectors.get(place));
      const arrow = columns && { columns: valuesAt(places, (place) => columns[place]), start };
      yield this.#cut({ length, vectors: named, arrow });
    }
  }

  /**
   * Returns the place of each column that the model knows, by the model's name. Of two columns of one name the last
   * counts, as in an object of JSON.
   *
   * @throws {UnknownNamesError} if there are others, and they are to be refused.
   */
  #findPlaces(names: readonly string[]): ReadonlyMap<string, number> {
    const sent = Object.fromEntries(names.map((name, place) => [name, place]));
    this.#sent = sent;
    const { renamed, keys, unknown } = new ColumnMapper(this.#blocks.names).findLayout(sent);
    if (unknown.length > 0 && this.#unknown === 'refuse') {
      const check = this.#blocks.check();
      check.addColumns(sent, 1, () => 0);
      refuseUnknown(check);
    }
    const isUnknown = new Set(unknown);
    const known = keys.filter((key) => !isUnknown.has(key));
    return new Map(known.map((key) => [renamed.get(key) ?? key, sent[key] ?? 0]));
  }

  /** Counts what the model does not know in a batch, and cuts it into blocks. */
  *#cut(batch: ColumnBatch): Generator<ColumnBlock> {
    const { binner, maxRows } = this.#blocks;
    this.#check.addColumns(this.#sent, batch.length, (finder) => {
      const vector = batch.vectors.get(finder.cell.name);
      return vector === undefined ? 0 : suspectsIn(vector, finder, batch.length);
    });
    for (let start = 0; start < batch.length; start += maxRows) {
      yield new ColumnBlock(batch, start, Math.min(maxRows, batch.length - start), binner);
    }
  }
}

function valuesAt<T>(
  places: ReadonlyMap<string, number>,
  valueAt: (place: number) => T | undefined,
): ReadonlyMap<string, T> {
  const values = new Map<string, T>();
  for (const [name, place] of places) {
    const value = valueAt(place);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

function suspectsIn(vector: Vector, finder: OutlierCheck, rows: number): number {
  let count = 0;
  // Typed values of the column's kind are read as they are.
  if (finder.kind === 'unreadable' && vector.kind === finder.columnKind) return 0;
  if (vector.kind === 'number') {
    // NaN is suspect no more than a missing value.
    for (const value of vector.values) if (finder.isSuspect(value)) count++;
    return count;
  }
  if (vector.kind !== 'entries') {
    for (let row = 0; row < rows; row++) if (finder.isSuspect(vector.value(row))) count++;
    return count;
  }
  const isSuspect = vector.entries.findings(finder);
  for (let row = 0; row < rows; row++) {
    const code = vector.codes[row] ?? 0;
    let found = isSuspect[code] ?? -1;
    if (found < 0) {
      found = finder.isSuspect(vector.value(row)) ? 1 : 0;
      if (code >= 0) isSuspect[code] = found;
    }
    count += found;
  }
  return count;
}

/** Rows that came together, by column. */
interface ColumnBatch {
  readonly length: number;
  /** The columns under the model's names. */
  readonly vectors: ReadonlyMap<string, Vector>;
  readonly arrow?: ArrowColumns | undefined;
}

/** The columns of a batch of Arrow as they were sent, under the model's names, and the first of its rows in them. */
export interface ArrowColumns {
  readonly columns: ReadonlyMap<string, RawColumn>;
  readonly start: number;
}

/** Rows of a batch, which it bins without an object a row. */
export class ColumnBlock implements RowBlock {
  readonly #binner: RowBinner;

  /** @param start the first of the rows. */
  constructor(
    readonly batch: ColumnBatch,
    readonly start: number,
    readonly rowCount: number,
    binner: RowBinner,
  ) {
    this.#binner = binner;
  }

  bin({ bins, isPartial }: BinnedRows): void {
    const count = this.rowCount;
    isPartial.fill(0, 0, count);
    for (const [feature, input] of this.#binner.inputs.entries()) {
      const of = bins.subarray(feature * count, (feature + 1) * count);
      this.#binColumn(this.batch.vectors.get(input.cell.name), input, of);
      maskUnfamiliar(of, input, isPartial);
    }
  }

  row(index: number): RowObject {
    const at = this.start + index;
    const { vectors } = this.batch;
    // As the key of an assignment, this name would set the prototype.
    if (vectors.has('__proto__')) {
      return Object.fromEntries(Array.from(vectors, ([name, vector]) => [name, vector.value(at)]));
    }
    const values: Record<string, unknown> = {};
    for (const [name, vector] of vectors) values[name] = vector.value(at);
    return values;
  }

  /** Returns a column of the rows from one index up to another. */
  vector(name: string, from: number, to: number): Vector | undefined {
    return this.batch.vectors.get(name)?.slice(this.start + from, this.start + to);
  }

  readColumn(name: string): (index: number) => unknown {
    const vector = this.batch.vectors.get(name);
    return (index) => vector?.value(this.start + index) ?? null;
  }

  #binColumn(vector: Vector | undefined, input: BinnedInput, bins: Uint8Array): void {
    const { encoder } = input;
    const { start } = this;
    if (vector === undefined || vector.kind === 'missing') {
      bins.fill(MISSING_BIN);
    } else if (vector.kind === 'number') {
      const { values } = vector;
      for (let row = 0; row < bins.length; row++) bins[row] = encoder.bin(values[start + row]);
    } else if (vector.kind === 'date') {
      this.#binTimes(vector, input, bins);
    } else {
      this.#binEntries(vector, input, bins);
    }
  }

  #binTimes(vector: TimeVector, { encoder }: BinnedInput, bins: Uint8Array): void {
    const { start } = this;
    const { binOfTime } = encoder;
    for (let row = 0; row < bins.length; row++) {
      bins[row] = binOfTime
        ? binOfTime(vector.values[start + row] ?? Number.NaN)
        : encoder.bin(vector.value(start + row));
    }
  }

  #binEntries(vector: EntryVector, input: BinnedInput, bins: Uint8Array): void {
    const { codes, entries } = vector;
    const { start } = this;
    const binOf = entries.findings(input);
    for (let row = 0; row < bins.length; row++) {
      const code = codes[start + row] ?? 0;
      let bin = binOf[code] ?? -1;
      if (bin < 0) {
        bin = input.encoder.bin(vector.value(start + row));
        if (code >= 0) binOf[code] = bin;
      }
      bins[row] = bin;
    }
  }
}

function maskUnfamiliar(bins: Uint8Array, { isUnseen, mask }: BinnedInput, isPartial: Uint8Array): void {
  for (let row = 0; row < bins.length; row++) {
    if (isUnseen[bins[row] ?? 0] !== 1) continue;
    bins[row] = mask;
    isPartial[row] = 1;
  }
}
