import { CELL, kindOf, MISSING, setCell, TEXT } from '../cells/cell';
import { columnCount, inputCount, names, namesMask } from '../cells/plan';
import { areEqual, findSlot, isFree, slotLength, slotText, slotValue } from '../cells/texts';
import { isBlank, setLines } from './blanks';
import {
  kind,
  resetValueCount,
  scanColon,
  scanEscaped,
  scanValue,
  skipBlanks,
  stringEnd,
  valueCount,
} from './values';

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const LINE_END: u32 = 0x0a;
const CLOSE_ARRAY: u32 = 0x5d;
const OPEN_OBJECT: u32 = 0x7b;
const CLOSE_OBJECT: u32 = 0x7d;

/* What a scan ended with. */
/** The block has no room for more rows. */
const FULL: i32 = 0;
/** The array closes, or the lines end. */
const DONE: i32 = 1;
/** It is no JSON, or more than is read here. */
const DECLINED: i32 = 2;
/** The last row has keys that the table does not have. */
const NEW_KEYS: i32 = 3;

/* The values of the table of names, beside indexes of columns. */
/** The key means the column, but is not its name. */
const ALIAS: u32 = 0x10000;
/** The key is no name of the model. Its number is in the low bits. */
const UNKNOWN: u32 = 0x20000;
const INDEX: u32 = 0xffff;

/** The most bytes and values of a row. */
const MAX_ROW_BYTES: usize = 1024 * 1024;
const MAX_ROW_VALUES: u32 = 9990;

/** The slots of the keys of the row before, by place. */
const MAX_PLACES: u32 = 2048;
const PLACES: usize = memory.data(4 * 2048, 8);

/** The new keys of the last row: the address and the length of each. */
const MAX_NEW: u32 = 64;
const NEW: usize = memory.data(8 * 64, 8);

/** By number of an unknown key: the rows with it, and the last of these. */
const MAX_UNKNOWN: u32 = 256;
const UNKNOWN_ROWS: usize = memory.data(4 * 256, 8);
const UNKNOWN_LAST: usize = memory.data(4 * 256, 8);
/** The unknown keys of the row. */
const SEEN: usize = memory.data(256, 8);

/** See `scanStateAddress`. */
const STATE: usize = memory.data(32, 8);

/** A number of the row, other than that of any other row of the body. */
let rowNumber: u32 = 0;
let seenCount: u32 = 0;
let newCount: u32 = 0;
let withoutInput: u32 = 0;
let valuesBefore: f64 = 0;
/** Whether the row is to be read by JavaScript. */
let isOdd: bool = false;
let hasInput: bool = false;
let hasAlias: bool = false;

