import { CELL, MISSING, NULL, readKind, readLength, readStart, TEXT } from '../cells/cell';
import { NO_NUMBER, readNumber } from '../cells/number';
import { NUMBER_TEXT, textLength, writeWhole } from '../json/digits';

const SPACE: u32 = 0x20;
const PLUS: u32 = 0x2b;
const COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d;
const EQUALS: u32 = 0x3d;
const AT: u32 = 0x40;
const LINE_END: u16 = 0x0a0d;

/** Bytes are copied by vectors, so this much is written beyond a text. */
const VECTOR: usize = 16;

let out: usize = 0;

/** Returns the address behind the lines that were written. */
export function linesEnd(): usize {
  return out;
}

/**
 * Writes answer rows as lines of CSV: the first cells of each row, and its numbers.
 *
 * @param cells of the first row; `columnCount` of them are a row, of which `inputCount` are written.
 * @param numbers of the first row: texts of 32 bytes, `numberCount` a row.
 * @param prefix a text of `prefixLength` bytes, at most 32, which ends each row with the row's number; none if it has none.
 * @param first the number of the block's first row in the answer.
 * @param start where the lines are to be.
 * @param end the address behind the room for them.
 * @returns the first row that was not written: there is no room left, or it has a field that needs
 *   quotes, might be a formula, or is not text.
 */
export function writeLines(
  cells: usize,
  columnCount: u32,
  inputCount: u32,
  numbers: usize,
  numberCount: u32,
  prefix: usize,
  prefixLength: u32,
  first: u32,
  from: u32,
  to: u32,
  start: usize,
  end: usize,
): u32 {
  out = start;
  const stride = CELL * <usize>columnCount;
  let cell = cells + stride * <usize>from;
  let number = numbers + NUMBER_TEXT * <usize>(from * numberCount);
  const numberBytes = NUMBER_TEXT * <usize>numberCount;
  let row = from;
  for (; row < to; row++, cell += stride, number += numberBytes) {
    const line = out;
    if (!writeInputs(cell, inputCount, end) || out + numberBytes + 2 * NUMBER_TEXT + VECTOR > end) {
      out = line;
      break;
    }
    writeNumberTexts(number, numberCount);
    if (prefixLength > 0) {
      store<u8>(out++, <u8>COMMA);
      copyText(prefix, prefixLength);
      out = writeWhole(out, <u64>first + row);
    }
    store<u16>(out, LINE_END);
    out += 2;
  }
  return row;
}

/** Writes cells, each with a comma behind it. Returns whether it could. */
function writeInputs(cells: usize, count: u32, end: usize): bool {
  for (let index: u32 = 0; index < count; index++, cells += CELL) {
    const kind = readKind(cells);
    if (kind > TEXT) return false;
    const length = kind === MISSING || kind === NULL ? 0 : readLength(cells);
    if (out + length + VECTOR > end) return false;
    const from = readStart(cells);
    if (kind === TEXT && length > 0 && !isPlain(from, length)) return false;
    if (!copyWithoutCommas(from, length)) return false;
    store<u8>(out++, <u8>COMMA);
  }
  return true;
}

/** Returns whether a text has no blank at its ends, and is not a formula. */
function isPlain(from: usize, length: u32): bool {
  const first = <u32>load<u8>(from);
  if (first === SPACE || first === EQUALS || first === AT) return false;
  if (<u32>load<u8>(from + length - 1) === SPACE) return false;
  if (first !== PLUS && first !== MINUS) return true;
  return readNumber(from, from + length) !== NO_NUMBER;
}

/** Copies bytes. Returns whether none of them is a comma. */
function copyWithoutCommas(from: usize, length: u32): bool {
  let left = <i32>length;
  while (left > 0) {
    const bytes = v128.load(from);
    v128.store(out, bytes);
    let commas = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(<i8>COMMA)));
    if (left < 16) commas &= (1 << left) - 1;
    if (commas !== 0) return false;
    const count = min(left, 16);
    out += count;
    from += 16;
    left -= 16;
  }
  return true;
}

function writeNumberTexts(number: usize, count: u32): void {
  for (let index: u32 = 0; index < count; index++, number += NUMBER_TEXT) {
    if (index > 0) store<u8>(out++, <u8>COMMA);
    copyText(number, textLength(number));
  }
}

/** Copies a text, and writes 32 bytes. */
function copyText(from: usize, length: u32): void {
  v128.store(out, v128.load(from));
  v128.store(out, v128.load(from, 16), 16);
  out += length;
}
