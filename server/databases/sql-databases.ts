import { FairGate, type TimedLimits } from '../common/fair-gate.js';
import { namesFor } from '../common/named-settings.js';
import { type Sink, toAsyncIterable } from '../common/to-async-iterable.js';
import { WorkerPool } from '../work/worker-pool.js';
import type { Aggregation, Driver, QueryLimits, QueryResult, SampleSize, TableDescription } from './driver.js';
import { StatementParser } from './postgres/statement-parser.js';
import { GATE_ERRORS, queryError, refuseAmbiguousText } from './query-error.js';
import { type DatabaseSettings, findDialect, findDuckdb } from './settings.js';
import { openSqlite, type SqlitePool } from './sqlite/sqlite-driver.js';

const AGENT_LIMITS: QueryLimits = {
  timeoutMs: 5_000,
  idleTimeoutMs: 10_000,
  maxRows: 200,
  maxBytes: 64 * 1024,
  maxCellBytes: 64 * 1024,
  maxAtOnce: 4,
  maxWaiting: 512,
  maxMemoryBytes: 128 * 1024 * 1024,
};

const TRAINING_LIMITS: QueryLimits = {
  // Shorter than the five minutes for which clients such as Node's wait for an answer.
  timeoutMs: 4 * 60_000,
  idleTimeoutMs: 4 * 60_000,
  maxRows: Number.POSITIVE_INFINITY,
  maxBytes: 1024 * 1024 * 1024,
  maxCellBytes: 1024 * 1024,
  maxAtOnce: 2,
  maxWaiting: 64,
  maxMemoryBytes: 160 * 1024 * 1024,
};

/**
 * The heap holds a result and little else; sorted rows are in SQLite's own memory. SQLite has a limit
 * of its own (`pragma hard_heap_limit`), which does nothing in builds without statistics of memory.
 */
const SQLITE_PROCESSES = {
  maxHeapMiB: 64,
  maxSilenceMs: 5 * 60_000,
  isBackground: true,
  maxIdle: 1,
  idleTimeoutMs: 30_000,
};

/** The pieces of about 64 KiB that wait for their reader. */
const MAX_WAITING_PIECES = 4;

/** The modules of the processes that read SQLite files, parse statements for PostgreSQL, and run DuckDB. */
const WORKER_SCRIPTS = {
  sqlite: new URL('./sqlite/sqlite-worker.js', import.meta.url),
  parser: new URL('./postgres/parse-worker.js', import.meta.url),
  duckdb: new URL('./duckdb/duckdb-worker.js', import.meta.url),
};

/**
 * Answers read-only queries, which may be hostile, from the databases that the operator names.
 * Agents and trainings have separate gates and connections, so that agents do not wait for the
 * queries of trainings. Their statements are parsed by the same processes.
 */
export class SqlDatabases {
  /** True if the operator names no database. */
  readonly isEmpty: boolean;
  readonly #parser: StatementParser;
  readonly #agents: Lane;
  readonly #trainings: Lane;

