import { BOOLEAN, CELL, MISSING, NULL, NUMBER, OTHER_NUMBER, readKind, readLength, readStart, TEXT } from './cell';
import { EXACT, NEAR, NEAR_SHARE, NO_NUMBER, number, readNumber } from './number';
import {
  CATEGORY,
  columnCount,
  countSuspect,
  cutsBefore,
  DATE,
  FEATURE,
  featureCount,
  features,
  fieldsInUnit,
  hasPointGroups,
  isUnseen,
  kindOfFeature,
  knowsAll,
  lastField,
  othersBin,
  readColumn,
  readCuts,
  readLeast,
  readMask,
  readMost,
  readWords,
  tableMask,
} from './plan';
import { findSlot, isFree, slotValue } from './texts';
import {
  countNumbers,
  hasDigit,
  hasNumberWithin,
  hasPoint,
  isMissingNumber,
  isMissingWord,
  isTrue,
  mayBeOtherWord,
  trim,
  trimmedEnd,
  trimmedStart,
} from './words';

const MISSING_BIN: i32 = 0;

/** The cell is to be read by JavaScript. */
const UNREAD: i32 = -1;

/**
 * Bins the cells of a block, and counts values that are unlike those of the table. Bins are as those
 * of `RowBinner`.
 *
 * @param bins u8, feature by feature, `rowCount` each.
 * @param isPartial u8 by row, all zero; set to 1 where a bin is unfamiliar.
 * @param unread gets the cells that are to be read by JavaScript: row and index of the feature, as
 *   u32. Room for every bin.
 * @returns the number of those.
 */
export function binCells(plan: usize, cells: usize, rowCount: u32, bins: usize, isPartial: usize, unread: usize): u32 {
  const stride = CELL * <usize>columnCount(plan);
  const count = featureCount(plan);
  let end = unread;
  let feature = features(plan);
  for (let index: u32 = 0; index < count; index++, feature += FEATURE, bins += rowCount) {
    let cell = cells + CELL * <usize>readColumn(feature);
    const kind = kindOfFeature(feature);
    const mask = readMask(feature);
    for (let row: u32 = 0; row < rowCount; row++, cell += stride) {
      const bin =
        kind === CATEGORY ? categoryBin(feature, cell) : kind === DATE ? dateBin(cell) : numberBin(feature, cell);
      if (bin === UNREAD) {
        store<u32>(end, row);
        store<u32>(end, index, 4);
        end += 8;
      } else if (isUnseen(feature, bin)) {
        store<u8>(bins + row, mask);
        store<u8>(isPartial + row, 1);
      } else {
        store<u8>(bins + row, bin);
      }
    }
  }
  return <u32>((end - unread) >> 3);
}

function numberBin(feature: usize, cell: usize): i32 {
  const read = readCell(cell, !hasPointGroups(feature));
  if (read === EXACT) {
    return isMissingNumber(readWords(feature), number) ? MISSING_BIN : orderedBin(feature, number);
  }
  if (read === NEAR) return nearBin(feature, number);
  return read === NO_NUMBER ? MISSING_BIN : UNREAD;
}

/**
 * Reads a cell as a number: EXACT, NEAR, NO_NUMBER or UNREAD.
 *
 * @param readsPoints whether a text with a point is the number that a program would write so.
 */
function readCell(cell: usize, readsPoints: bool): i32 {
  const kind = readKind(cell);
  if (kind === NUMBER || kind === OTHER_NUMBER) {
    const start = readStart(cell);
    const read = readNumber(start, start + readLength(cell));
    return read === EXACT || read === NEAR ? read : UNREAD;
  }
  if (kind <= BOOLEAN) return NO_NUMBER;
  if (kind !== TEXT) return UNREAD;
  trim(readStart(cell), readLength(cell));
  if (!readsPoints && hasPoint(trimmedStart, trimmedEnd)) return UNREAD;
  const read = readNumber(trimmedStart, trimmedEnd);
  if (read === EXACT || read === NEAR) return read;
  return read === NO_NUMBER && !hasDigit(trimmedStart, trimmedEnd) ? NO_NUMBER : UNREAD;
}

function orderedBin(feature: usize, value: f64): i32 {
  if (value < readLeast(feature) || value > readMost(feature)) countSuspect(feature);
  return 1 + countBelow(feature, value);
}

