import type { Model, RowWarning } from 'roster-client';
import { ISO_DATES, outlierChecks, PLAIN_NUMBERS } from 'roster-prediction/browser';
import type { TableHead } from '../tables/table-head.js';
import type { Comparison } from './compare-columns.js';

/** The values in a column of a file that are unlike the training table, as far as the page has read it. */
export interface SuspectColumn {
  readonly name: string;
  readonly kind: RowWarning['kind'];
  readonly rows: number;
  /** The first places in the file, from 1, and their different values. */
  readonly places: readonly number[];
  readonly values: readonly string[];
}

/** The most places and values of a column to name. */
const MAX_NAMED = 5;

/**
 * Finds values that are unlike the training table in the rows that the page has, before any of them is sent. The
 * service finds the same, and knows better which rare categories it has learnt from.
 */
export function checkRows(model: Model, { rows }: TableHead, { used }: Comparison): SuspectColumn[] {
  const places = new Map(used.map(({ name, index }) => [name, index]));
  // Models of earlier releases do not list their words, and read each cell by itself.
  const words = model.reading && { missing_words: model.reading.missing_words };
  const plain = model.reading && { number: PLAIN_NUMBERS, date: ISO_DATES, category: null };
  return (model.columns ?? []).flatMap((column): SuspectColumn[] => {
    const index = places.get(column.name);
    if (index === undefined) return [];
    const reading = column.reading ?? plain?.[column.kind] ?? null;
    return [...outlierChecks({ ...column, reading, ...words }, true)].flatMap(({ kind, isSuspect }) => {
      const found = rows.flatMap((row, place) => (isSuspect(row[index] ?? '') ? [place] : []));
      if (found.length === 0) return [];
      const values = new Set(found.map((place) => rows[place]?.[index] ?? ''));
      return [
        {
          name: column.name,
          kind,
          rows: found.length,
          places: found.slice(0, MAX_NAMED).map((place) => place + 1),
          values: [...values].slice(0, MAX_NAMED),
        },
      ];
    });
  });
}
