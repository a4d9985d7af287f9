import { DatabaseError, type PoolClient } from 'pg';
import { ProblemError } from '../../problems/problem.js';
import { type Driver, type Query, type QueryLimits, ResultBuilder } from '../driver.js';
import {
  databaseMessage,
  databaseUnavailable,
  readOnly,
  tooMuchMemory,
  tooSlow,
} from '../query-error.js';
import { describeTables } from './catalog.js';
import { readCell, readTableCell } from './cells.js';
import { ReadOnlyConnections } from './connections.js';
import { type FetchedRows, fetchRows, type ReceivedLimits } from './fetch-rows.js';
import { resolveNames } from './resolve-names.js';
import type { StatementParser } from './statement-parser.js';

const DESCRIBE_TIMEOUT_MS = 5_000;

/** The most bytes that are received before an agent or a training takes them. */
const MAX_RECEIVED = { query: 4 * 1024 * 1024, read: 16 * 1024 * 1024 } as const;

/**
 * The classes of errors that a statement causes: its syntax, names, types and values
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const OF_STATEMENT = /^(?:0A|2[0-3]|34|42|54|P0)/;

/**
 * Reads a PostgreSQL database.
 * @param url `postgres://…`
 */
export function openPostgres(
  name: string,
  url: string,
  parser: StatementParser,
  { maxAtOnce, idleTimeoutMs }: QueryLimits,
): Driver {
  const connections = new ReadOnlyConnections(url, maxAtOnce, idleTimeoutMs);

  async function transact<T>(
    timeoutMs: number,
    signal: AbortSignal,
    work: (client: PoolClient, received: ReceivedLimits) => Promise<T>,
  ): Promise<T> {
    try {
      return await connections.transaction(timeoutMs, signal, work);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ProblemError ? error : explain(error, name, timeoutMs);
    }
  }

  /** Calls back with the rows of a SELECT. Its cursor opens when the first of them is pulled. */
  async function select<T>(
    { owner, tables, sql, limits: { timeoutMs, maxCellBytes } }: Query,
    maxReceivedBytes: number,
    signal: AbortSignal,
    use: (batches: AsyncIterable<FetchedRows>, client: PoolClient) => Promise<T>,
  ): Promise<T> {
    const parsed = await parser.parse(owner, sql, signal);
    return transact(timeoutMs, signal, async (client, received) => {
      const resolved = await resolveNames(client, parsed, tables);
      const limits = { maxCellBytes, maxReceivedBytes };
      return use(fetchRows(client, resolved, received, limits), client);
    });
  }

  return {
    describe: (tables, signal) =>
      transact(DESCRIBE_TIMEOUT_MS, signal, (client) => describeTables(client, tables)),

    query: (query, signal) =>
      select(query, MAX_RECEIVED.query, signal, (batches) => collect(batches, query.limits)),

    read: (query, sink, signal) =>
      select(query, MAX_RECEIVED.read, signal, async (batches, client) => {
        // All rows are read: the plan that returns the first ones early is of no use.
        await client.query('set local cursor_tuple_fraction = 1');
        let isFirst = true;
        for await (const fetched of batches) {
          const lines = toLines(fetched, isFirst);
          if (lines.length > 0) await sink(lines);
          isFirst = false;
        }
      }),

    stop: () => connections.close(),
  };
}

function explain(error: unknown, name: string, timeoutMs: number): ProblemError {
  const code = error instanceof DatabaseError ? (error.code ?? '') : '';
  switch (code) {
    case '57014':
      return tooSlow(timeoutMs);
    case '55P03':
      return databaseUnavailable('A table is locked at the moment; ask again later.');
    case '25006':
      return readOnly();
    case '53200':
      return tooMuchMemory();
  }
  if (error instanceof DatabaseError && OF_STATEMENT.test(code)) {
    return databaseMessage(error.message);
  }
  const message = `The database ${name} cannot be reached; ask again later.`;
  return databaseUnavailable(message, { cause: error });
}

async function collect(batches: AsyncIterable<FetchedRows>, limits: QueryLimits) {
  let builder: ResultBuilder | undefined;
  let read = 0;
  for await (const { columns, rows } of batches) {
    builder ??= new ResultBuilder(
      columns.map(({ name }) => name),
      limits,
    );
    for (const row of rows) {
      read += 1;
      const cells = columns.map((column, index) => readCell(row[index] ?? null, column, read));
      if (!builder.add(cells)) return builder.build();
    }
  }
  if (builder === undefined) throw new Error('A cursor has columns');
  return builder.build();
}

function toLines({ columns, rows }: FetchedRows, isFirst: boolean): Buffer {
  const names = isFirst ? [columns.map(({ name }) => name)] : [];
  const cells = rows.map((row) =>
    columns.map((column, index) => readTableCell(row[index] ?? null, column)),
  );
  return Buffer.from([...names, ...cells].map((row) => `${JSON.stringify(row)}\n`).join(''));
}