/** Returns the bin that all numbers near a value have, or UNREAD. */
function nearBin(feature: usize, value: f64): i32 {
  const reach = abs(value) * NEAR_SHARE;
  const least = value - reach;
  const most = value + reach;
  if (hasNumberWithin(readWords(feature), min(least, most), max(least, most))) return UNREAD;
  if (least < readLeast(feature) !== most < readLeast(feature)) return UNREAD;
  if (least > readMost(feature) !== most > readMost(feature)) return UNREAD;
  if (countBelow(feature, least) !== countBelow(feature, most)) return UNREAD;
  return orderedBin(feature, value);
}

/** Returns the number of cuts that are below a value, as `CutGrid` does. */
function countBelow(feature: usize, value: f64): i32 {
  const cuts = readCuts(feature);
  const field = (value - load<f64>(cuts)) * fieldsInUnit(feature);
  const last = lastField(feature);
  const place = field > 0 ? <usize>(field < last ? field : last) : 0;
  const before = cutsBefore(feature) + 2 * place;
  let low = <i32>load<u16>(before);
  let high = <i32>load<u16>(before, 2);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= load<f64>(cuts + 8 * <usize>middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function dateBin(cell: usize): i32 {
  // A number is never a date, as it has no hyphen within.
  const kind = readKind(cell);
  return kind < TEXT || kind === OTHER_NUMBER ? MISSING_BIN : UNREAD;
}

function categoryBin(feature: usize, cell: usize): i32 {
  const kind = readKind(cell);
  if (kind === MISSING || kind === NULL) return MISSING_BIN;
  if (kind > TEXT) return UNREAD;
  const known = binOfText(feature, readStart(cell), readLength(cell));
  if (known !== UNREAD) return known;
  const words = readWords(feature);
  if (kind !== TEXT) {
    if (countNumbers(words) > 0 || mayBeOtherWord(words, readLength(cell))) return UNREAD;
    // "true" may be a word.
    return isMissingWord(words, readStart(cell), readLength(cell)) ? MISSING_BIN : unknownBin(feature);
  }
  trim(readStart(cell), readLength(cell));
  const length = <u32>(trimmedEnd - trimmedStart);
  if (length === 0) return MISSING_BIN;
  // A blank beyond ASCII may stand at its ends.
  if (((load<u8>(trimmedStart) | load<u8>(trimmedEnd - 1)) & 0x80) !== 0) return UNREAD;
  if (isMissingWord(words, trimmedStart, length)) return MISSING_BIN;
  if (mayBeOtherWord(words, length)) return UNREAD;
  // "TRUE" is `true`.
  if (length <= 5 && isTrue(trimmedStart, length)) return UNREAD;
  if (countNumbers(words) > 0 && hasDigit(trimmedStart, trimmedEnd)) return UNREAD;
  if (length === readLength(cell)) return unknownBin(feature);
  const trimmed = binOfText(feature, trimmedStart, length);
  return trimmed === UNREAD ? unknownBin(feature) : trimmed;
}

function binOfText(feature: usize, text: usize, length: u32): i32 {
  const slot = findSlot(readCuts(feature), tableMask(feature), text, length);
  return isFree(slot) ? UNREAD : <i32>slotValue(slot);
}

function unknownBin(feature: usize): i32 {
  if (knowsAll(feature)) countSuspect(feature);
  return <i32>othersBin(feature);
}

/**
 * Reads the cells of one column as numbers, as `cellText` and `parseNumber` do; NaN where a cell is none.
 *
 * @param readsPoints as for `readCell`.
 * @param values f64 by row.
 * @param unread gets the rows that are to be read by JavaScript, as u32.
 * @returns the number of those.
 */
export function readValues(
  plan: usize,
  cells: usize,
  column: u32,
  rowCount: u32,
  readsPoints: bool,
  values: usize,
  unread: usize,
): u32 {
  let end = unread;
  let cell = cells + CELL * <usize>column;
  const stride = CELL * <usize>columnCount(plan);
  for (let row: u32 = 0; row < rowCount; row++, cell += stride, values += 8) {
    const read = readCell(cell, readsPoints);
    store<f64>(values, read === EXACT ? number : NaN);
    if (read === EXACT || read === NO_NUMBER) continue;
    store<u32>(end, row);
    end += 4;
  }
  return <u32>((end - unread) >> 2);
}
