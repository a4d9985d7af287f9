import { CELL } from '../cells/cell';
import { columnCount } from '../cells/plan';
import { setLines } from './blanks';
import { beginKeys, countUnknown, forgetNewKeys, NEW, newCount, UNKNOWN_ROWS } from './keys';
import { beginMembers, hasInput, isOdd, scannedCount, scanRow } from './members';
import { skipBlanks, valueCount } from './values';

const COMMA: u32 = 0x2c;
const LINE_END: u32 = 0x0a;
const CLOSE_ARRAY: u32 = 0x5d;

/* What a scan ended with. */
/** The block has no room for more rows. */
const FULL: i32 = 0;
/** The array closes, or the lines end. */
const DONE: i32 = 1;
/** It is not JSON, or more than is read here. */
const DECLINED: i32 = 2;
/** The last row has keys that the table does not have. */
const NEW_KEYS: i32 = 3;

/** The most bytes and values of a row in an array. */
const MAX_ROW_BYTES: usize = 1024 * 1024;
const MAX_ROW_VALUES: u32 = 9990;

/** See `scanStateAddress`. */
const STATE: usize = memory.data(32, 8);

/** The rows of the body that name no input column. */
let withoutInput: u32 = 0;

/** Begins a body. */
export function beginRows(): void {
  withoutInput = 0;
  beginKeys();
  beginMembers();
}

/**
 * Returns the address of what a scan found, as u32: the address behind it, the number of rows, of new
 * keys, of rows of the body without an input column, of lines, and of rows that are to be read by JavaScript; then the
 * addresses of the new keys (address and length each, as u32) and of the numbers of rows by unknown key (u32).
 */
export function scanStateAddress(): usize {
  return STATE;
}

/**
 * Scans rows of JSON, and writes their cells.
 *
 * @param at of a row; in lines, of a line.
 * @param end the address behind the bytes, where a zero is.
 * @param cells all zero, with room for `most` rows.
 * @param rows gets four words for each row: the addresses of its beginning and end, whether it is to
 *   be read by JavaScript, and the number of its line in this scan.
 * @param areLines whether each line is a row, else commas divide them.
 * @returns FULL, DONE, DECLINED or NEW_KEYS.
 */
export function scanRows(
  plan: usize,
  at: usize,
  end: usize,
  cells: usize,
  rows: usize,
  most: u32,
  areLines: bool,
): i32 {
  setLines(areLines);
  forgetNewKeys();
  let count: u32 = 0;
  let line: u32 = 0;
  let oddCount: u32 = 0;
  let result = FULL;
  while (count < most) {
    const lineStart = at;
    if (areLines) {
      line++;
      at = skipBlanks(at);
      if (at < end && load<u8>(at) === LINE_END) {
        at++;
        continue;
      }
      if (at >= end) {
        line--;
        result = DONE;
        break;
      }
    } else {
      at = skipBlanks(at);
    }
    const start = at;
    const row = cells + CELL * <usize>(columnCount(plan) * count);
    at = scanRow(plan, at, row);
    if (at !== 0) at = skipBlanks(at);
    const after: u32 = at === 0 ? 0 : load<u8>(at);
    let isUnread = isOdd || valueCount > MAX_ROW_VALUES;
    if (areLines) {
      if (at === 0 || (after !== LINE_END && at !== end)) {
        at = lineEnd(start, end);
        isUnread = true;
        forgetNewKeys();
      }
    } else if (at === 0 || (after !== COMMA && after !== CLOSE_ARRAY) || isTooLarge(start, at)) {
      result = DECLINED;
      break;
    }
    store<u32>(rows, <u32>(areLines ? lineStart : start));
    store<u32>(rows, <u32>at, 4);
    store<u32>(rows, isUnread ? 1 : 0, 8);
    store<u32>(rows, line, 12);
    rows += 16;
    count++;
    if (isUnread) {
      memory.fill(row, 0, CELL * <usize>columnCount(plan));
      oddCount++;
    } else {
      if (!hasInput) withoutInput++;
      countUnknown();
    }
    at++;
    if (!areLines && after === CLOSE_ARRAY) {
      result = DONE;
      break;
    }
    if (newCount > 0) {
      result = NEW_KEYS;
      break;
    }
  }
  store<u32>(STATE, <u32>at);
  store<u32>(STATE, count, 4);
  store<u32>(STATE, newCount, 8);
  store<u32>(STATE, withoutInput, 12);
  store<u32>(STATE, line, 16);
  store<u32>(STATE, oddCount, 20);
  store<u32>(STATE, <u32>NEW, 24);
  store<u32>(STATE, <u32>UNKNOWN_ROWS, 28);
  return result;
}

/** Returns the number of values of the rows that were scanned. */
export function scannedValues(): f64 {
  return scannedCount;
}

function isTooLarge(start: usize, end: usize): bool {
  return end - start > MAX_ROW_BYTES || valueCount > MAX_ROW_VALUES;
}

function lineEnd(at: usize, end: usize): usize {
  while (at < end && load<u8>(at) !== LINE_END) at++;
  return at;
}
