import {
  CELL,
  MISSING,
  NULL,
  NUMBER as NUMBER_KIND,
  readKind,
  readLength,
  readStart,
  setCell,
  TEXT,
} from '../cells/cell';
import { NUMBER_TEXT, textLength, writeWhole } from './digits';
import { isField } from './fields';

/* The kinds of a part of an answer row: see `RowPiece` in `prediction/src/rows/row-pieces.ts`. */
const LITERAL: u32 = 0;
const ECHO: u32 = 1;
const NUMBER: u32 = 2;
const BY_ROW: u32 = 3;
const ESCAPED: u32 = 4;
const SET: u32 = 5;
const ROW: u32 = 6;
const MADE: u32 = 7;

/** The size in bytes of a part: its kind and three words. */
const PART: usize = 16;

/** A cell whose bytes JavaScript wrote as the answer has them. */
const WRITTEN: u32 = 7;

/** Copies take whole vectors, and write beyond what they copy. */
const VECTOR: usize = 16;

const NULL_WORD: u32 = 0x6c6c756e;
const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;

/** The end of what was written. */
let out: usize = 0;
let isFull: bool = false;
/** The number in the answer of the row that is written. */
let rowNumber: u64 = 0;
let isCsv: bool = false;

/**
 * Lists the cells whose bytes are not those that an answer has: their addresses, as u32.
 *
 * @param count of the cells, which are adjacent.
 * @param ofCsv whether the answer is CSV; else it is JSON.
 * @returns the number of the listed cells.
 */
export function listOthers(cells: usize, count: u32, ofCsv: bool, list: usize): u32 {
  let end = list;
  const last = cells + CELL * <usize>count;
  for (let cell = cells; cell < last; cell += CELL) {
    const kind = readKind(cell);
    if (kind < TEXT || kind === WRITTEN) continue;
    if (kind === TEXT && (!ofCsv || isField(readStart(cell), readLength(cell)))) continue;
    store<u32>(end, <u32>cell);
    end += 4;
  }
  return <u32>((end - list) >> 2);
}

/**
 * Makes numbers the cells of a column: those without a text are missing.
 *
 * @param texts of the numbers, as `writeNumbers` wrote them.
 * @param cell of the first row; those of the others follow in steps of `stride` bytes.
 */
export function setNumbers(texts: usize, count: u32, cell: usize, stride: usize): void {
  for (let row: u32 = 0; row < count; row++, cell += stride, texts += NUMBER_TEXT) {
    const length = textLength(texts);
    setCell(cell, texts, length, length > 0 ? NUMBER_KIND : MISSING);
  }
}

/**
 * Writes answer rows, as many as have room.
 *
 * @param job fourteen words: the address of the cells of the block, and how many a row has; the address of the parts
 *   of a row, and their end; the address of the texts of numbers, and how many a row has; the same of the choices, as
 *   u8, and of cells that were made for this answer; the number of the block's first row in the answer; a byte before
 *   each row, and one behind it, 0 for none; and whether the answer is CSV.
 * @param row the first row, up to `rowEnd`.
 * @returns the row behind the last one that was written; see `writtenEnd`.
 */
export function writeRows(job: usize, row: u32, rowEnd: u32, start: usize, end: usize): u32 {
  const cells = <usize>load<u32>(job);
  const rowBytes = CELL * <usize>load<u32>(job, 4);
  const parts = <usize>load<u32>(job, 8);
  const partsEnd = <usize>load<u32>(job, 12);
  const numbers = <usize>load<u32>(job, 16);
  const numberBytes = NUMBER_TEXT * <usize>load<u32>(job, 20);
  const choices = <usize>load<u32>(job, 24);
  const choiceBytes = <usize>load<u32>(job, 28);
  const made = <usize>load<u32>(job, 32);
  const madeBytes = CELL * <usize>load<u32>(job, 36);
  const first = load<u32>(job, 40);
  const before = load<u32>(job, 44);
  const behind = load<u32>(job, 48);
  isCsv = load<u32>(job, 52) !== 0;
  const last = end - 2 * VECTOR;
  out = start;
  for (; row < rowEnd; row++) {
    const begin = out;
    const at = <usize>row;
    isFull = false;
    rowNumber = <u64>first + row;
    if (before !== 0) store<u8>(out++, <u8>before);
    writeRow(
      parts,
      partsEnd,
      cells + rowBytes * at,
      numbers + numberBytes * at,
      choices + choiceBytes * at,
      made + madeBytes * at,
      last,
    );
    if (isFull) {
      out = begin;
      return row;
    }
    if (behind !== 0) store<u8>(out++, <u8>behind);
  }
  return row;
}

