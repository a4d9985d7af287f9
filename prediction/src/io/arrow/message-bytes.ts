import { FlatBuilder, type FlatField, type FlatFields, int64, int64Structs, table, uint8 } from './flat-buffers.js';
import { MAGIC } from './messages.js';
import { type Field, schemaFields, VERSION } from './schema.js';

/** The place of a batch or a dictionary in a file. */
export interface Block {
  readonly start: number;
  readonly metadataBytes: number;
  readonly bodyBytes: number;
}

/** The buffers of a batch with its nodes, in the order of the columns. */
export class BatchBody {
  readonly #nodes: number[] = [];
  readonly #buffers: number[] = [];
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The bytes of the buffers, each padded to a multiple of 8. */
  get pieces(): readonly Uint8Array[] {
    return this.#pieces;
  }

  node(rows: number, missing: number): void {
    this.#nodes.push(rows, missing);
  }

  buffer(bytes: Uint8Array): void {
    this.#buffers.push(this.#length, bytes.length);
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    const padding = (8 - (bytes.length % 8)) % 8;
    if (padding > 0) this.#pieces.push(PADDING.subarray(0, padding));
    this.#length += padding;
  }

  /** The table `RecordBatch` of Message.fbs. */
  fields(rows: number): FlatFields {
    return [int64(rows), int64Structs(this.#nodes, 2), int64Structs(this.#buffers, 2)];
  }
}

const PADDING = new Uint8Array(8);

export function schemaMessage(fields: readonly Field[]): Uint8Array[] {
  return [message(1, schemaFields(fields), 0)];
}

export function batchMessage(rows: number, body: BatchBody): Uint8Array[] {
  return [message(3, body.fields(rows), body.length), ...body.pieces];
}

export function dictionaryMessage(id: number, count: number, isDelta: boolean, body: BatchBody): Uint8Array[] {
  const fields = [int64(id), table(body.fields(count)), uint8(Number(isDelta))];
  return [message(2, fields, body.length), ...body.pieces];
}

export function endOfStream(): Uint8Array {
  return Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
}

/** The beginning of a file. */
export function fileOpening(): Uint8Array {
  return Buffer.from(`${MAGIC}\0\0`);
}

/** The bytes that close a file. */
export function fileFooter(
  fields: readonly Field[],
  dictionaries: readonly Block[],
  batches: readonly Block[],
): Uint8Array {
  const footer = FlatBuilder.bytes([
    VERSION,
    table(schemaFields(fields)),
    blockStructs(dictionaries),
    blockStructs(batches),
  ]);
  const end = Buffer.alloc(4 + MAGIC.length);
  end.writeInt32LE(footer.length);
  end.write(MAGIC, 4);
  return Buffer.concat([footer, end]);
}

function blockStructs(blocks: readonly Block[]): FlatField {
  // The length of the metadata has 32 bits and is padded to 64.
  return int64Structs(
    blocks.flatMap(({ start, metadataBytes, bodyBytes }) => [start, metadataBytes, bodyBytes]),
    3,
  );
}

function message(kind: number, header: FlatFields, bodyBytes: number): Uint8Array {
  const metadata = FlatBuilder.bytes([VERSION, uint8(kind), table(header), int64(bodyBytes)]);
  const bytes = new Uint8Array(8 + metadata.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xffffffff, true);
  view.setInt32(4, metadata.length, true);
  bytes.set(metadata, 8);
  return bytes;
}
