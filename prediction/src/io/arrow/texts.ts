import { FormatError } from '../columns/format-error.js';
import type { TextCodes } from '../columns/text-codes.js';
import { isMissing } from './numbers.js';
import type { RawColumn } from './raw-column.js';
import { aligned } from './typed-views.js';
import { TypeId } from './types.js';

/** The texts of some rows, by row. */
export interface Texts {
  readonly text: (row: number) => string;
  readonly bytes: (row: number) => number;
  /** Returns the code of a text among those that are known. */
  readonly code: (row: number, known: TextCodes) => number;
}

/** Texts of at most so many bytes are in their views. */
const MAX_INLINE = 12;
const VIEW_BYTES = 16;

/**
 * Finds the texts of the rows from `from` up to, but not including, `to`.
 *
 * @throws {FormatError} if they are outside of their bytes.
 */
export function textsOf(raw: RawColumn, from: number, to: number): Texts {
  if (raw.field.type.id === TypeId.Utf8View) return viewedTexts(raw, from, to);
  const { offsets, bytes } = offsetsOf(raw, from, to);
  return {
    text: (row) => bytes.toString('utf8', offsets[row] ?? 0, offsets[row + 1] ?? 0),
    bytes: (row) => (offsets[row + 1] ?? 0) - (offsets[row] ?? 0),
    code: (row, known) => known.codeOf(bytes, offsets[row] ?? 0, offsets[row + 1] ?? 0),
  };
}

/** Returns where the texts of some rows begin, and where the last ends, in bytes. */
export function offsetsOf(raw: RawColumn, from: number, to: number) {
  const [places = new Uint8Array(), data = new Uint8Array()] = raw.buffers;
  const isLarge = raw.field.type.id === TypeId.LargeUtf8;
  const offsets = isLarge
    ? Float64Array.from(aligned(places, BigInt64Array).subarray(from, to + 1), Number)
    : Float64Array.from(aligned(places, Int32Array).subarray(from, to + 1));
  let last = 0;
  for (const offset of offsets) {
    if (!(offset >= last && offset <= data.length)) throw damaged(raw);
    last = offset;
  }
  if (to > from && offsets.length !== to - from + 1) throw damaged(raw);
  return { offsets, bytes: Buffer.from(data.buffer, data.byteOffset, data.length) };
}

function viewedTexts(raw: RawColumn, from: number, to: number): Texts {
  const [sent = new Uint8Array(), ...others] = raw.buffers;
  if (sent.length < VIEW_BYTES * to) throw damaged(raw);
  // All buffers of a batch are parts of one memory.
  const memory = Buffer.from(sent.buffer);
  const views = new DataView(sent.buffer, sent.byteOffset, sent.length);
  const starts = new Float64Array(to - from);
  const ends = new Float64Array(to - from);
  for (let row = 0; row < to - from; row++) {
    if (isMissing(raw, from + row)) continue;
    const at = VIEW_BYTES * (from + row);
    const length = views.getInt32(at, true);
    const isInline = length <= MAX_INLINE;
    const buffer = isInline ? sent : others[views.getInt32(at + 8, true)];
    const start = isInline ? at + 4 : views.getInt32(at + 12, true);
    if (buffer === undefined || length < 0 || start < 0 || start + length > buffer.length) {
      throw damaged(raw);
    }
    starts[row] = buffer.byteOffset + start;
    ends[row] = buffer.byteOffset + start + length;
  }
  return {
    text: (row) => memory.toString('utf8', starts[row] ?? 0, ends[row] ?? 0),
    bytes: (row) => (ends[row] ?? 0) - (starts[row] ?? 0),
    code: (row, known) => known.codeOf(memory, starts[row] ?? 0, ends[row] ?? 0),
  };
}

function damaged({ field }: RawColumn): FormatError {
  const name = JSON.stringify(field.name.slice(0, 60));
  return new FormatError(`The column ${name} has texts outside of its bytes. Write it again.`);
}
