import type { PoolClient } from 'pg';
import type { TakeLines } from '../driver.js';
import { TABLE_CELLS } from './cells.js';

/**
 * The rows that are fetched first, and the most that are fetched at once. Few, since they may be much
 * larger than those before, and what is received at once is bounded.
 */
const FIRST_ROWS = 8;
const MAX_ROWS = 250;

/** The lines of a fetch, in bytes, towards which the number of its rows is chosen. */
const FETCHED_BYTES = 128 * 1024;

/** Hands on the rows of a SELECT as lines of JSON arrays, the names of its columns first. */
export async function readRows(client: PoolClient, sql: string, take: TakeLines): Promise<void> {
  // All rows are read: the plan that returns the first ones early is of no use.
  await client.query('set local cursor_tuple_fraction = 1');
  // In the extended protocol, PostgreSQL itself takes one statement only.
  const declaration = {
    text: `declare roster_rows no scroll cursor for ${sql}`,
    queryMode: 'extended',
  };
  await client.query(declaration);
  let fetched = FIRST_ROWS;
  for (let isFirst = true; ; isFirst = false) {
    const { fields, rows } = await client.query<unknown[]>({
      text: `fetch forward ${fetched} from roster_rows`,
      rowMode: 'array',
      types: TABLE_CELLS,
    });
    const names = isFirst ? [fields.map(({ name }) => name)] : [];
    const lines = linesOf([...names, ...rows]);
    if (lines.length > 0) await take(lines);
    if (rows.length < fetched) return;
    fetched = rowsWithin(FETCHED_BYTES, lines.length / rows.length);
  }
}

function linesOf(rows: readonly unknown[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

function rowsWithin(bytes: number, bytesOfRow: number): number {
  return Math.min(MAX_ROWS, Math.max(1, Math.floor(bytes / bytesOfRow)));
}
