/* Writes numbers as `String` does. */

/** The size in bytes of a number as text; the last byte is its length, 0 where JavaScript is to write it. */
export const NUMBER_TEXT: usize = 32;

const LENGTH: usize = 31;
const FIFTEEN_DIGITS: f64 = 1e15;
const TRILLION: f64 = 1e12;
const BILLION: f64 = 1e9;
const MILLION: f64 = 1e6;
const THOUSAND: f64 = 1e3;
/** `String` writes smaller numbers with an exponent. */
const MILLIONTH: f64 = 1e-6;
const A_THOUSAND: u64 = 1000;
const A_MILLION: u64 = 1000000;
const MINUS: u8 = 0x2d;
const ZERO: u8 = 0x30;
const POINT: u8 = 0x2e;

/**
 * Writes numbers as texts of 32 bytes.
 *
 * @param values f64, `count` of them.
 * @param texts of the first number; those of the others follow in steps of `step` bytes.
 * @returns how many are left to JavaScript.
 */
export function writeNumbers(values: usize, count: u32, texts: usize, step: usize): u32 {
  let left: u32 = 0;
  for (const end = values + 8 * <usize>count; values < end; values += 8, texts += step) {
    const length = writeDigits(texts, load<f64>(values));
    store<u8>(texts + LENGTH, <u8>length);
    if (length === 0) left++;
  }
  return left;
}

export function textLength(text: usize): u32 {
  return load<u8>(text + LENGTH);
}

/** Returns the number of bytes written; 0, if the number has many decimals. */
function writeDigits(start: usize, value: f64): usize {
  const size = abs(value);
  if (!(size < FIFTEEN_DIGITS)) return 0;
  let at = start;
  if (value < 0) store<u8>(at++, MINUS);
  const whole = floor(size);
  if (whole === size) return writeWhole(at, <u64>whole) - start;
  if (size >= BILLION) return 0;
  const millionths = floor(size * MILLION + 0.5);
  if (millionths / MILLION !== size) return writeLong(start, at, size);
  const unit = <u64>floor(millionths / MILLION);
  return writeFraction(writeWhole(at, unit), <u32>(<u64>millionths - unit * A_MILLION)) - start;
}

/** Writes a number of up to fifteen digits, of which nine or twelve are decimals: see `writeDigits`. */
function writeLong(start: usize, at: usize, size: f64): usize {
  if (size < MILLIONTH || size >= MILLION) return 0;
  const isSmall = size < THOUSAND;
  const scale = isSmall ? TRILLION : BILLION;
  const parts = floor(size * scale + 0.5);
  if (parts / scale !== size) return 0;
  const unit = <u64>floor(size);
  const decimals = <u64>parts - unit * <u64>scale;
  const trillionths = isSmall ? decimals : decimals * A_THOUSAND;
  const millionths = trillionths / A_MILLION;
  const behind = <u32>(trillionths - millionths * A_MILLION);
  at = writeWhole(at, unit);
  if (behind === 0) return writeFraction(at, <u32>millionths) - start;
  store<u8>(at, POINT);
  return writeEnd(writeSmall(at + 1, <u32>millionths, 6), behind) - start;
}

/** Returns the address behind the digits. */
export function writeWhole(at: usize, value: u64): usize {
  // Division takes less time of fewer bits.
  if (value < A_MILLION) return writeSmall(at, <u32>value, countDigits(value));
  const millions = value / A_MILLION;
  const end = writeWhole(at, millions);
  return writeSmall(end, <u32>(value - millions * A_MILLION), 6);
}

/** Writes a number with so many digits, zeros in front. */
function writeSmall(at: usize, value: u32, digits: usize): usize {
  const end = at + digits;
  for (let place = end - 1; place >= at; place--) {
    const tenth = value / 10;
    store<u8>(place, ZERO + <u8>(value - 10 * tenth));
    value = tenth;
  }
  return end;
}

function countDigits(value: u64): usize {
  let digits: usize = 1;
  for (let limit: u64 = 10; value >= limit; limit *= 10) digits++;
  return digits;
}

/** @param millionths above 0 and below a million. */
function writeFraction(at: usize, millionths: u32): usize {
  store<u8>(at, POINT);
  return writeEnd(at + 1, millionths);
}

/** Writes the last six decimals, without zeros at their end. */
function writeEnd(at: usize, millionths: u32): usize {
  let digits: usize = 6;
  while (millionths % 10 === 0) {
    millionths /= 10;
    digits--;
  }
  return writeSmall(at, millionths, digits);
}
