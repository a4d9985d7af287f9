import { type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg';
import { unlessAborted } from '../../common/unless-aborted.js';
import { ProblemError } from '../../problems/problem.js';
import { PostgresAddress, takeConnection } from '../../store/database/postgres-address.js';
import { PostgresClient } from '../../store/database/postgres-client.js';
import { AGGREGATES, aggregateRows } from '../aggregate.js';
import {
  type Aggregation,
  collectRows,
  type Driver,
  type Query,
  type QueryLimits,
  quoteName,
  type SampleSize,
} from '../driver.js';
import { databaseMessage, databaseUnavailable, readOnly, tooMuchMemory, tooSlow } from '../query-error.js';
import { countOf, nameColumns, planSample, type Sample, type SampleDialect } from '../sample.js';
import { describeTables, resolveNames } from './resolve-names.js';
import { closeCursor, type FetchedRows, fetchRows, ReceivedLimits, readCell, readTableCell } from './rows.js';
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

  /**
   * Calls back with the rows of a SELECT, or a sample of them. The cursor of the rows opens when the first of them is
   * pulled.
   */
  async function select<T>(
    { owner, tables, sql, limits: { timeoutMs, maxCellBytes }, sample, aggregation }: Query,
    maxReceivedBytes: number,
    signal: AbortSignal,
    use: (batches: AsyncIterable<FetchedRows>, client: PoolClient, rowsInAll: number | undefined) => Promise<T>,
  ): Promise<T> {
    const parsed = await parser.parse(owner, sql, signal);
    return transact(timeoutMs, signal, async (client, received) => {
      const resolved = await resolveNames(client, parsed, tables);
      const limits = { maxCellBytes, maxReceivedBytes };
      const fetch = (statement: string) => fetchRows(client, { ...resolved, sql: statement }, received, limits);
      const read = aggregation ? aggregate(resolved.sql, aggregation) : resolved.sql;
      const drawn = sample && (await drawSample(client, read, sample, fetch));
      return use(fetch(drawn?.sql ?? read), client, drawn?.rowsInAll);
    });
  }

  return {
    describe: (tables, signal) => transact(DESCRIBE_TIMEOUT_MS, signal, (client) => describeTables(client, tables)),

    query: (query, signal) =>
      select(query, MAX_RECEIVED.query, signal, (batches) => collectRows(readCells(batches), query.limits)),

    read: (query, sink, signal) =>
      select(query, MAX_RECEIVED.read, signal, async (batches, client, rowsInAll) => {
        // All rows are read: the plan that returns the first ones early is of no use.
        await client.query('set local cursor_tuple_fraction = 1');
        let isFirst = true;
        for await (const fetched of batches) {
          const lines = toLines(fetched, isFirst);
          if (lines.length > 0) await sink(lines);
          isFirst = false;
        }
        return rowsInAll;
      }),

    stop: () => connections.close(),
  };
}

/** The problems of errors that are not a fault of a statement, by PostgreSQL's codes. */
const PROBLEMS: ReadonlyMap<string, (timeoutMs: number) => ProblemError> = new Map([
  ['57014', tooSlow],
  ['55P03', () => databaseUnavailable('A table is locked at the moment; ask again later.')],
  ['25006', readOnly],
  ['53200', tooMuchMemory],
]);

function explain(error: unknown, name: string, timeoutMs: number): ProblemError {
  const code = error instanceof DatabaseError ? (error.code ?? '') : '';
  const known = PROBLEMS.get(code)?.(timeoutMs);
  if (known) return known;
  if (error instanceof DatabaseError && OF_STATEMENT.test(code)) {
    return databaseMessage(error.message);
  }
  const message = `The database ${name} cannot be reached; ask again later.`;
  return databaseUnavailable(message, { cause: error });
}

/** @param sql a statement whose names are resolved */
function aggregate(sql: string, aggregation: Aggregation): string {
  const value = `pg_catalog.${AGGREGATES[aggregation.method]}(${quoteName(aggregation.target)})`;
  return aggregateRows(sql, aggregation, value);
}

/** Operators that somebody defined in the database have other schemas. */
const DIALECT: SampleDialect = { writeOperator: (operator) => `OPERATOR(pg_catalog.${operator})`, nameColumns };

/**
 * Counts the rows of a statement, and draws a sample if they are too many.
 * @param sql a statement whose names are resolved
 * @returns undefined if all of them fit
 */
async function drawSample(
  client: PoolClient,
  sql: string,
  size: SampleSize,
  fetch: (statement: string) => AsyncIterable<FetchedRows>,
): Promise<Sample | undefined> {
  const first = async (statement: string): Promise<FetchedRows | undefined> => {
    for await (const rows of fetch(statement)) {
      await closeCursor(client);
      return rows;
    }
    return undefined;
  };
  const described = await first(`SELECT * FROM (${sql}\n) AS roster_rows LIMIT 0`);
  const counted = await first(countOf(sql));
  const names = described?.columns.map(({ name }) => name) ?? [];
  return planSample(sql, names, Number(counted?.rows[0]?.[0]), size, DIALECT);
}

/** Yields the names of the columns, then the cells of each row. */
async function* readCells(batches: AsyncIterable<FetchedRows>): AsyncGenerator<unknown[]> {
  let read = 0;
  let isFirst = true;
  for await (const { columns, rows } of batches) {
    if (isFirst) yield columns.map(({ name }) => name);
    isFirst = false;
    for (const row of rows) {
      read += 1;
      yield columns.map((column, index) => readCell(row[index] ?? null, column, read));
    }
  }
}

