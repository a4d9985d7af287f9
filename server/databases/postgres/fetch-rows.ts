import { type FieldDef, type PoolClient, Query, type QueryArrayConfig } from 'pg';
import { RAW_CELLS } from './cells.js';
import type { ReceivedLimits, RowLimits } from './received-limits.js';
import type { ResolvedSelect } from './resolve-names.js';

/** Rows that arrived together. */
export interface FetchedRows {
  readonly columns: readonly FieldDef[];
  /** The cells, as PostgreSQL writes them. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/**
 * The rows that are fetched first, and the most that are fetched at once. Few, since they may be much
 * larger than those before, and what is received at once is bounded.
 */
const FIRST_ROWS = 8;
const MAX_ROWS = 250;

/** The bytes of a fetch, towards which the number of its rows is chosen. */
const FETCHED_BYTES = 128 * 1024;

const CURSOR = 'roster_query';

/**
 * Returns the rows of a SELECT as they are pulled, the columns first, even without rows.
 * @throws {QueryError} if a cell or what is fetched at once is too large, after the rows before it
 * @throws {DatabaseError}
 */
export async function* fetchRows(
  client: PoolClient,
  select: ResolvedSelect,
  received: ReceivedLimits,
  limits: RowLimits,
): AsyncGenerator<FetchedRows> {
  await declareCursor(client, select);
  received.begin(limits);
  for (let count = FIRST_ROWS; ; ) {
    const before = received.rows;
    const fetched = await fetchSome(client, count);
    const error = received.error ?? fetched.error;
    // A row that is too large may have arrived as a whole.
    const rows = received.error ? fetched.rows.slice(0, received.rows - before - 1) : fetched.rows;
    const bytesOfRow = received.received / rows.length;
    received.take();
    if (error === undefined || rows.length > 0) yield { columns: fetched.columns, rows };
    if (error !== undefined) throw error;
    if (rows.length < count) return;
    count = Math.min(MAX_ROWS, Math.max(1, Math.floor(FETCHED_BYTES / bytesOfRow)));
  }
}

/** Lets PostgreSQL analyse and plan the statement: names get their meaning here, once. */
async function declareCursor(
  client: PoolClient,
  { sql, searchPath }: ResolvedSelect,
): Promise<void> {
  const before = searchPath === undefined ? undefined : await setSearchPath(client, searchPath);
  // In the extended protocol, PostgreSQL itself takes one statement only.
  const text = `declare ${CURSOR} no scroll cursor for ${sql}`;
  const declaration = { text, queryMode: 'extended' };
  await client.query(declaration);
  // Functions that views call find their tables by the connection's own path.
  if (before !== undefined) await setSearchPath(client, before);
}

/** Returns the path before. */
async function setSearchPath(client: PoolClient, path: string): Promise<string> {
  const { rows } = await client.query(
    `with before as materialized (select pg_catalog.current_setting('search_path') as path)
     select path, pg_catalog.set_config('search_path', $1, true) from before`,
    [path],
  );
  return String(rows[0]?.path);
}

/** Fetches rows. If that fails, returns the rows before the failure, and its error. */
function fetchSome(
  client: PoolClient,
  count: number,
): Promise<FetchedRows & { readonly error?: Error }> {
  const fetch: QueryArrayConfig = {
    text: `fetch forward ${count} from ${CURSOR}`,
    rowMode: 'array',
    types: RAW_CELLS,
  };
  const query = new Query(fetch);
  const rows: (string | null)[][] = [];
  let columns: readonly FieldDef[] = [];
  return new Promise((resolve) => {
    query.on('row', (row, result) => {
      columns = result?.fields ?? columns;
      rows.push(row);
    });
    query.on('end', ({ fields }) => resolve({ columns: fields, rows }));
    query.on('error', (error) => resolve({ columns, rows, error }));
    client.query(query);
  });
}
