import { type Aggregation, quoteName } from './driver.js';

/** SQL's functions of the methods. */
export const AGGREGATES = { sum: 'sum', mean: 'avg' } as const satisfies Record<Aggregation['method'], string>;

/**
 * Returns a query that aggregates the rows of another one, ordered by what distinguishes them. Other columns are left out.
 * @param sql one SELECT that was checked, without a semicolon
 * @param value the expression of the target
 */
export function aggregateRows(sql: string, { by, target }: Aggregation, value: string): string {
  const names = by.map(quoteName);
  const columns = [...names.map((name) => `${name} AS ${name}`), `${value} AS ${quoteName(target)}`];
  const keys = names.join(', ');
  return `SELECT ${columns.join(', ')} FROM (${sql}\n) AS roster_rows GROUP BY ${keys} ORDER BY ${keys}`;
}
