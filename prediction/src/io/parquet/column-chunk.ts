import { type ByteBudget, type HeldBytes, MAX_ROW_BYTES } from '../columns/byte-budget.js';
import { FormatError, withContext } from '../columns/format-error.js';
import type { Vector } from '../columns/vector.js';
import { decompress } from './codecs.js';
import type { FlatColumn } from './metadata.js';
import { plainValues, readHybrid, readValues } from './page-values.js';
import { ThriftReader } from './thrift-reader.js';
import { type ValueSink, valueSink } from './value-sinks.js';

/** The bytes of a value while its page is read: as a number, an index, and a bit that says that it is there. */
const VALUE_BYTES = 32;

/** The bytes that a page may have besides its values. */
const PAGE_BYTES = 4096;

/** The bytes that a column may take, and its name in messages. */
interface ColumnBudget {
  readonly budget: ByteBudget;
  /** Counts what is held until the column has been read. */
  readonly read: HeldBytes;
  /** Counts what is held until the rows of the row group have been used. */
  readonly held: HeldBytes;
  readonly where: string;
}

/**
 * Reads the rows of a column in one row group.
 *
 * @throws {FormatError} at a fault of the bytes.
 */
export function readColumn(
  chunk: Uint8Array,
  codec: number,
  rows: number,
  column: FlatColumn,
  budget: ColumnBudget,
): Vector {
  return withContext(budget.where, () => new ChunkReader(column, rows, budget).read(chunk, codec));
}

class ChunkReader {
  readonly #column: FlatColumn;
  readonly #rows: number;
  readonly #budget: ColumnBudget;
  readonly #grown: HeldBytes;
  readonly #values: ValueSink;
  #row = 0;
  #hasDictionary = false;

  constructor(column: FlatColumn, rows: number, budget: ColumnBudget) {
    this.#column = column;
    this.#rows = rows;
    this.#budget = budget;
    this.#grown = budget.budget.hold('it');
    this.#values = valueSink(rows, column);
  }

  read(chunk: Uint8Array, codec: number): Vector {
    for (let at = 0, page = 1; this.#row < this.#rows; page++) {
      const header = readPageHeader(chunk, at);
      at = header.end + header.compressedBytes;
      if (header.kind === 0 || header.kind === 2 || header.kind === 3) {
        this.#readPage(chunk.subarray(header.end, at), codec, header, page);
      }
    }
    return this.#values.vector();
  }

  #readPage(bytes: Uint8Array, codec: number, header: PageHeader, page: number): void {
    const { budget, read, held, where } = this.#budget;
    const { kind } = header;
    const values = Math.max(header.values, 0);
    const place = `${where} page ${page},`;
    if (header.bytes > values * (MAX_ROW_BYTES + VALUE_BYTES) + PAGE_BYTES) {
      throw new FormatError(
        `${place} has ${header.bytes} bytes for ${values} values; a row has at most ${MAX_ROW_BYTES}. Shorten the texts, or leave the column out.`,
      );
    }
    budget.expand(header.bytes, place);
    // Decompressing may copy what is compressed.
    const taken = header.bytes + bytes.length + VALUE_BYTES * values;
    read.add(taken);
    try {
      if (kind === 3) this.#secondVersion(bytes, codec, header);
      else if (kind === 0) this.#firstVersion(decompress(bytes, codec, header.bytes), header);
      else this.#dictionary(decompress(bytes, codec, header.bytes), values);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw new FormatError(`${place} cannot be read: ${error.message}`);
    }
    read.release(taken);
    this.#grown.releaseAll();
    held.add(this.#values.takeKept());
  }

