/*
 * A cell is eight bytes: the address of its bytes in this memory as u32, and a u32 whose low three
 * bits are its kind and whose other bits are the number of its bytes. Cells of a row are adjacent, in
 * the order of the columns of the plan. A cell of zeros is missing.
 *
 * `prediction/src/io/cells/cell-block.ts` says what each kind is.
 */

export const CELL: usize = 8;

export const MISSING: u32 = 0;
export const NULL: u32 = 1;
export const BOOLEAN: u32 = 2;
export const NUMBER: u32 = 3;
export const TEXT: u32 = 4;
export const OTHER_NUMBER: u32 = 5;
export const OTHER: u32 = 6;

export function setCell(cell: usize, start: usize, length: u32, kind: u32): void {
  store<u32>(cell, <u32>start);
  store<u32>(cell, (length << 3) | kind, 4);
}

export function readKind(cell: usize): u32 {
  return load<u32>(cell, 4) & 7;
}

export function readStart(cell: usize): usize {
  return <usize>load<u32>(cell);
}

export function readLength(cell: usize): u32 {
  return load<u32>(cell, 4) >>> 3;
}
