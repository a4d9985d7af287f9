import { MISSING_BIN } from '../binning/bin-mapper.js';
import type { Model } from '../model/model.js';
import { cellText } from '../table/cells.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { readerOf } from '../table/reading/tell-reading.js';
import { Cell } from '../table/row-object.js';
import type { RowWarning } from './row-warnings.js';

/** Finds values of a column that are unlike those of the table. */
export interface FindsSuspect {
  readonly cell: Cell;
  readonly kind: Extract<RowWarning['kind'], 'out-of-range' | 'new-category'>;
  readonly isSuspect: (value: unknown) => boolean;
}

/** Yields finders for the columns that a model reads. Dates have none: what is predicted is often later than the table. */
export function* suspectFinders({
  columns,
  features,
  partial_rows,
}: Pick<Model, 'columns' | 'features' | 'partial_rows'>): Generator<FindsSuspect> {
  for (const [index, summary] of columns.entries()) {
    const { name, kind } = summary;
    if (!summary.used || kind === 'date') continue;
    if (kind === 'number') {
      yield { cell: new Cell(name), kind: 'out-of-range', isSuspect: farFrom(summary) };
      continue;
    }
    const feature = features.findIndex((one) => one.column === index);
    const unfamiliar = partial_rows?.unfamiliar_bins[feature] ?? [];
    // Where other categories are familiar, one that is not listed may well have been in the table.
    const knowsAll = unfamiliar.some((bin) => bin !== MISSING_BIN);
    if (!knowsAll) continue;
    yield {
      cell: new Cell(name),
      kind: 'new-category',
      isSuspect: notAmong(summary.categories ?? []),
    };
  }
}

/** Returns the range of a column of numbers, with its width added at both ends. */
export function usualRange({ min, max }: ColumnSummary): { least: number; most: number } {
  if (typeof min !== 'number' || typeof max !== 'number') {
    return { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
  }
  const width = max - min;
  return { least: min - width, most: max + width };
}

/** Returns a check for numbers that lie outside the range by more than its width. */
function farFrom(summary: ColumnSummary): (value: unknown) => boolean {
  const { least, most } = usualRange(summary);
  const read = readerOf('number', summary.reading);
  return (value) => {
    if (value === null) return false;
    const number = typeof value === 'number' ? value : read(cellText(value));
    return number < least || number > most;
  };
}

function notAmong(categories: readonly string[]): (value: unknown) => boolean {
  const known = new Set(categories);
  return (value) => {
    if (value === null || (typeof value === 'string' && known.has(value))) return false;
    const text = cellText(value);
    return text !== '' && !known.has(text);
  };
}
