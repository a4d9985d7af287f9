import { DatabaseError, type PoolClient } from 'pg';
import type { Driver, Query, RowsQuery, TakeLines } from '../driver.js';
import type { ResultLimits } from '../limits.js';
import type { DriverOptions } from '../open-driver.js';
import { DatabaseUnavailableError, QueryError } from '../query-error.js';
import { databaseMessage, missingTable, readOnly, tooMuchMemory, tooSlow } from '../refusals.js';
import { type QueryResult, ResultBuilder, type TableDescription } from '../result.js';
import { checkNames, describeTables } from './catalog.js';
import { CELLS } from './cells.js';
import { ReadOnlyConnections } from './connections.js';
import { parseSelect } from './parse-select.js';
import { readRows } from './read-rows.js';

/** The longest time of a description, in milliseconds. */
const DESCRIBE_TIMEOUT_MS = 5_000;

/** The rows that are fetched at once. */
const FETCHED_ROWS = 50;

/**
 * The classes of errors that a statement causes: its syntax, names, types and values
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const OF_STATEMENT = /^(?:0A|2[0-3]|34|42|54|P0)/;

/** Reads a PostgreSQL database. */
export class PostgresDriver implements Driver {
  readonly #connections: ReadOnlyConnections;

  /**
   * @param url `postgres://…`
   */
  constructor(
    private readonly name: string,
    url: string,
    { maxConnections, idleTimeoutMs }: DriverOptions,
  ) {
    this.#connections = new ReadOnlyConnections(url, maxConnections, idleTimeoutMs);
  }

  describe(tables: readonly string[], signal: AbortSignal): Promise<TableDescription[]> {
    return this.#read(DESCRIBE_TIMEOUT_MS, signal, async (client) => {
      const described = await describeTables(client, tables);
      const missing = tables.find((table) => !described.some(({ name }) => name === table));
      if (missing !== undefined) throw missingTable(missing);
      return described;
    });
  }

  async query(
    { tables, sql, limits, timeoutMs }: Query,
    signal: AbortSignal,
  ): Promise<QueryResult> {
    const parsed = await parseSelect(sql);
    return this.#read(timeoutMs, signal, async (client) => {
      await checkNames(client, parsed.statement, tables);
      return select(client, parsed.sql, limits);
    });
  }

  async read(
    { tables, sql, timeoutMs }: RowsQuery,
    take: TakeLines,
    signal: AbortSignal,
  ): Promise<void> {
    const parsed = await parseSelect(sql);
    await this.#read(timeoutMs, signal, async (client, taken) => {
      await checkNames(client, parsed.statement, tables);
      const takeAll: TakeLines = async (lines) => {
        taken();
        await take(lines);
      };
      await readRows(client, parsed.sql, takeAll);
    });
  }

  stop(): Promise<void> {
    return this.#connections.close();
  }

  async #read<T>(
    timeoutMs: number,
    signal: AbortSignal,
    work: (client: PoolClient, taken: () => void) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#connections.transaction(timeoutMs, signal, work);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof QueryError ? error : this.#explained(error, timeoutMs);
    }
  }

  #explained(error: unknown, timeoutMs: number): QueryError {
    const code = error instanceof DatabaseError ? (error.code ?? '') : '';
    switch (code) {
      case '57014':
        return tooSlow(timeoutMs);
      case '55P03':
        return new DatabaseUnavailableError('A table is locked at the moment; ask again later.');
      case '25006':
        return readOnly();
      case '53200':
        return tooMuchMemory();
    }
    if (error instanceof DatabaseError && OF_STATEMENT.test(code)) {
      return databaseMessage(error.message);
    }
    return this.#unreachable(error);
  }

  #unreachable(cause: unknown): QueryError {
    const answer = `The database ${this.name} cannot be reached; ask again later.`;
    return new DatabaseUnavailableError(answer, { cause });
  }
}

/** Reads the rows of a SELECT until the result is full. */
async function select(client: PoolClient, sql: string, limits: ResultLimits): Promise<QueryResult> {
  // In the extended protocol, PostgreSQL itself takes one statement only.
  const declaration = {
    text: `declare roster_query no scroll cursor for ${sql}`,
    queryMode: 'extended',
  };
  await client.query(declaration);
  let builder: ResultBuilder | undefined;
  for (;;) {
    const { fields, rows } = await client.query<unknown[]>({
      text: `fetch forward ${FETCHED_ROWS} from roster_query`,
      rowMode: 'array',
      types: CELLS,
    });
    builder ??= new ResultBuilder(
      fields.map(({ name }) => name),
      limits,
    );
    for (const row of rows) {
      if (!builder.add(row)) return builder.result();
    }
    if (rows.length < FETCHED_ROWS) return builder.result();
  }
}
