import { cellText, parseNumber } from '../table/cells.js';

/** Reads a row's own value of the target as training does; NaN, if it is no number. */
export function truthOf(original: unknown): number {
  if (typeof original === 'number') return original;
  return original === null ? Number.NaN : parseNumber(cellText(original));
}
