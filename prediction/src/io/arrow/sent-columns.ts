import { bitAt, readOffsets } from './column-vector.js';
import type { BatchBody } from './message-bytes.js';
import type { RawColumn } from './raw-column.js';
import { bitWidth, TypeId } from './schema.js';

/** Types whose columns are passed on as they were sent. */
const PASSED: ReadonlySet<number> = new Set([
  TypeId.Int,
  TypeId.Float,
  TypeId.Utf8,
  TypeId.LargeUtf8,
  TypeId.Bool,
  TypeId.Decimal,
  TypeId.Date,
  TypeId.Time,
  TypeId.Timestamp,
  TypeId.Duration,
]);

const NO_BYTES = new Uint8Array();

/** Returns whether an answer has the column, or the values of its dictionary, as they were sent. */
export function isPassedOn({ field }: RawColumn): boolean {
  return PASSED.has(field.type.id) && field.children.length === 0;
}

/**
 * Writes rows of a column that was sent as the next column of a batch.
 *
 * @param start a multiple of 8.
 * @throws {FormatError} if a text is outside of its bytes.
 */
export function writeRows(body: BatchBody, raw: RawColumn, start: number, rows: number): void {
  const { type, dictionary } = raw.field;
  writeValidity(body, raw, start, rows);
  const [values = NO_BYTES] = raw.buffers;
  const width = bitWidth(dictionary?.indexType ?? type);
  if (width > 0) {
    body.buffer(values.subarray((start * width) / 8, Math.ceil(((start + rows) * width) / 8)));
    return;
  }
  const { offsets, bytes } = readOffsets(raw, start, start + rows);
  const first = offsets[0] ?? 0;
  const places = type.id === TypeId.LargeUtf8 ? wideFrom(offsets, first) : narrowFrom(offsets, first);
  body.buffer(new Uint8Array(places.buffer));
  body.buffer(bytes.subarray(first, offsets.at(-1) ?? first));
}

function writeValidity(body: BatchBody, raw: RawColumn, start: number, rows: number): void {
  const { validity } = raw;
  let missing = 0;
  if (validity) {
    for (let row = start; row < start + rows; row++) missing += 1 - bitAt(validity, row);
  }
  body.node(rows, missing);
  const isNeeded = validity !== null && missing > 0;
  body.buffer(isNeeded ? validity.subarray(start / 8, Math.ceil((start + rows) / 8)) : NO_BYTES);
}

function narrowFrom(offsets: Float64Array, first: number): Int32Array<ArrayBuffer> {
  return Int32Array.from(offsets, (offset) => offset - first);
}

function wideFrom(offsets: Float64Array, first: number): BigInt64Array<ArrayBuffer> {
  return BigInt64Array.from(Array.from(offsets, (offset) => BigInt(offset - first)));
}
