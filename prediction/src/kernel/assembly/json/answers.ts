import { CELL, MISSING, NULL, readKind, readLength, readStart, setCell, TEXT } from '../cells/cell';
import { columnCount } from '../cells/plan';
import { NUMBER_TEXT, textLength, writeWhole } from './digits';

/* What a part of an answer row is: see `JsonPiece` in `prediction/src/serving/answer-layout.ts`. */
const LITERAL: u32 = 0;
const ECHO: u32 = 1;
const NUMBER: u32 = 2;
const BY_ROW: u32 = 3;
const ESCAPED: u32 = 4;
const SET: u32 = 5;
const ROW: u32 = 6;

/** The size in bytes of a part: its kind and three words. */
const PART: usize = 16;

/** A cell that JavaScript wrote: its bytes are JSON already. */
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

/**
 * Lists the cells whose bytes are not the JSON that an answer has: the addresses of the cells, as u32.
 *
 * @returns the number of those.
 */
export function listOthers(plan: usize, cells: usize, rowCount: u32, list: usize): u32 {
  let end = list;
  const last = cells + CELL * <usize>(columnCount(plan) * rowCount);
  for (let cell = cells; cell < last; cell += CELL) {
    if (readKind(cell) <= TEXT) continue;
    store<u32>(end, <u32>cell);
    end += 4;
  }
  return <u32>((end - list) >> 2);
}

/** Makes the bytes at an address those of a cell: JSON. */
export function setJson(cell: usize, start: usize, length: u32): void {
  setCell(cell, start, length, WRITTEN);
}

/**
 * Writes answer rows, as many as have room.
 *
 * @param parts of a row, up to `partsEnd`.
 * @param cells of the block.
 * @param numbers texts of numbers, `numberCount` for each row of the block.
 * @param choices u8, `choiceCount` for each row of the block: what its parts of that kind say.
 * @param first the number of the block's first row in the answer.
 * @param row the first row, up to `rowEnd`.
 * @param separator a byte before each row but the first of the answer, or behind each row; 0 for none.
 * @returns the row behind the last one that was written; see `writtenEnd`.
 */
export function writeRows(
  plan: usize,
  parts: usize,
  partsEnd: usize,
  cells: usize,
  numbers: usize,
  numberCount: u32,
  choices: usize,
  choiceCount: u32,
  first: u32,
  row: u32,
  rowEnd: u32,
  start: usize,
  end: usize,
  before: u32,
  behind: u32,
): u32 {
  const rowBytes = CELL * <usize>columnCount(plan);
  const last = end - 2 * VECTOR;
  out = start;
  for (; row < rowEnd; row++) {
    const begin = out;
    isFull = false;
    rowNumber = <u64>first + row;
    if (before !== 0) store<u8>(out++, <u8>before);
    writeRow(
      parts,
      partsEnd,
      cells + rowBytes * <usize>row,
      numbers + NUMBER_TEXT * <usize>(row * numberCount),
      choices + <usize>(row * choiceCount),
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

function writeRow(part: usize, partsEnd: usize, cells: usize, numbers: usize, choices: usize, last: usize): void {
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
  for (let at = out; at < end; at += VECTOR, from += VECTOR) v128.store(at, v128.load(from));
  out = end;
}

function writeCell(cell: usize, last: usize): void {
  const kind = readKind(cell);
  if (kind === TEXT) {
    store<u8>(out, QUOTE);
    out++;
    copy(readStart(cell), readLength(cell), last);
    store<u8>(out, QUOTE);
    out++;
  } else if (kind === MISSING || kind === NULL) {
    store<u32>(out, NULL_WORD);
    out += 4;
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