/** Begins a body. */
export function beginRows(): void {
  rowNumber = 0;
  withoutInput = 0;
  valuesBefore = 0;
  memory.fill(PLACES, 0, 4 * MAX_PLACES);
  memory.fill(UNKNOWN_ROWS, 0, 4 * MAX_UNKNOWN);
  memory.fill(UNKNOWN_LAST, 0, 4 * MAX_UNKNOWN);
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
  newCount = 0;
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
    if (areLines) {
      if (at === 0 || (after !== LINE_END && at !== end)) {
        at = lineEnd(start, end);
        isOdd = true;
        newCount = 0;
      }
    } else if (at === 0 || (after !== COMMA && after !== CLOSE_ARRAY) || isTooLarge(start, at)) {
      result = DECLINED;
      break;
    }
    store<u32>(rows, <u32>(areLines ? lineStart : start));
    store<u32>(rows, <u32>at, 4);
    store<u32>(rows, isOdd ? 1 : 0, 8);
    store<u32>(rows, line, 12);
    rows += 16;
    count++;
    if (isOdd) {
      memory.fill(row, 0, CELL * <usize>columnCount(plan));
      oddCount++;
    } else {
      countRow();
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
  return valuesBefore;
}

function isTooLarge(start: usize, end: usize): bool {
  return end - start > MAX_ROW_BYTES || valueCount > MAX_ROW_VALUES;
}

function lineEnd(at: usize, end: usize): usize {
  while (at < end && load<u8>(at) !== LINE_END) at++;
  return at;
}

function countRow(): void {
  if (!hasInput) withoutInput++;
  for (let index: u32 = 0; index < seenCount; index++) {
    const place = UNKNOWN_ROWS + 4 * <usize>load<u8>(SEEN + index);
    store<u32>(place, load<u32>(place) + 1);
  }
}

/** Scans a row, and returns the address behind it, or 0 if it is no JSON. */
function scanRow(plan: usize, at: usize, cells: usize): usize {
  rowNumber++;
  seenCount = 0;
  hasInput = false;
  hasAlias = false;
  isOdd = false;
  resetValueCount();
  if (load<u8>(at) !== OPEN_OBJECT) {
    isOdd = true;
    const end = scanValue(at);
    valuesBefore += valueCount;
    return end;
  }
  const end = scanMembers(plan, at, cells);
  valuesBefore += valueCount + 1;
  if (valueCount > MAX_ROW_VALUES) isOdd = true;
  return end;
}

function scanMembers(plan: usize, start: usize, cells: usize): usize {
  let at = skipBlanks(start + 1);
  if (load<u8>(at) === CLOSE_OBJECT) return at + 1;
  let place: usize = PLACES;
  while (load<u8>(at) === QUOTE) {
    const key = at + 1;
    let slot: usize = 0;
    if (place < PLACES + 4 * MAX_PLACES) slot = <usize>load<u32>(place);
    if (slot !== 0 && isKey(slot, key)) {
      at = key + slotLength(slot) + 1;
    } else {
      at = stringEnd(key);
      at = load<u8>(at) === QUOTE ? at + 1 : scanEscaped(at);
      if (at === 0) return 0;
      const length = <u32>(at - key) - 1;
      slot = findSlot(names(plan), namesMask(plan), key, length);
      if (isFree(slot)) {
        noteKey(key, length);
        slot = 0;
      } else if (place < PLACES + 4 * MAX_PLACES) {
        store<u32>(place, <u32>slot);
      }
    }
    // The most usual notation has no blanks.
    if (load<u8>(at) === 0x3a && !isBlank(load<u8>(at + 1))) {
      at++;
    } else {
      at = scanColon(at);
      if (at === 0) return 0;
    }
    const value = at;
    at = scanValue(at);
    if (at === 0) return 0;
    if (slot !== 0) keep(plan, slotValue(slot), cells, value, at);
    let after = <u32>load<u8>(at);
    if (after !== COMMA && after !== CLOSE_OBJECT) {
      at = skipBlanks(at);
      after = <u32>load<u8>(at);
    }
    at++;
    if (after === CLOSE_OBJECT) return at;
    if (after !== COMMA) return 0;
    at = skipBlanks(at);
    place += 4;
  }
  return 0;
}

/** Whether the bytes of a key are those of a slot. */
function isKey(slot: usize, key: usize): bool {
  const length = slotLength(slot);
  return load<u8>(key + length) === QUOTE && areEqual(slotText(slot), key, length);
}

/** Keeps the value of a key as a cell. */
function keep(plan: usize, name: u32, cells: usize, start: usize, end: usize): void {
  const index = name & INDEX;
  if ((name & UNKNOWN) !== 0) {
    see(index);
    return;
  }
  const cell = cells + CELL * <usize>index;
  if (kindOf(cell) !== MISSING) {
    // Which of two keys that mean the same counts, JavaScript decides; of two that are the same, the last.
    if ((name & ALIAS) !== 0 || hasAlias) isOdd = true;
  }
  if ((name & ALIAS) !== 0) hasAlias = true;
  if (index < inputCount(plan)) hasInput = true;
  if (kind === TEXT) setCell(cell, start + 1, <u32>(end - start) - 2, TEXT);
  else setCell(cell, start, <u32>(end - start), kind);
}

/** Notes that the row has an unknown key. */
function see(unknown: u32): void {
  const last = UNKNOWN_LAST + 4 * <usize>unknown;
  if (load<u32>(last) === rowNumber) return;
  store<u32>(last, rowNumber);
  store<u8>(SEEN + seenCount, unknown);
  seenCount++;
}

/** Notes a key that the table does not have. */
function noteKey(key: usize, length: u32): void {
  isOdd = true;
  if (newCount === MAX_NEW) return;
  store<u32>(NEW + 8 * <usize>newCount, <u32>key);
  store<u32>(NEW + 8 * <usize>newCount, length, 4);
  newCount++;
}