function toLines({ columns, rows }: FetchedRows, isFirst: boolean): Buffer {
  const names = isFirst ? [columns.map(({ name }) => name)] : [];
  const cells = rows.map((row) => columns.map((column, index) => readTableCell(row[index] ?? null, column)));
  return Buffer.from([...names, ...cells].map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** The longest wait for a connection, and for a cancellation, in milliseconds. */
const CONNECT_TIMEOUT_MS = 3_000;

const IDLE_TIMEOUT_MS = 30_000;

/** The settings of each transaction. Those of strings decide how PostgreSQL reads a statement. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Only changes of a table's form lock out readers.
  lock_timeout: '2s',
  standard_conforming_strings: 'on',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
};

class ReadOnlyConnections {
  readonly #address: PostgresAddress;
  readonly #pool: Pool;
  readonly #config: ClientConfig;
  readonly #cancellations = new Set<Promise<void>>();
  readonly #received = new WeakMap<PoolClient, ReceivedLimits>();

  /**
   * @param maxConnections the most connections, without those that cancel statements
   * @param idleTimeoutMs the longest time between two statements of a transaction, in milliseconds
   */
  constructor(
    url: string,
    maxConnections: number,
    private readonly idleTimeoutMs: number,
  ) {
    // Agents only read, which a replica allows.
    const address = new PostgresAddress(url, { several: 'any' });
    this.#address = address;
    this.#config = { application_name: 'roster-queries', connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true };
    this.#pool = new Pool({
      ...this.#config,
      Client: class extends PostgresClient {
        constructor(config: ClientConfig = {}) {
          super(config, address.url, address.target);
        }
      },
      max: maxConnections,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
    });
    // A connection that breaks is replaced. Without a listener, it would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => this.#received.set(client, new ReceivedLimits(client)));
  }

  /**
   * Runs work in a transaction that can only read and is always rolled back. If the signal aborts,
   * its statement is cancelled in the database.
   * @param timeoutMs the longest time of a statement, in milliseconds
   * @throws {ProblemError} if a cell is too large, or too many bytes are received at once
   * @throws the error of the connection or of `work`, or the reason of `signal`
   */
  async transaction<T>(
    timeoutMs: number,
    signal: AbortSignal,
    work: (client: PoolClient, received: ReceivedLimits) => Promise<T>,
  ): Promise<T> {
    const client = await this.#connect(signal);
    const received = this.#received.get(client) ?? new ReceivedLimits(client);
    received.begin();
    let backend: number | undefined;
    const running = async () => {
      backend = await begin(client, {
        ...SETTINGS,
        statement_timeout: `${timeoutMs}ms`,
        idle_in_transaction_session_timeout: `${this.idleTimeoutMs}ms`,
      });
      return work(client, received);
    };
    try {
      return await unlessAborted(running(), signal);
    } catch (error) {
      throw received.error ?? error;
    } finally {
      if (signal.aborted) this.#cancel(client, backend);
      else await rollBack(client, signal);
    }
  }

  /** Closes all connections, after those that cancel statements. */
  async close(): Promise<void> {
    await Promise.all(this.#cancellations);
    await this.#pool.end();
  }

  async #connect(signal: AbortSignal): Promise<PoolClient> {
    signal.throwIfAborted();
    const connecting = takeConnection(this.#pool, this.#address);
    try {
      return await unlessAborted(connecting, signal);
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        () => {},
      );
      throw error;
    }
  }

  /** Cancels the statement of a connection over another one, and closes both. */
  #cancel(client: PoolClient, backend: number | undefined): void {
    const cancellation = this.#cancelStatement(client, backend)
      // PostgreSQL ends it by its own timeout if it cannot be asked.
      .catch(() => {})
      .finally(() => {
        this.#cancellations.delete(cancellation);
        client.release(true);
      });
    this.#cancellations.add(cancellation);
  }

  async #cancelStatement(running: PoolClient, backend: number | undefined): Promise<void> {
    if (backend === undefined) return;
    // The process is one of its host.
    const url = running instanceof PostgresClient ? running.url : this.#address.url;
    const client = new PostgresClient({ ...this.#config, query_timeout: CONNECT_TIMEOUT_MS }, url);
    await client.connect();
    try {
      await client.query('select pg_catalog.pg_cancel_backend($1)', [backend]);
    } finally {
      await client.end();
    }
  }
}

/** Begins a transaction, and returns the process of PostgreSQL that runs it. */
async function begin(client: PoolClient, settings: Record<string, string>): Promise<number> {
  // Several statements of a transaction read the same state.
  await client.query('begin transaction isolation level repeatable read read only');
  const { rows } = await client.query(
    `select pg_catalog.pg_backend_pid() as backend, pg_catalog.set_config(name, value, true)
     from unnest($1::text[], $2::text[]) as settings (name, value)`,
    [Object.keys(settings), Object.values(settings)],
  );
  return Number(rows[0]?.backend);
}

/** Returns a connection to the pool, or closes it if it is broken or does not answer in time. */
async function rollBack(client: PoolClient, signal: AbortSignal): Promise<void> {
  try {
    await unlessAborted(client.query('rollback'), signal);
    client.release();
  } catch {
    client.release(true);
  }
}