  /** @param scripts the modules of the processes, for tests that run sources */
  constructor(
    settings: ReadonlyMap<string, DatabaseSettings>,
    limits: { readonly agents?: Partial<QueryLimits>; readonly trainings?: Partial<QueryLimits> } = {},
    scripts = WORKER_SCRIPTS,
  ) {
    this.isEmpty = settings.size === 0;
    this.#parser = new StatementParser(scripts.parser);
    const open = new Map([...settings].filter(([, { training }]) => training !== undefined));
    const lane = (databases: typeof settings, ownLimits: QueryLimits) =>
      new Lane(databases, ownLimits, this.#parser, scripts);
    this.#agents = lane(settings, { ...AGENT_LIMITS, ...limits.agents });
    this.#trainings = lane(open, { ...TRAINING_LIMITS, ...limits.trainings });
  }

  /** Returns the names that an owner may use. */
  names(owner: string): string[] {
    return this.#agents.names(owner);
  }

  /**
   * Returns the name of the SQL that a database reads.
   * @throws {ProblemError} if the owner has no such database
   */
  dialect(owner: string, name: string): string {
    return findDialect(this.#agents.find(owner, name, explainMissing).settings);
  }

  /**
   * Returns the columns of tables, in the order of `tables`.
   * @param tables names as `table` or `schema.table`, in the letter case of the database
   * @throws {ProblemError} if the owner has no such database, or the database lacks a table
   * @throws the reason of `signal`
   */
  async describe(
    owner: string,
    name: string,
    tables: readonly string[],
    signal: AbortSignal,
  ): Promise<TableDescription[]> {
    const database = this.#agents.find(owner, name, explainMissing);
    return this.#agents.run(owner, database, signal, (driver, running) => driver.describe(tables, running));
  }

  /**
   * Runs one SELECT that reads nothing but the named tables and views.
   * @param tables names as `table` or `schema.table`, in the letter case of the database
   * @throws {ProblemError} whose message tells a language model what to do instead
   * @throws the reason of `signal`
   */
  async query(
    owner: string,
    name: string,
    tables: readonly string[],
    sql: string,
    signal: AbortSignal,
  ): Promise<QueryResult> {
    const database = this.#agents.find(owner, name, explainMissing);
    refuseAmbiguousText(sql);
    const { limits } = this.#agents;
    return this.#agents.run(owner, database, signal, (driver, running) =>
      driver.query({ owner, tables, sql, limits }, running),
    );
  }

  /**
   * Reads a table to train from, out of a database that the operator opens to trainings. The query
   * begins with the first pull; it ends when the reader leaves.
   * @param ways `sampling` has the size of the sample that stands for more rows, and a callback for the number of all rows,
   *   which is called after the last line
   * @returns lines of JSON arrays, the names of the columns first
   * @throws {ProblemError} whose message states what to do instead
   * @throws the reason of `signal`
   */
  readTable(
    owner: string,
    { database: name, query: sql }: { readonly database: string; readonly query: string },
    signal: AbortSignal,
    { sampling, aggregation }: TableWays = {},
  ): AsyncGenerator<Uint8Array> {
    const { limits } = this.#trainings;
    const sample = sampling?.size;
    let bytes = 0;
    const read = async ({ push }: Sink<Uint8Array>, over: AbortSignal) => {
      const database = this.#trainings.find(owner, name, explainClosed);
      refuseAmbiguousText(sql);
      const sink = async (lines: Uint8Array) => {
        bytes += lines.length;
        if (bytes > limits.maxBytes) {
          throw queryError(
            `The rows have more than ${limits.maxBytes} bytes; select fewer rows, or only the columns that bear on the target.`,
          );
        }
        await push(lines);
      };
      const { training: tables = [] } = database.settings;
      const rowsInAll = await this.#trainings.run(owner, database, over, (driver, running) =>
        driver.read({ owner, tables, sql, limits, sample, aggregation }, sink, running),
      );
      if (rowsInAll !== undefined) sampling?.onSample(rowsInAll);
    };
    return toAsyncIterable(read, { signal, maxWaiting: MAX_WAITING_PIECES });
  }

