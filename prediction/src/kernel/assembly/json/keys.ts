/* The keys of a body that are not names of the model. */

/** The new keys of the row: the address and the length of each, as u32. */
const MAX_NEW: u32 = 64;
export const NEW: usize = memory.data(8 * 64, 8);
export let newCount: u32 = 0;

/** By number of an unknown key: the rows with it, and the last of these, as u32. */
const MAX_UNKNOWN: u32 = 256;
export const UNKNOWN_ROWS: usize = memory.data(4 * 256, 8);
const UNKNOWN_LAST: usize = memory.data(4 * 256, 8);
/** The unknown keys of the row, as u8. */
const SEEN: usize = memory.data(256, 8);
let seenCount: u32 = 0;

/** The number of the row in the body. */
let rowNumber: u32 = 0;

/** Begins a body. */
export function beginKeys(): void {
  rowNumber = 0;
  memory.fill(UNKNOWN_ROWS, 0, 4 * MAX_UNKNOWN);
  memory.fill(UNKNOWN_LAST, 0, 4 * MAX_UNKNOWN);
}

export function beginRowKeys(): void {
  rowNumber++;
  seenCount = 0;
}

export function forgetNewKeys(): void {
  newCount = 0;
}

/** Notes that the row has an unknown key, which may be there several times. */
export function see(unknown: u32): void {
  const last = UNKNOWN_LAST + 4 * <usize>unknown;
  if (load<u32>(last) === rowNumber) return;
  store<u32>(last, rowNumber);
  store<u8>(SEEN + seenCount, <u8>unknown);
  seenCount++;
}

/** Counts the row for each of its unknown keys. */
export function countUnknown(): void {
  for (let index: u32 = 0; index < seenCount; index++) {
    const place = UNKNOWN_ROWS + 4 * <usize>load<u8>(SEEN + index);
    store<u32>(place, load<u32>(place) + 1);
  }
}

/** Notes a key that the table does not have. */
export function noteKey(key: usize, length: u32): void {
  if (newCount === MAX_NEW) return;
  store<u32>(NEW + 8 * <usize>newCount, <u32>key);
  store<u32>(NEW + 8 * <usize>newCount, length, 4);
  newCount++;
}
