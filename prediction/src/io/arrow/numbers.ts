import { decimal, halfFloat, nearestOfWords, signedLittle } from '../columns/wide-numbers.js';
import type { RawColumn } from './raw-column.js';
import { aligned } from './typed-views.js';
import { bitWidth, param, TypeId } from './types.js';

const NO_BYTES = new Uint8Array();

export function bitAt(bits: Uint8Array, index: number): number {
  return ((bits[index >> 3] ?? 0) >> (index & 7)) & 1;
}

export function isMissing({ validity }: RawColumn, index: number): boolean {
  return validity !== null && bitAt(validity, index) === 0;
}

/** Reads numbers, or indices, as doubles: NaN where they are missing. */
export function numbersOf(raw: RawColumn, from: number, to: number): Float64Array {
  const bytes = raw.buffers[0] ?? NO_BYTES;
  const { type, dictionary } = raw.field;
  const numbers = readNumbers(dictionary?.indexType ?? type, bytes, from, to);
  const { validity } = raw;
  if (validity === null) return numbers;
  // The bytes that were sent are not to be written to, as the answer may have them.
  const copied = numbers.buffer === bytes.buffer ? numbers.slice() : numbers;
  for (let row = 0; row < copied.length; row++) {
    if (bitAt(validity, from + row) === 0) copied[row] = Number.NaN;
  }
  return copied;
}

function readNumbers(
  type: RawColumn['field']['type'],
  bytes: Uint8Array,
  from: number,
  to: number,
): Float64Array {
  const width = bitWidth(type);
  if (type.id === TypeId.Decimal) return decimals(bytes, width / 8, param(type, 1), from, to);
  if (type.id === TypeId.Float) {
    if (width === 64) return aligned(bytes, Float64Array).subarray(from, to);
    if (width === 32) return Float64Array.from(aligned(bytes, Float32Array).subarray(from, to));
    return Float64Array.from(aligned(bytes, Uint16Array).subarray(from, to), halfFloat);
  }
  const isSigned = type.id !== TypeId.Int || param(type, 1) === 1;
  if (width === 64) return wideIntegers(bytes, isSigned, from, to);
  return Float64Array.from(integers(bytes, width, isSigned).subarray(from, to));
}

function integers(bytes: Uint8Array, width: number, isSigned: boolean) {
  if (width === 8) return isSigned ? aligned(bytes, Int8Array) : bytes;
  if (width === 16) return isSigned ? aligned(bytes, Int16Array) : aligned(bytes, Uint16Array);
  return isSigned ? aligned(bytes, Int32Array) : aligned(bytes, Uint32Array);
}

function wideIntegers(bytes: Uint8Array, isSigned: boolean, from: number, to: number) {
  const words = aligned(bytes, Int32Array);
  const numbers = new Float64Array(to - from);
  for (let row = 0; row < numbers.length; row++) {
    const at = 2 * (from + row);
    const high = words[at + 1] ?? 0;
    numbers[row] = nearestOfWords(words[at] ?? 0, isSigned ? high : high >>> 0);
  }
  return numbers;
}

function decimals(bytes: Uint8Array, size: number, scale: number, from: number, to: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const numbers = new Float64Array(to - from);
  for (let row = 0; row < numbers.length; row++) {
    numbers[row] = decimal(signedLittle(view, size * (from + row), size), scale);
  }
  return numbers;
}