  /** Cancels what runs, and closes all connections and processes. */
  async stop(): Promise<void> {
    await Promise.all([this.#agents.stop(), this.#trainings.stop(), this.#parser.stop()]);
  }
}

/**
 * Looks whether what the databases need is installed.
 * @returns a line that says what is missing, and how to install it; undefined if nothing is
 */
export async function findMissing(settings: ReadonlyMap<string, DatabaseSettings>): Promise<string | undefined> {
  const names = [...settings].filter(([, database]) => findDuckdb(database)).map(([name]) => name);
  if (names.length === 0) return undefined;
  // Loaded on demand: few services have files for DuckDB.
  const { DuckdbMissingError, requireDuckdb } = await import('./duckdb/load-duckdb.js');
  try {
    requireDuckdb();
    return undefined;
  } catch (error) {
    if (!(error instanceof DuckdbMissingError)) throw error;
    return `the databases ${names.join(', ')} of DATABASES cannot be read: ${error.message}`;
  }
}

function explainMissing(name: string, others: string): string {
  return `There is no database with the name ${name}; ${others}.`;
}

function explainClosed(name: string, others: string): string {
  return `There is no database with the name "${name}" that is open to trainings; ${others}. Those who run the service open one with "training" in DATABASES.`;
}

/** The work of a database on the rows of a query before they are read. */
interface TableWays {
  readonly sampling?: { readonly size: SampleSize; readonly onSample: (rowsInAll: number) => void } | undefined;
  readonly aggregation?: Aggregation | undefined;
}

interface Database {
  readonly settings: DatabaseSettings;
  readonly gate: FairGate<TimedLimits>;
  /** Opens the driver when it is first called. */
  readonly open: () => Promise<Driver>;
  driver?: Promise<Driver>;
}

/** The databases as agents use them, or trainings: with separate gates, connections and processes. */
class Lane {
  readonly limits: QueryLimits;
  readonly #databases = new Map<string, Database>();
  readonly #sqlite: SqlitePool;

  constructor(
    private readonly settings: ReadonlyMap<string, DatabaseSettings>,
    limits: QueryLimits,
    parser: StatementParser,
    scripts: typeof WORKER_SCRIPTS,
  ) {
    const { maxAtOnce, maxWaiting, timeoutMs, maxMemoryBytes } = limits;
    const maxCellBytes = Math.min(limits.maxBytes, limits.maxCellBytes);
    this.limits = { ...limits, maxCellBytes };
    this.#sqlite = new WorkerPool({ ...SQLITE_PROCESSES, script: scripts.sqlite, maxMemoryBytes });
    for (const [name, database] of settings) {
      const gate = new FairGate({ slots: maxAtOnce, maxWaiting, timeoutMs, ...GATE_ERRORS });
      const open = async () => {
        const { url = '' } = database;
        const duckdb = findDuckdb(database);
        if (duckdb) {
          // Loaded on demand, as below: few services have files for DuckDB.
          const { openDuckdb } = await import('./duckdb/duckdb-driver.js');
          return openDuckdb(name, duckdb, limits, scripts.duckdb);
        }
        if (url.startsWith('file:')) return openSqlite(name, url, this.#sqlite);
        // Loaded on demand: few services query a PostgreSQL.
        const { openPostgres } = await import('./postgres/postgres-driver.js');
        return openPostgres(name, url, parser, limits);
      };
      this.#databases.set(name, { settings: database, gate, open });
    }
  }

  names(owner: string): string[] {
    return namesFor(this.settings, owner);
  }

  /**
   * @param explain returns the message if the owner may use no such database
   * @throws {ProblemError}
   */
  find(owner: string, name: string, explain: (name: string, others: string) => string): Database {
    const names = this.names(owner);
    const database = this.#databases.get(name);
    if (database && names.includes(name)) return database;
    const others = names.length > 0 ? `there are ${names.join(', ')}` : 'there is none';
    throw queryError(explain(name, others));
  }

  /** Calls back when it is the owner's turn, with a signal that aborts when the time is up. */
  run<T>(
    owner: string,
    database: Database,
    signal: AbortSignal,
    work: (driver: Driver, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return database.gate.runInTime(owner, signal, async (running) => {
      database.driver ??= database.open();
      return work(await database.driver, running);
    });
  }

  async stop(): Promise<void> {
    const databases = [...this.#databases.values()];
    await Promise.all([...databases.map(({ gate }) => gate.stop()), this.#sqlite.close()]);
    await Promise.all(databases.map(async ({ driver }) => (await driver?.catch(() => undefined))?.stop?.()));
  }
}
