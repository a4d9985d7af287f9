import type { Request } from 'express';
import { MAX_FAULTS } from './body-excerpt.js';

/**
 * Returns a query with at most {@link MAX_FAULTS} values of each parameter. The full check reports
 * every fault of every value, and a query of 14 KB has a thousand values, with several faults each.
 */
export function excerptOfQuery(sent: Request['query']): Request['query'] {
  if (!Object.values(sent).some(isLong)) return sent;
  const shortened = Object.entries(sent).map(([name, values]) => [
    name,
    isLong(values) ? values.slice(0, MAX_FAULTS) : values,
  ]);
  return Object.fromEntries(shortened);
}

function isLong(values: Request['query'][string]): values is string[] {
  return Array.isArray(values) && values.length > MAX_FAULTS;
}
