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

/** "true" and "false", as little-endian numbers. */
const TRUE_WORD: u64 = 0x65757274;
const FALSE_WORD: u64 = 0x65736c6166;

/** Returns whether a text of at most five bytes is "true" or "false" in any case. */
export function isTrue(text: usize, length: u32): bool {
  const word = lowerCase(text, length);
  return word === TRUE_WORD || word === FALSE_WORD;
}

/*
 * Words for missing values, as `prediction/src/io/cells/word-list.ts` lays them out: the number of words that are
 * numbers, that of short texts, and the most bytes of a text that JavaScript must compare, as u32; from byte 16 on the
 * numbers as f64, and behind them the short texts as u64, in lower case.
 */

const LISTED: usize = 16;

/** The most bytes of a text in a list. */
const SHORT: u32 = 8;

/** Returns whether a list has a number. */
export function isMissingNumber(words: usize, value: f64): bool {
  const end = words + LISTED + 8 * <usize>countNumbers(words);
  for (let at = words + LISTED; at < end; at += 8) if (load<f64>(at) === value) return true;
  return false;
}

/** Returns whether a list has a number between two others, or one of them. */
export function hasNumberWithin(words: usize, least: f64, most: f64): bool {
  const end = words + LISTED + 8 * <usize>countNumbers(words);
  for (let at = words + LISTED; at < end; at += 8) {
    const value = load<f64>(at);
    if (value >= least && value <= most) return true;
  }
  return false;
}

export function countNumbers(words: usize): u32 {
  return load<u32>(words);
}

/** Returns whether a list has a text, in any case. */
export function isMissingWord(words: usize, text: usize, length: u32): bool {
  if (length > SHORT) return false;
  const word = lowerCase(text, length);
  const start = words + LISTED + 8 * <usize>countNumbers(words);
  const end = start + 8 * <usize>load<u32>(words, 4);
  for (let at = start; at < end; at += 8) if (load<u64>(at) === word) return true;
  return false;
}

/** Returns whether a text is so short that it may be a word which JavaScript must compare. */
export function mayBeOtherWord(words: usize, length: u32): bool {
  return length <= load<u32>(words, 8);
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
