import { quote } from '../../table/table-error.js';
import type { HeldBytes } from '../columns/byte-budget.js';
import { FormatError } from '../columns/format-error.js';
import { Entries, type OtherValues, ValueParts } from '../columns/vector.js';
import type { BatchBuffers } from './batch-buffers.js';
import type { FlatTable } from './flat-buffers.js';
import { bitWidth, type Field, param, TypeId } from './schema.js';

/** A column of a batch as it was sent. */
export interface RawColumn {
  readonly field: Field;
  readonly length: number;
  /** A bit for each row, 0 where it is missing; null, if no row is. */
  readonly validity: Uint8Array | null;
  /** The buffers behind the validity. */
  readonly buffers: readonly Uint8Array[];
  /** The values, if the column has indices of them. */
  readonly dictionary: Dictionary | null;
}

/** The rows of a batch, and where their columns are in its bytes. */
export interface RawBatch {
  /** Its name in messages. */
  readonly place: string;
  readonly header: FlatTable;
  readonly version: number;
  readonly buffers: BatchBuffers;
}

/** Eight rows of truth values take a byte, and fewer of all others; rows without any bytes cost answers. */
const MAX_ROWS_PER_BYTE = 8;
const MAX_ROWS_OF_NOTHING = 1024;

export function countRows({ header, buffers, place }: RawBatch): number {
  const rows = header.int64(0);
  const most = Math.max(MAX_ROWS_OF_NOTHING, MAX_ROWS_PER_BYTE * buffers.byteLength);
  if (rows >= 0 && rows <= most) return rows;
  throw new FormatError(`${place} claims ${rows} rows, more than its ${buffers.byteLength} bytes can hold.`);
}

/**
 * Finds the columns of a batch that are wanted.
 *
 * @throws {FormatError | RangeError} if they do not fit their bytes.
 */
export function readColumns(
  batch: RawBatch,
  fields: readonly Field[],
  isWanted: (place: number) => boolean,
  dictionaryOf: (field: Field) => Dictionary | null,
): (RawColumn | undefined)[] {
  const rows = countRows(batch);
  const cursor = new BufferCursor(batch);
  cursor.checkNodes(fields.length);
  return fields.map((field, place) => {
    if (!isWanted(place)) {
      cursor.skip(field);
      return undefined;
    }
    const column = cursor.column(field, dictionaryOf(field));
    if (column.length !== rows) throw cursor.damaged(field, `${column.length} rows, not ${rows}`);
    return column;
  });
}

/** Goes through the nodes and buffers of a batch, which stand in the order of the fields. */
class BufferCursor {
  readonly #batch: RawBatch;
  readonly #nodes: readonly number[];
  readonly #variadic: readonly number[];
  #node = 0;
  #buffer = 0;
  #view = 0;

  constructor(batch: RawBatch) {
    const { header } = batch;
    this.#batch = batch;
    this.#nodes = header.int64s(1, 2);
    this.#variadic = header.int64s(4, 1);
  }

  /** A batch of no bytes would cost a look at each of many columns. */
  checkNodes(columns: number): void {
    const nodes = this.#nodes.length / 2;
    if (nodes >= columns) return;
    throw new FormatError(
      `${this.#batch.place} is damaged: it has ${nodes} columns, the schema ${columns}. Write it again.`,
    );
  }

  column(field: Field, dictionary: Dictionary | null): RawColumn {
    const length = this.#nodes[2 * this.#node];
    if (length === undefined || length < 0) throw this.damaged(field, 'no rows');
    const first = this.#buffer;
    this.skip(field);
    const buffers: Uint8Array[] = [];
    // Lists and records have no values that a model reads.
    const isRead = field.dictionary !== null || field.children.length === 0;
    for (let at = first; isRead && at < this.#buffer; at++) buffers.push(this.#bytes(field, at));
    const [sent, ...others] = buffers;
    const validity = sent === undefined || sent.length === 0 ? null : sent;
    if (validity && validity.length * 8 < length) throw this.damaged(field, 'too few bits');
    const column = { field, length, validity, buffers: others, dictionary };
    this.#checkLength(column);
    return column;
  }

  skip(field: Field): void {
    this.#node++;
    this.#buffer += this.#bufferCount(field);
    if (field.dictionary) return;
    for (const child of field.children) this.skip(child);
  }

  damaged(field: Field, what: string): FormatError {
    const name = quote(field.name);
    return new FormatError(`${this.#batch.place} is damaged: its column ${name} has ${what}. Write it again.`);
  }

  #bufferCount({ type, dictionary }: Field): number {
    if (dictionary) return 2;
    switch (type.id) {
      case TypeId.Null:
      case TypeId.RunEndEncoded:
        return 0;
      case TypeId.Struct:
      case TypeId.FixedList:
        return 1;
      case TypeId.Union:
        return (this.#batch.version < 4 ? 2 : 1) + param(type, 0);
      case TypeId.Utf8:
      case TypeId.LargeUtf8:
      case TypeId.Binary:
      case TypeId.LargeBinary:
      case TypeId.ListView:
      case TypeId.LargeListView:
        return 3;
      case TypeId.Utf8View:
      case TypeId.BinaryView: {
        const count = this.#variadic[this.#view++] ?? 0;
        return 2 + Math.min(Math.max(count, 0), 2 * this.#batch.buffers.count);
      }
      default:
        return 2;
    }
  }

  #bytes(field: Field, index: number): Uint8Array {
    // Views are read byte by byte, and tell places in the memory of all buffers.
    const { type, dictionary } = field;
    const isView = dictionary === null && (type.id === TypeId.Utf8View || type.id === TypeId.BinaryView);
    return this.#batch.buffers.read(index, !isView, (what) => this.damaged(field, what));
  }

  #checkLength({ field, length, buffers }: RawColumn): void {
    const width = bitWidth(field.dictionary?.indexType ?? field.type);
    const bytes = Math.ceil((width * length) / 8);
    if (width > 0 && (buffers[0]?.length ?? 0) < bytes) {
      throw this.damaged(field, `fewer than ${bytes} bytes`);
    }
  }
}

/** The values that columns have indices of. A delta adds to them. */
export class Dictionary {
  readonly entries: Entries;
  readonly chunks: RawColumn[] = [];
  readonly #values = new ValueParts();
  readonly #held: HeldBytes[] = [];

  constructor() {
    const values = this.#values;
    this.entries = new Entries({
      get count() {
        return values.length;
      },
      value: (index) => values.value(index),
      textBytes: (index) => values.textBytes(index),
    });
  }

  get count(): number {
    return this.#values.length;
  }

  /**
   * @param values of the chunk.
   * @param held counts the bytes of the chunk.
   */
  add(chunk: RawColumn, values: OtherValues, held: HeldBytes): void {
    this.chunks.push(chunk);
    this.#values.add(values, chunk.length);
    this.#held.push(held);
  }

  /** Gives the bytes of its chunks back. */
  release(): void {
    for (const held of this.#held) held.releaseAll();
  }
}