/** Returns the end of what was written last. */
export function writtenEnd(): usize {
  return out;
}

function writeRow(
  part: usize,
  partsEnd: usize,
  cells: usize,
  numbers: usize,
  choices: usize,
  made: usize,
  last: usize,
): void {
  for (; part < partsEnd; part += PART) {
    const kind = load<u32>(part);
    const index = <usize>load<u32>(part, 4);
    if (kind === LITERAL) {
      copy(index, load<u32>(part, 8), last);
    } else if (kind === ECHO) {
      copy(<usize>load<u32>(part, 8), load<u32>(part, 12), last);
      writeCell(cells + CELL * index, last);
    } else if (kind === NUMBER) {
      copy(<usize>load<u32>(part, 8), load<u32>(part, 12), last);
      const text = numbers + NUMBER_TEXT * index;
      copy(text, textLength(text), last);
    } else if (kind === ROW) {
      copy(<usize>load<u32>(part, 8), load<u32>(part, 12), last);
      if (out + NUMBER_TEXT > last) isFull = true;
      else out = writeWhole(out, rowNumber);
    } else if (kind === BY_ROW) {
      const text = <usize>load<u32>(part, 8) + 8 * <usize>load<u8>(choices + index);
      copy(<usize>load<u32>(text), load<u32>(text, 4), last);
    } else if (kind === ESCAPED) {
      writeEscaped(cells + CELL * index, last);
    } else if (kind === SET) {
      writeSet(choices + index, <usize>load<u32>(part, 8), last);
    } else if (kind === MADE) {
      copy(<usize>load<u32>(part, 8), load<u32>(part, 12), last);
      writeCell(made + CELL * index, last);
    }
    if (isFull) return;
  }
}

/** Copies bytes, if they have room. */
function copy(from: usize, length: u32, last: usize): void {
  const end = out + length;
  if (end > last) {
    isFull = true;
    return;
  }
  // Most texts are shorter than a vector, and those between fields of CSV are a comma.
  if (length === 1) {
    store<u8>(out, load<u8>(from));
    out = end;
    return;
  }
  v128.store(out, v128.load(from));
  for (let at = out + VECTOR; at < end; at += VECTOR) {
    from += VECTOR;
    v128.store(at, v128.load(from));
  }
  out = end;
}

function writeCell(cell: usize, last: usize): void {
  const kind = readKind(cell);
  if (kind === MISSING || kind === NULL) {
    if (isCsv) return;
    store<u32>(out, NULL_WORD);
    out += 4;
  } else if (kind === TEXT && !isCsv) {
    store<u8>(out++, QUOTE);
    copy(readStart(cell), readLength(cell), last);
    store<u8>(out++, QUOTE);
  } else {
    copy(readStart(cell), readLength(cell), last);
  }
}

/** Writes the JSON of a cell within a string of JSON. */
function writeEscaped(cell: usize, last: usize): void {
  const kind = readKind(cell);
  if (kind !== TEXT && kind !== WRITTEN) {
    writeCell(cell, last);
    return;
  }
  const from = readStart(cell);
  const length = readLength(cell);
  if (out + 2 * length + 4 > last) {
    isFull = true;
    return;
  }
  if (kind === TEXT) writeEscapedByte(QUOTE);
  for (let at = from, end = from + length; at < end; at++) writeEscapedByte(load<u8>(at));
  if (kind === TEXT) writeEscapedByte(QUOTE);
}

function writeEscapedByte(byte: u8): void {
  if (byte === QUOTE || byte === BACKSLASH) store<u8>(out++, BACKSLASH);
  store<u8>(out++, byte);
}

/** Writes the names of a set, with commas between them: their number, then the index of each, as u8. */
function writeSet(set: usize, names: usize, last: usize): void {
  const count = <usize>load<u8>(set);
  for (let index: usize = 0; index < count; index++) {
    if (index > 0) store<u8>(out++, 0x2c);
    const name = names + 8 * <usize>load<u8>(set + 1 + index);
    copy(<usize>load<u32>(name), load<u32>(name, 4), last);
  }
}
