/** Writes Arrow streams whose buffers are placed by hand, so that they may overlap. */
import {
  endOfStream,
  FlatBuilder,
  int16,
  int64,
  int64Structs,
  schemaMessage,
  TypeId,
  table,
  uint8,
} from 'roster-prediction/internals';

/** The place of a buffer in the body of a batch. */
export interface MadeBuffer {
  readonly start: number;
  readonly length: number;
}

/** A record batch of columns of texts. */
export interface MadeBatch {
  readonly rows: number;
  /** By column: the validity, the offsets and the characters. */
  readonly buffers: readonly (readonly [MadeBuffer, MadeBuffer, MadeBuffer])[];
  readonly body: Uint8Array;
}

const VERSION_5 = int16(4);
const RECORD_BATCH = uint8(3);

/** Returns a stream of columns of texts. */
export function arrowStream(names: readonly string[], batches: readonly MadeBatch[]): Buffer {
  const type = { id: TypeId.Utf8, params: [] };
  const fields = names.map((name) => ({ name, type, children: [], dictionary: null }));
  return Buffer.concat([...schemaMessage(fields), ...batches.flatMap(batchMessage), endOfStream()]);
}

function batchMessage({ rows, buffers, body }: MadeBatch): Uint8Array[] {
  const nodes = buffers.flatMap(() => [rows, 0]);
  const places = buffers.flat().flatMap(({ start, length }) => [start, length]);
  const batch = [int64(rows), int64Structs(nodes, 2), int64Structs(places, 2)];
  const metadata = FlatBuilder.bytes([VERSION_5, RECORD_BATCH, table(batch), int64(body.length)]);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0xffffffff);
  head.writeUInt32LE(metadata.length, 4);
  return [head, metadata, body];
}
