import { Cell, type TextReader, textReader } from '../table/cells.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { createCellReader, createReader } from '../table/reading/create-reader.js';
import type { RowWarning } from './row-warnings.js';

/** The fields of a column that a check needs, of a stored model or of the contract. */
type CheckedColumn = Pick<
  ColumnSummary,
  'name' | 'kind' | 'used' | 'min' | 'max' | 'categories' | 'reading' | 'missing_words'
>;

/** Finds values of a column that are unlike those of the table. */
export interface OutlierCheck {
  readonly cell: Cell;
  readonly kind: Extract<RowWarning['kind'], 'unreadable' | 'out-of-range' | 'new-category'>;
  readonly columnKind: ColumnSummary['kind'];
  readonly isSuspect: (value: unknown) => boolean;
}

/**
 * Yields the checks of a column, none if the model does not use it. Dates are not checked against a range: rows to
 * predict are often later than the table.
 *
 * @param knowsAll whether the categories of the column are all that the model knows.
 */
export function* outlierChecks(column: CheckedColumn, knowsAll: boolean): Generator<OutlierCheck> {
  const { name, kind, reading } = column;
  if (!column.used) return;
  const own = { cell: new Cell(name), columnKind: kind };
  const readText = textReader(column.missing_words);
  if (kind !== 'category' && isDecided(reading)) {
    const isSuspect = isUnreadable(kind, createReader(kind, reading), readText);
    yield { ...own, kind: 'unreadable', isSuspect };
  }
  if (kind === 'number') yield { ...own, kind: 'out-of-range', isSuspect: farFrom(column) };
  if (kind === 'category' && knowsAll) {
    yield { ...own, kind: 'new-category', isSuspect: notAmong(column.categories ?? [], readText) };
  }
}

/** Returns the range of a column of numbers, with its width added at both ends. */
export function usualRange({ min, max }: Pick<ColumnSummary, 'min' | 'max'>): { least: number; most: number } {
  if (typeof min !== 'number' || typeof max !== 'number') {
    return { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
  }
  const width = max - min;
  return { least: min - width, most: max + width };
}

/** Returns a check for numbers that lie outside the range by more than its width. */
function farFrom(summary: CheckedColumn): (value: unknown) => boolean {
  const { least, most } = usualRange(summary);
  const read = createCellReader('number', summary.reading, summary.missing_words);
  return (value) => {
    if (value === null) return false;
    const number = read(value);
    return number < least || number > most;
  };
}

/** Returns whether a column has one meaning; models of earlier releases do not say so, and are not warned of. */
function isDecided(reading: ColumnSummary['reading']): boolean {
  return reading !== null && reading.kind !== 'undecided' && reading.decided_by !== undefined;
}

/**
 * Returns a check for values that are not read: texts that contradict the reading of their column, moments that are
 * numbers, truth values, objects and arrays. Words for missing values are none.
 */
function isUnreadable(
  kind: 'number' | 'date',
  read: (text: string) => number,
  readText: TextReader,
): (value: unknown) => boolean {
  return (value) => {
    if (value === null || value === undefined || (kind === 'number' && typeof value === 'number')) return false;
    if (typeof value === 'object') return true;
    const text = readText(value);
    return text !== '' && Number.isNaN(read(text));
  };
}

function notAmong(categories: readonly string[], readText: TextReader): (value: unknown) => boolean {
  const known = new Set(categories);
  return (value) => {
    if (value === null || (typeof value === 'string' && known.has(value))) return false;
    const text = readText(value);
    return text !== '' && !known.has(text);
  };
}
