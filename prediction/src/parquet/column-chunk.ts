import { FormatFault, within } from '../columns/format-fault.js';
import type { Vector } from '../columns/vector.js';
import { decompress } from './codecs.js';
import { readHybrid } from './hybrid-runs.js';
import type { FlatColumn } from './metadata.js';
import { type PageHeader, readPageHeader } from './page-header.js';
import { plainValues, readValues } from './page-values.js';
import { type ValueSink, valueSink } from './value-sinks.js';

/** A page is held while it is read. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** The bytes that pages may still take when decompressed. */
export interface PageBudget {
  left: number;
}

/**
 * Reads the rows of a column in one row group.
 *
 * @param place what messages call the row group.
 * @throws {FormatFault} at a fault of the bytes.
 */
export function readColumn(
  chunk: Uint8Array,
  codec: number,
  rows: number,
  column: FlatColumn,
  budget: PageBudget,
  place: string,
): Vector {
  const where = `${place}, column ${JSON.stringify(column.name.slice(0, 60))},`;
  return within(where, () => {
    try {
      return new ChunkReader(column, rows, budget).read(chunk, codec);
    } catch (error) {
      if (!(error instanceof FormatFault)) throw error;
      throw new FormatFault(`${where} cannot be read: ${error.message}.`);
    }
  });
}

class ChunkReader {
  readonly #column: FlatColumn;
  readonly #rows: number;
  readonly #budget: PageBudget;
  readonly #values: ValueSink;
  #row = 0;

  constructor(column: FlatColumn, rows: number, budget: PageBudget) {
    this.#column = column;
    this.#rows = rows;
    this.#budget = budget;
    this.#values = valueSink(rows, column);
  }

  read(chunk: Uint8Array, codec: number): Vector {
    for (let at = 0; this.#row < this.#rows; ) {
      const header = readPageHeader(chunk, at);
      this.#spend(header);
      at = header.end + header.compressedBytes;
      const bytes = chunk.subarray(header.end, at);
      if (header.kind === 0) this.#firstVersion(decompress(bytes, codec, header.bytes), header);
      else if (header.kind === 3) this.#secondVersion(bytes, codec, header);
      else if (header.kind === 2) this.#dictionary(decompress(bytes, codec, header.bytes), header);
    }
    return this.#values.vector();
  }

  #spend({ bytes, values }: PageHeader): void {
    this.#budget.left -= bytes;
    if (bytes > MAX_PAGE_BYTES || this.#budget.left < 0) {
      throw new FormatFault(
        `its pages claim far more bytes than the file has, or more than ${MAX_PAGE_BYTES} each. Write smaller pages`,
      );
    }
    if (values > this.#rows) throw new RangeError('A page has more values than there are rows.');
  }

  #dictionary(bytes: Uint8Array, { values }: PageHeader): void {
    this.#values.keep(plainValues(bytes, Math.max(values, 0), this.#column.type));
  }

  #firstVersion(bytes: Uint8Array, header: PageHeader): void {
    if (!this.#column.isOptional) {
      this.#put(bytes, header, null);
      return;
    }
    if (header.levelEncoding !== 3)
      throw new FormatFault('its levels are of an old encoding. Write the file again');
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
    if (4 + length > bytes.length) throw new RangeError('The levels end early.');
    const isThere = this.#levels(bytes.subarray(4, 4 + length), header);
    this.#put(bytes.subarray(4 + length), header, isThere);
  }

  #secondVersion(bytes: Uint8Array, codec: number, header: PageHeader): void {
    const levels = header.levelBytes + header.repetitionBytes;
    const of = bytes.subarray(levels);
    const values = header.isCompressed ? decompress(of, codec, header.bytes - levels) : of;
    const isThere = this.#column.isOptional
      ? this.#levels(bytes.subarray(header.repetitionBytes, levels), header)
      : null;
    this.#put(values, header, isThere);
  }

  #levels(bytes: Uint8Array, { values }: PageHeader): Uint8Array {
    const isThere = new Uint8Array(this.#countOf(values));
    readHybrid(bytes, 1, isThere);
    return isThere;
  }

  /** @param isThere a number for each row, 0 where it has no value; null, if all have one. */
  #put(bytes: Uint8Array, header: PageHeader, isThere: Uint8Array | null): void {
    const rows = this.#countOf(header.values);
    let count = rows;
    for (const each of isThere ?? []) count -= 1 - each;
    const values = readValues(bytes, header.encoding, count, this.#column.type);
    this.#values.put(values, this.#row, isThere);
    this.#row += rows;
  }

  #countOf(values: number): number {
    if (values >= 0 && this.#row + values <= this.#rows) return values;
    throw new RangeError('The pages have another number of rows than the row group.');
  }
}
