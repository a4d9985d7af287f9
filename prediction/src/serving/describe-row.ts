import type { ModelBase } from '../model/model.js';
import { Cell, cellText, type RowObject } from '../table/cells.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { readerOf } from '../table/number-formats.js';
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
  { columns }: Pick<ModelBase, 'columns'>,
): (row: RowObject) => string | null {
  const complete = columns
    .filter(({ used, missing_share }) => used && missing_share === 0)
    .map((summary) => ({ cell: new Cell(summary.name), isMissing: missingIn(summary) }));
  return (row) => {
    const found: string[] = [];
    for (const { cell, isMissing } of complete) {
      if (isMissing(cell.of(row))) found.push(`${keptName(cell.name)}: missing`);
    }
    for (const { cell, kind, isSuspect } of finders) {
      if (isSuspect(cell.of(row))) found.push(`${keptName(cell.name)}: ${kind}`);
    }
    if (found.length === 0) return null;
    const more = found.length - MAX_NAMED;
    return [...found.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  };
}

/** Returns a check for values that a model cannot read in a column. */
function missingIn({ kind, reading }: ColumnSummary): (value: unknown) => boolean {
  if (kind === 'category') return (value) => cellText(value) === '';
  const read = readerOf(kind, reading);
  return (value) => {
    const isNumber = typeof value === 'number' && kind === 'number';
    return Number.isNaN(isNumber ? value : read(cellText(value)));
  };
}
