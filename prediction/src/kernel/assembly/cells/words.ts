/* The words of cells that mean something: see `cellText` in `prediction/src/table/cells.ts`. */

/** The result of `trim`. */
export let trimmedStart: usize = 0;
export let trimmedEnd: usize = 0;

/** Finds a text without the blanks of ASCII at its ends. */
export function trim(start: usize, length: u32): void {
  let end = start + length;
  while (start < end && isBlank(load<u8>(start))) start++;
  while (start < end && isBlank(load<u8>(end - 1))) end--;
  trimmedStart = start;
  trimmedEnd = end;
}

function isBlank(byte: u32): bool {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Returns whether a text may be a number in some notation: it has a digit, or the i of Infinity and inf. */
export function hasDigit(start: usize, end: usize): bool {
  for (let at = start; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte - 0x30 <= 9 || (byte | 0x20) === 0x69) return true;
  }
  return false;
}

export function hasPoint(start: usize, end: usize): bool {
  for (let at = start; at < end; at++) if (load<u8>(at) === 0x2e) return true;
  return false;
}

/** The words below in lower case, as little-endian numbers. */
const NA: u64 = 0x616e;
const N_A: u64 = 0x612f6e;
const HASH_N_A: u64 = 0x612f6e23;
const ANGLE_NA: u64 = 0x3e616e3c;
const NAN: u64 = 0x6e616e;
const MINUS_NAN: u64 = 0x6e616e2d;
const NULL_WORD: u64 = 0x6c6c756e;
const NONE: u64 = 0x656e6f6e;
const TRUE_WORD: u64 = 0x65757274;
const FALSE_WORD: u64 = 0x65736c6166;

/** Returns whether a text of at most five bytes is a notation of a missing value. */
export function isMissingWord(text: usize, length: u32): bool {
  const word = lowerCase(text, length);
  return (
    word === NA ||
    word === N_A ||
    word === HASH_N_A ||
    word === ANGLE_NA ||
    word === NAN ||
    word === MINUS_NAN ||
    word === NULL_WORD ||
    word === NONE
  );
}

/** Returns whether a text of at most five bytes is "true" or "false" in any case. */
export function isTrue(text: usize, length: u32): bool {
  const word = lowerCase(text, length);
  return word === TRUE_WORD || word === FALSE_WORD;
}

function lowerCase(text: usize, length: u32): u64 {
  let word: u64 = 0;
  for (let index: u32 = 0; index < length; index++) {
    const byte = <u64>load<u8>(text + index);
    const isUpper = byte >= 0x41 && byte <= 0x5a;
    word |= (isUpper ? byte | 0x20 : byte) << (8 * <u64>index);
  }
  return word;
}
