import type { ModelBase } from '../model/model.js';
import type { SeenRows } from '../model/seen-rows.js';
import { keptName, type SchemaChecks } from '../rows/row-check.js';
import { Cell, type RowObject, textReader } from '../table/cells.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { createCellReader } from '../table/reading/create-reader.js';

/** Columns that the warnings of a row name at most. */
const MAX_NAMED = 20;

/**
 * Returns what describes a row beside those of the table, as `carat: missing; cut: new-category`: columns without a value
 * that the model can read, where every row of the table had one, and values that a check finds suspect. A row with the
 * values of one that the model was trained on is `trained-on`. It returns null where nothing is to be said.
 *
 * @param loadSeenRows is called with the first row
 */
export function createDescriber(
  { finders }: Pick<SchemaChecks, 'finders'>,
  { columns }: Pick<ModelBase, 'columns'>,
  loadSeenRows: () => SeenRows | undefined,
): (row: RowObject) => string | null {
  const complete = listValueChecks(columns.filter(({ missing_share }) => missing_share === 0));
  let isSeen: ((row: RowObject) => boolean) | undefined;
  return (row) => {
    isSeen ??= loadSeenRows()?.createCheck(columns) ?? (() => false);
    const found = isSeen(row) ? ['trained-on'] : [];
    const suspects = finders.filter(({ cell, isSuspect }) => isSuspect(cell.of(row)));
    for (const { cell, isMissing } of complete) {
      // An unreadable value is not missing.
      if (suspects.some((one) => one.kind === 'unreadable' && one.cell.name === cell.name)) continue;
      if (isMissing(cell.of(row))) found.push(`${keptName(cell.name)}: missing`);
    }
    for (const { cell, kind } of suspects) found.push(`${keptName(cell.name)}: ${kind}`);
    if (found.length === 0) return null;
    const more = found.length - MAX_NAMED;
    return [...found.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  };
}

/** The check of whether a value of a column can be read by a model. */
export interface ValueCheck {
  readonly cell: Cell;
  readonly isMissing: (value: unknown) => boolean;
}

/** Returns a check for each column that a model uses. */
export function listValueChecks(columns: readonly ColumnSummary[]): readonly ValueCheck[] {
  return columns
    .filter(({ used }) => used)
    .map((summary) => ({ cell: new Cell(summary.name), isMissing: missingIn(summary) }));
}

/** Returns a check for values that a model cannot read in a column. */
function missingIn({ kind, reading, missing_words: words }: ColumnSummary): (value: unknown) => boolean {
  const readText = textReader(words);
  if (kind === 'category') return (value) => readText(value) === '';
  const read = createCellReader(kind, reading, words);
  return (value) => Number.isNaN(read(value));
}
