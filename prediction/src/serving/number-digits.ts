const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;

/** A decimal of up to 15 digits is the shortest text of the double that is nearest to it. */
const FIFTEEN_DIGITS = 1e15;

const BILLION = 1e9;
const MILLION = 1e6;

/**
 * Writes a number as `String` does, if it is a whole number or has few decimals; else, which is
 * rare in tables, it writes nothing.
 *
 * Different decimals of up to 15 digits have different nearest doubles. So if n ÷ 10^d gives a
 * double, and n has up to 15 digits, then its decimal, without zeros at the end, is the shortest one
 * that means this double, which is what `String` writes (ECMA-262, Number::toString).
 *
 * @param bytes with room for 18 bytes.
 * @returns the place after the number; 0 if it was not written.
 */
export function writeDigits(bytes: Uint8Array, at: number, value: number): number {
  const size = Math.abs(value);
  if (!(size < FIFTEEN_DIGITS)) return 0;
  const whole = Math.floor(size);
  if (whole === size) return writeWhole(bytes, writeSign(bytes, at, value), whole);
  if (size >= BILLION) return 0;
  const millionths = Math.round(size * MILLION);
  if (millionths / MILLION !== size) return 0;
  const unit = Math.floor(millionths / MILLION);
  const end = writeWhole(bytes, writeSign(bytes, at, value), unit);
  return writeFraction(bytes, end, millionths - unit * MILLION);
}

function writeSign(bytes: Uint8Array, at: number, value: number): number {
  if (value >= 0) return at;
  bytes[at] = MINUS;
  return at + 1;
}

function writeWhole(bytes: Uint8Array, at: number, value: number): number {
  if (value < BILLION) return writeSmall(bytes, at, value, digitsOf(value));
  const billions = Math.floor(value / BILLION);
  const end = writeSmall(bytes, at, billions, digitsOf(billions));
  return writeSmall(bytes, end, value - billions * BILLION, 9);
}

/** Writes a whole number below a billion with so many digits, zeros in front. */
function writeSmall(bytes: Uint8Array, at: number, value: number, digits: number): number {
  let rest = value | 0;
  for (let place = at + digits - 1; place >= at; place--) {
    const tenth = (rest / 10) | 0;
    bytes[place] = ZERO + rest - 10 * tenth;
    rest = tenth;
  }
  return at + digits;
}

/** @param millionths above 0 and below a million. */
function writeFraction(bytes: Uint8Array, at: number, millionths: number): number {
  let rest = millionths | 0;
  let digits = 6;
  while (rest % 10 === 0) {
    rest = (rest / 10) | 0;
    digits--;
  }
  bytes[at] = POINT;
  return writeSmall(bytes, at + 1, rest, digits);
}

function digitsOf(value: number): number {
  if (value < 1e4) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  if (value < 1e6) return value < 1e5 ? 5 : 6;
  return value < 1e8 ? (value < 1e7 ? 7 : 8) : 9;
}
