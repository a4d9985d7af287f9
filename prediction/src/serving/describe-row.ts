import type { RowObject } from '../table/cells.js';
import { MISSING_BIN } from '../trees/binning/bin-mapper.js';
import type { BinnedInput, RowBinner } from './row-binner.js';
import { keptName, type SchemaChecks } from './row-check.js';

/** Columns that the warnings of a row name at most. */
const MAX_NAMED = 20;

/**
 * Returns what describes how a row is unlike those of the table, as `carat: missing; cut: new-category`: columns without
 * a value that the model can read, where every row of the table had one, and values that a check finds suspect. It
 * returns null for a row that is like them.
 */
export function createDescriber(
  { finders }: Pick<SchemaChecks, 'finders'>,
  { inputs }: RowBinner,
): (row: RowObject) => string | null {
  const always = new Map<number, BinnedInput>();
  for (const input of inputs)
    if (input.isUnseen[MISSING_BIN] === 1) always.set(input.column, input);
  return (row) => {
    const found: string[] = [];
    for (const { cell, encoder } of always.values()) {
      if (encoder.bin(cell.of(row)) === MISSING_BIN) found.push(`${keptName(cell.name)}: missing`);
    }
    for (const { cell, kind, isSuspect } of finders) {
      if (isSuspect(cell.of(row))) found.push(`${keptName(cell.name)}: ${kind}`);
    }
    if (found.length === 0) return null;
    const more = found.length - MAX_NAMED;
    return [...found.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  };
}
