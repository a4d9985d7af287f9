import { NO_NUMBER, readNumber } from '../cells/number';

const SPACE: u32 = 0x20;
const PLUS: u32 = 0x2b;
const COMMA: u8 = 0x2c;
const MINUS: u32 = 0x2d;
const EQUALS: u32 = 0x3d;
const AT: u32 = 0x40;

const VECTOR: usize = 16;

/**
 * Returns whether the bytes of a cell of text are a field of CSV: they have no comma and no blank at their ends, and no
 * spreadsheet takes them for a formula.
 */
export function isField(from: usize, length: u32): bool {
  if (length === 0) return true;
  const first = <u32>load<u8>(from);
  if (first === SPACE || first === EQUALS || first === AT) return false;
  if (<u32>load<u8>(from + length - 1) === SPACE) return false;
  if (hasComma(from, from + length)) return false;
  if (first !== PLUS && first !== MINUS) return true;
  return readNumber(from, from + length) !== NO_NUMBER;
}

function hasComma(at: usize, end: usize): bool {
  for (; at < end; at += VECTOR) {
    let commas = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(<i8>COMMA)));
    if (end - at < VECTOR) commas &= (1 << (<i32>(end - at))) - 1;
    if (commas !== 0) return true;
  }
  return false;
}