  #dictionary(bytes: Uint8Array, values: number): void {
    if (this.#hasDictionary) {
      throw new FormatError('it is a second dictionary. Write the file again.');
    }
    this.#hasDictionary = true;
    this.#values.keep(plainValues(bytes, values, this.#column.type));
  }

  #firstVersion(bytes: Uint8Array, header: PageHeader): void {
    if (!this.#column.isOptional) {
      this.#put(bytes, header, null);
      return;
    }
    if (header.levelEncoding !== 3) throw new FormatError('its levels are of an old encoding. Write the file again.');
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
    if (4 + length > bytes.length) throw new RangeError('The levels end early.');
    const validity = this.#levels(bytes.subarray(4, 4 + length), header);
    this.#put(bytes.subarray(4 + length), header, validity);
  }

  #secondVersion(bytes: Uint8Array, codec: number, header: PageHeader): void {
    const levels = header.levelBytes + header.repetitionBytes;
    const of = bytes.subarray(levels);
    const values = header.isCompressed ? decompress(of, codec, header.bytes - levels) : of;
    const validity = this.#column.isOptional
      ? this.#levels(bytes.subarray(header.repetitionBytes, levels), header)
      : null;
    this.#put(values, header, validity);
  }

  #levels(bytes: Uint8Array, { values }: PageHeader): Uint8Array {
    const validity = new Uint8Array(this.#checkCount(values));
    readHybrid(bytes, 1, validity);
    return validity;
  }

  /** @param validity a number for each row, 0 where it has no value; null, if all have one. */
  #put(bytes: Uint8Array, header: PageHeader, validity: Uint8Array | null): void {
    const rows = this.#checkCount(header.values);
    let count = rows;
    for (const each of validity ?? []) count -= 1 - each;
    const values = readValues(bytes, header.encoding, count, this.#column.type, this.#grow);
    this.#values.put(values, this.#row, validity);
    this.#row += rows;
  }

  /** Counts the bytes of texts that were shorter in the file. */
  readonly #grow = (bytes: number): void => {
    this.#budget.budget.expand(bytes, 'it');
    this.#grown.add(bytes);
  };

  #checkCount(values: number): number {
    if (values >= 0 && this.#row + values <= this.#rows) return values;
    throw new RangeError('The pages have another number of rows than the row group.');
  }
}

/** The header of a page: PageHeader of parquet.thrift. */
type PageHeader = ReturnType<typeof readPageHeader>;

/** @throws {RangeError} if there is no header at this place. */
function readPageHeader(chunk: Uint8Array, start: number) {
  const reader = new ThriftReader(chunk, start);
  const sizes = {
    /** 0 and 3 are data, 1 is an index, 2 is a dictionary. */
    kind: -1,
    compressedBytes: -1,
    bytes: -1,
    values: -1,
    encoding: -1,
    /** The encoding of the bits that show which values are there: of version 1 of data. */
    levelEncoding: 0,
    /** The bytes before the values, of version 2 of data. */
    levelBytes: 0,
    repetitionBytes: 0,
  };
  let isCompressed = true;
  const set = (name: keyof typeof sizes) => () => (sizes[name] = reader.integer());
  const values = set('values');
  const encoding = set('encoding');
  const version1 = { 1: values, 2: encoding, 3: set('levelEncoding') };
  const levels = { 5: set('levelBytes'), 6: set('repetitionBytes'), 7: () => (isCompressed = reader.bool()) };
  reader.struct({
    1: set('kind'),
    2: set('bytes'),
    3: set('compressedBytes'),
    5: () => reader.struct(version1),
    7: () => reader.struct({ 1: values, 2: encoding }),
    8: () => reader.struct({ 1: values, 4: encoding, ...levels }),
  });
  const { compressedBytes, bytes, levelBytes, repetitionBytes } = sizes;
  const { end } = reader;
  if (compressedBytes < 0 || bytes < 0 || end + compressedBytes > chunk.length) {
    throw new RangeError('A page is longer than its column.');
  }
  const before = levelBytes + repetitionBytes;
  if (levelBytes < 0 || repetitionBytes < 0 || before > compressedBytes || before > bytes) {
    throw new RangeError('The levels are longer than their page.');
  }
  return { ...sizes, isCompressed, end };
}
