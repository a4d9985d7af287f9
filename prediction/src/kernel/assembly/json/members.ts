import { CELL, MISSING, readKind, setCell, TEXT } from '../cells/cell';
import { inputCount, names, namesMask } from '../cells/plan';
import { areEqual, findSlot, isFree, slotLength, slotText, slotValue } from '../cells/texts';
import { isBlank } from './blanks';
import { beginRowKeys, noteKey, see } from './keys';
import { scanEscaped, stringEnd } from './strings';
import { kind, resetValueCount, scanColon, scanValue, skipBlanks, valueCount } from './values';

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;
const OPEN_OBJECT: u32 = 0x7b;
const CLOSE_OBJECT: u32 = 0x7d;

/* The values of the table of names, beside indexes of columns. */
/** The key means the column, but is not its name. */
const ALIAS: u32 = 0x10000;
/** The key is not a name of the model. Its number is in the low bits. */
const UNKNOWN: u32 = 0x20000;
const INDEX: u32 = 0xffff;

/** The slots of the keys of the row before, by place. */
const MAX_PLACES: u32 = 2048;
const PLACES: usize = memory.data(4 * 2048, 8);

/** The number of values of the rows of the body. */
export let scannedCount: f64 = 0;

/** True if the row is to be read by JavaScript. */
export let isOdd: bool = false;
/** True if a key of the row names an input column. */
export let hasInput: bool = false;
let hasAlias: bool = false;

/** Begins a body. */
export function beginMembers(): void {
  scannedCount = 0;
  memory.fill(PLACES, 0, 4 * MAX_PLACES);
}

/** Scans a row, and returns the address behind it, or 0 if it is not JSON. */
export function scanRow(plan: usize, at: usize, cells: usize): usize {
  beginRowKeys();
  hasInput = false;
  hasAlias = false;
  isOdd = false;
  resetValueCount();
  if (load<u8>(at) !== OPEN_OBJECT) {
    isOdd = true;
    const end = scanValue(at);
    scannedCount += valueCount;
    return end;
  }
  const end = scanMembers(plan, at, cells);
  scannedCount += valueCount + 1;
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
        isOdd = true;
        noteKey(key, length);
        slot = 0;
      } else if (place < PLACES + 4 * MAX_PLACES) {
        store<u32>(place, <u32>slot);
      }
    }
    // The most usual notation has no blanks.
    if (load<u8>(at) === COLON && !isBlank(load<u8>(at + 1))) {
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

/** Returns whether the bytes of a key are those of a slot. */
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
  if (readKind(cell) !== MISSING) {
    // Which of two keys that mean the same counts, JavaScript decides; of two that are the same, the last.
    if ((name & ALIAS) !== 0 || hasAlias) isOdd = true;
  }
  if ((name & ALIAS) !== 0) hasAlias = true;
  if (index < inputCount(plan)) hasInput = true;
  if (kind === TEXT) setCell(cell, start + 1, <u32>(end - start) - 2, TEXT);
  else setCell(cell, start, <u32>(end - start), kind);
}
