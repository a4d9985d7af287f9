import type { Request } from 'express';
import { MAX_FAULTS } from './body-excerpt.js';

/** A part of a query with enough faults to fill a response, if the query has that many. */
export interface QueryExcerpt {
  readonly query: Request['query'];
  /** Whether values were left out: a parameter has more of them than the contract allows. */
  readonly isShortened: boolean;
}

/**
 * Drops the values of each parameter after the first {@link MAX_FAULTS}. The validator reports
 * every fault of every value, and a query of 14 KB has a thousand values, with several faults each.
 */
export function excerptOfQuery(sent: Request['query']): QueryExcerpt {
  const isShortened = Object.values(sent).some(isLong);
  if (!isShortened) return { query: sent, isShortened };
  const shortened = Object.entries(sent).map(([name, values]) => [
    name,
    isLong(values) ? values.slice(0, MAX_FAULTS) : values,
  ]);
  return { query: Object.fromEntries(shortened), isShortened };
}

function isLong(values: Request['query'][string]): values is string[] {
  return Array.isArray(values) && values.length > MAX_FAULTS;
}
