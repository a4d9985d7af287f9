import { DatabaseError, type PoolClient } from 'pg';
import { ProblemError } from '../../problems/problem.js';
import {
  type Driver,
  type LineSink,
  type Query,
  type QueryLimits,
  type QueryResult,
  ResultBuilder,
  type TableDescription,
} from '../driver.js';
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

/** The longest time of a description, in milliseconds. */
const DESCRIBE_TIMEOUT_MS = 5_000;

/** The most bytes that are received before an agent or a training takes them. */
const MAX_RECEIVED = { query: 4 * 1024 * 1024, read: 16 * 1024 * 1024 } as const;

/**
 * The classes of errors that a statement causes: its syntax, names, types and values
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const OF_STATEMENT = /^(?:0A|2[0-3]|34|42|54|P0)/;

/** Reads a PostgreSQL database. */
export class PostgresDriver implements Driver {
  readonly #connections: ReadOnlyConnections;

  /** @param url `postgres://…` */
  constructor(
    private readonly name: string,
    url: string,
    private readonly parser: StatementParser,
    { maxAtOnce, idleTimeoutMs }: QueryLimits,
  ) {
    this.#connections = new ReadOnlyConnections(url, maxAtOnce, idleTimeoutMs);
  }

  describe(tables: readonly string[], signal: AbortSignal): Promise<TableDescription[]> {
    return this.#read(DESCRIBE_TIMEOUT_MS, signal, (client) => describeTables(client, tables));
  }

  query(query: Query, signal: AbortSignal): Promise<QueryResult> {
    return this.#select(query, MAX_RECEIVED.query, signal, (batches) =>
      collect(batches, query.limits),
    );
  }

  async read(query: Query, sink: LineSink, signal: AbortSignal): Promise<void> {
    await this.#select(query, MAX_RECEIVED.read, signal, async (batches, client) => {
      // All rows are read: the plan that returns the first ones early is of no use.
      await client.query('set local cursor_tuple_fraction = 1');
      let isFirst = true;
      for await (const fetched of batches) {
        const lines = toLines(fetched, isFirst);
        if (lines.length > 0) await sink(lines);
        isFirst = false;
      }
    });
  }

  stop(): Promise<void> {
    return this.#connections.close();
  }

  /** Calls back with the rows of a SELECT. Its cursor opens when the first of them is pulled. */
  async #select<T>(
    { owner, tables, sql, limits: { timeoutMs, maxCellBytes } }: Query,
    maxReceivedBytes: number,
    signal: AbortSignal,
    use: (batches: AsyncIterable<FetchedRows>, client: PoolClient) => Promise<T>,
  ): Promise<T> {
    const parsed = await this.parser.parse(owner, sql, signal);
    return this.#read(timeoutMs, signal, async (client, received) => {
      const select = await resolveNames(client, parsed, tables);
      const limits = { maxCellBytes, maxReceivedBytes };
      return use(fetchRows(client, select, received, limits), client);
    });
  }

  async #read<T>(
    timeoutMs: number,
    signal: AbortSignal,
    work: (client: PoolClient, received: ReceivedLimits) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#connections.transaction(timeoutMs, signal, work);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ProblemError ? error : this.#explain(error, timeoutMs);
    }
  }

  #explain(error: unknown, timeoutMs: number): ProblemError {
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
    const message = `The database ${this.name} cannot be reached; ask again later.`;
    return databaseUnavailable(message, { cause: error });
  }
}

/** Reads the rows of a SELECT until the result is full. */
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

/** Returns rows as lines of JSON arrays. */
function toLines({ columns, rows }: FetchedRows, isFirst: boolean): Buffer {
  const names = isFirst ? [columns.map(({ name }) => name)] : [];
  const cells = rows.map((row) =>
    columns.map((column, index) => readTableCell(row[index] ?? null, column)),
  );
  return Buffer.from([...names, ...cells].map((row) => `${JSON.stringify(row)}\n`).join(''));
}
