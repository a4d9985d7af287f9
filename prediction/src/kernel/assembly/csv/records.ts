import { CELL, OTHER, setCell, TEXT } from '../cells/cell';

const TAB: u32 = 0x09;
const LINE_FEED: u32 = 0x0a;
const RETURN: u32 = 0x0d;
const SPACE: u32 = 0x20;
const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/* What a scan ended with. */
/** The block has no room for more records. */
const FULL: i32 = 0;
/** All records were read. */
const DONE: i32 = 1;
/** The next record is to be read by JavaScript: it has a fault, or more fields than there are columns. */
const DECLINED: i32 = 2;

/** The column of fields that are not read. */
const NONE: u32 = 0xffffffff;

/** See `recordStateAddress`. */
const STATE: usize = memory.data(12, 4);

let delimiter: u32 = 0;
let bodyEnd: usize = 0;
/** By field, the index of its column or NONE, as u32. */
let columns: usize = 0;
let fieldCount: u32 = 0;

/** The number of lines of the record, and whether it is a blank line. */
let lines: u32 = 0;
let isBlankLine: bool = false;
/** Of the field: whether it cannot be a cell of text. */
let isOther: bool = false;

/**
 * Returns the address of what a scan found, as u32: the address behind it, the number of records that
 * are not blank, and the number of lines.
 */
export function recordStateAddress(): usize {
  return STATE;
}

/**
 * Scans records of CSV, and writes their fields as cells. Empty fields are missing.
 *
 * @param at of a record.
 * @param end the address behind the last record, where a zero is.
 * @param divider the byte between fields: a comma, a semicolon or a tab.
 * @param columnOfField by field, the index of its column or 0xffffffff, as u32; `fields` of them.
 * @param cells all zero, with room for `most` rows of `columnCount` cells.
 * @returns FULL, DONE or DECLINED.
 */
export function scanRecords(
  at: usize,
  end: usize,
  divider: u32,
  columnOfField: usize,
  fields: u32,
  cells: usize,
  columnCount: u32,
  most: u32,
): i32 {
  delimiter = divider;
  bodyEnd = end;
  columns = columnOfField;
  fieldCount = fields;
  const stride = CELL * <usize>columnCount;
  let count: u32 = 0;
  let lineCount: u32 = 0;
  let result = FULL;
  let row = cells;
  while (count < most) {
    if (at >= end) {
      result = DONE;
      break;
    }
    const next = scanRecord(at, row);
    if (next === 0) {
      memory.fill(row, 0, stride);
      result = DECLINED;
      break;
    }
    at = next;
    lineCount += lines;
    if (isBlankLine) continue;
    row += stride;
    count++;
  }
  store<u32>(STATE, <u32>at);
  store<u32>(STATE, count, 4);
  store<u32>(STATE, lineCount, 8);
  return result;
}

/** Scans a record, and returns the address behind it, or 0 if JavaScript is to read it. */
function scanRecord(start: usize, cells: usize): usize {
  let at = start;
  lines = 1;
  isBlankLine = false;
  let field: u32 = 0;
  while (true) {
    at = skipBlanks(at);
    const isQuoted = <u32>load<u8>(at) === QUOTE;
    const begin = isQuoted ? at + 1 : at;
    isOther = false;
    at = isQuoted ? quotedEnd(begin) : plainEnd(begin);
    if (at === 0) return 0;
    const end = isQuoted ? at : trimmedEnd(begin, at);
    if (isQuoted) at = skipBlanks(at + 1);
    const after = <u32>load<u8>(at);
    if (after !== delimiter && !isLineEnd(after, at)) return 0;
    if (field >= fieldCount) return 0;
    const column = load<u32>(columns + 4 * <usize>field);
    if (end > begin && column !== NONE) {
      setCell(cells + CELL * <usize>column, begin, <u32>(end - begin), isOther ? OTHER : TEXT);
    }
    if (after === delimiter) {
      at++;
      field++;
      continue;
    }
    isBlankLine = field === 0 && !isQuoted && end === begin;
    return behindLine(at, after);
  }
}

/** Returns the address of the quote that closes a field, or 0 if there is none. */
function quotedEnd(start: usize): usize {
  let at = start;
  for (; at < bodyEnd; at++) {
    const byte = <u32>load<u8>(at);
    if (byte === QUOTE) {
      if (<u32>load<u8>(at + 1) !== QUOTE) return at;
      isOther = true;
      at++;
    } else if (byte < SPACE || byte === BACKSLASH) {
      isOther = true;
      const isReturn = byte === RETURN;
      const isFeed = byte === LINE_FEED && <u32>load<u8>(at - 1) !== RETURN;
      if (isReturn || isFeed) lines++;
    }
  }
  return 0;
}

/** Returns the address behind a field without quotes, or 0 if there is a quote in it. */
function plainEnd(start: usize): usize {
  let at = nextMark(start);
  let byte = <u32>load<u8>(at);
  while (byte !== delimiter) {
    if (isLineEnd(byte, at)) break;
    if (byte === QUOTE) return 0;
    if (byte < SPACE || byte === BACKSLASH) isOther = true;
    at = nextMark(at + 1);
    byte = load<u8>(at);
  }
  return at;
}

/** Returns the address of the next delimiter, backslash, or byte up to a quote. */
function nextMark(at: usize): usize {
  while (true) {
    const bytes = v128.load(at);
    const marks = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(<i8>delimiter)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH))),
      i8x16.le_u(bytes, i8x16.splat(<i8>QUOTE)),
    );
    const mask = i8x16.bitmask(marks);
    if (mask !== 0) return at + ctz<u32>(mask);
    at += 16;
  }
}

function trimmedEnd(begin: usize, end: usize): usize {
  while (end > begin && isBlank(load<u8>(end - 1))) end--;
  return end;
}

function skipBlanks(at: usize): usize {
  let byte = <u32>load<u8>(at);
  while (byte !== delimiter && isBlank(byte)) byte = load<u8>(++at);
  return at;
}

function isBlank(byte: u32): bool {
  return byte === SPACE || byte === TAB;
}

function isLineEnd(byte: u32, at: usize): bool {
  return byte === LINE_FEED || byte === RETURN || at >= bodyEnd;
}

/** Returns the address behind a line end, which may be the end of the bytes. */
function behindLine(at: usize, byte: u32): usize {
  if (at >= bodyEnd) return at;
  const isPair = byte === RETURN && at + 1 < bodyEnd && <u32>load<u8>(at + 1) === LINE_FEED;
  return isPair ? at + 2 : at + 1;
}
