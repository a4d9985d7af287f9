import { BOOLEAN, NULL, NUMBER, OTHER, OTHER_NUMBER, TEXT } from '../cells/cell';
import { isBlank, isClosing } from './blanks';
import { scanEscaped, stringEnd } from './strings';

/*
 * Strict JSON (RFC 8259). A function that scans returns the address behind what it scanned, or 0 if
 * that is not JSON. The bytes end with a zero, which is nowhere JSON.
 */

const QUOTE: u32 = 0x22;
const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;
const ZERO: u32 = 0x30;
const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;

/** The most levels that a value of a row has. Deeper values take the path of objects. */
const MAX_NESTING: i32 = 90;

/** A text of up to 15 significant digits is the only shortest one of its double. */
const MAX_DIGITS: usize = 15;

const NULL_WORD: u32 = 0x6c6c756e;
const TRUE_WORD: u32 = 0x65757274;
const ALSE_WORD: u32 = 0x65736c61;

/** The kind of the value that was scanned last. */
export let kind: u32 = 0;

/** The number of values that were scanned, those in arrays and objects among them. */
export let valueCount: u32 = 0;

export function resetValueCount(): void {
  valueCount = 0;
}

/** Scans the value at an address, and sets its kind. */
export function scanValue(at: usize): usize {
  valueCount++;
  const byte = <u32>load<u8>(at);
  if (byte === QUOTE) {
    const end = stringEnd(at + 1);
    if (load<u8>(end) === QUOTE) {
      kind = TEXT;
      return end + 1;
    }
    kind = OTHER;
    return scanEscaped(end);
  }
  if (byte === MINUS || byte - ZERO <= 9) return scanNumber(at);
  return scanOther(at, byte, 0);
}

export function skipBlanks(at: usize): usize {
  while (isBlank(load<u8>(at))) at++;
  return at;
}

function scanNumber(start: usize): usize {
  const isNegative = load<u8>(start) === MINUS;
  let at = isNegative ? start + 1 : start;
  const whole = at;
  const first = <u32>load<u8>(at);
  at = skipDigits(at);
  if (at === whole || (first === ZERO && at > whole + 1)) return 0;
  let digits: usize = first === ZERO ? 0 : at - whole;
  let isUsual = !(isNegative && first === ZERO);
  if (load<u8>(at) === POINT) {
    const fraction = ++at;
    at = skipDigits(at);
    if (at === fraction) return 0;
    digits += at - fraction;
    // Zeros at the end are left out, and what is below a millionth has an exponent.
    isUsual = load<u8>(at - 1) !== ZERO && (first !== ZERO || !areZeros(fraction, at));
  }
  if ((load<u8>(at) | 0x20) === 0x65) {
    at++;
    const sign = <u32>load<u8>(at);
    if (sign === MINUS || sign === 0x2b) at++;
    const power = at;
    at = skipDigits(at);
    if (at === power) return 0;
    isUsual = false;
  }
  kind = isUsual && digits <= MAX_DIGITS ? NUMBER : OTHER_NUMBER;
  return at;
}

function skipDigits(at: usize): usize {
  while (<u32>load<u8>(at) - ZERO <= 9) at++;
  return at;
}

/** Returns whether the first six digits of a fraction are zeros. */
function areZeros(at: usize, end: usize): bool {
  for (const last = min(at + 6, end); at < last; at++) if (load<u8>(at) !== ZERO) return false;
  return true;
}

/** Scans a literal, an array or an object. */
function scanOther(at: usize, byte: u32, depth: i32): usize {
  switch (byte) {
    case 0x6e:
      kind = NULL;
      return load<u32>(at) === NULL_WORD ? at + 4 : 0;
    case 0x74:
      kind = BOOLEAN;
      return load<u32>(at) === TRUE_WORD ? at + 4 : 0;
    case 0x66:
      kind = BOOLEAN;
      return load<u32>(at + 1) === ALSE_WORD ? at + 5 : 0;
    case 0x5b:
    case 0x7b: {
      const end = scanParts(at, byte === 0x7b, depth);
      kind = OTHER;
      return end;
    }
    default:
      return 0;
  }
}

/** Scans the array or object that opens at an address. */
function scanParts(start: usize, isObject: bool, depth: i32): usize {
  if (depth === MAX_NESTING) return 0;
  let at = skipBlanks(start + 1);
  if (isClosing(load<u8>(at), isObject)) return at + 1;
  let after = COMMA;
  while (after === COMMA) {
    if (isObject) {
      at = scanKey(at);
      if (at === 0) return 0;
    }
    const byte = <u32>load<u8>(at);
    if (byte === 0x5b || byte === 0x7b) {
      valueCount++;
      at = scanOther(at, byte, depth + 1);
    } else {
      at = scanValue(at);
    }
    if (at === 0) return 0;
    at = skipBlanks(at);
    after = <u32>load<u8>(at);
    if (isClosing(after, isObject)) return at + 1;
    at = skipBlanks(at + 1);
  }
  return 0;
}

/** Scans a key and the colon and blanks behind it. */
function scanKey(at: usize): usize {
  if (load<u8>(at) !== QUOTE) return 0;
  let end = stringEnd(at + 1);
  end = load<u8>(end) === QUOTE ? end + 1 : scanEscaped(end);
  return end === 0 ? 0 : scanColon(end);
}

/** Scans a colon and the blanks around it. */
export function scanColon(at: usize): usize {
  at = skipBlanks(at);
  return load<u8>(at) === COLON ? skipBlanks(at + 1) : 0;
}
