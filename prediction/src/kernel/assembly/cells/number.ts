/* Reads numbers from text. */

/** The text is not a number in plain notation, as /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i has it. */
export const NO_NUMBER: i32 = 0;
/** The number was read. */
export const EXACT: i32 = 1;
/** A number of too many digits to be read exactly: the one that was read is within `NEAR_SHARE` of it. */
export const NEAR: i32 = 2;
/** It is a number of too large an exponent to be read here. */
export const UNSURE: i32 = 3;

/** Far more than the error of two roundings, 2^-52. */
export const NEAR_SHARE: f64 = 1e-14;

/** The number that was read last. */
export let number: f64 = 0;

const MAX_DIGITS: i32 = 19;
const MAX_EXACT: u64 = 1 << 53;
const MAX_POWER: i32 = 22;

/** 10^0 to 10^22, which are doubles. */
const POWERS = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]);

/**
 * Reads a number. Where its digits are at most 2^53 and its power of ten is at most 22, both are
 * doubles, so that one rounded operation gives the nearest double (Clinger 1990).
 *
 * @returns NO_NUMBER, EXACT, NEAR or UNSURE.
 */
export function readNumber(start: usize, end: usize): i32 {
  let at = start;
  const sign: u32 = at < end ? load<u8>(at) : 0;
  if (sign === 0x2d || sign === 0x2b) at++;
  let digits: u64 = 0;
  let digitCount = 0;
  let exponent: i32 = 0;
  const whole = at;
  for (; at < end; at++) {
    const digit = <u32>load<u8>(at) - 0x30;
    if (digit > 9) break;
    if (digitCount === MAX_DIGITS) {
      exponent++;
      continue;
    }
    digits = 10 * digits + digit;
    if (digits !== 0) digitCount++;
  }
  let seen = at - whole;
  if (at < end && load<u8>(at) === 0x2e) {
    const fraction = ++at;
    for (; at < end; at++) {
      const digit = <u32>load<u8>(at) - 0x30;
      if (digit > 9) break;
      if (digitCount === MAX_DIGITS) continue;
      digits = 10 * digits + digit;
      if (digits !== 0) digitCount++;
      exponent--;
    }
    seen += at - fraction;
  }
  if (seen === 0) return NO_NUMBER;
  if (at < end) {
    if ((load<u8>(at) | 0x20) !== 0x65) return NO_NUMBER;
    at++;
    const its: u32 = at < end ? load<u8>(at) : 0;
    if (its === 0x2d || its === 0x2b) at++;
    if (at === end) return NO_NUMBER;
    let power: i32 = 0;
    for (; at < end; at++) {
      const digit = <u32>load<u8>(at) - 0x30;
      if (digit > 9) return NO_NUMBER;
      power = min(10 * power + <i32>digit, 100000);
    }
    exponent += its === 0x2d ? -power : power;
  }
  if (digits !== 0 && abs(exponent) > MAX_POWER) return UNSURE;
  const size = <f64>digits;
  const power = digits === 0 ? 1 : load<f64>(POWERS + 8 * <usize>abs(exponent));
  const value = exponent < 0 ? size / power : size * power;
  number = sign === 0x2d ? -value : value;
  return digits <= MAX_EXACT && digitCount < MAX_DIGITS ? EXACT : NEAR;
}
