import { FairGate } from '../common/fair-gate.js';
import { RunningWork } from '../common/running-work.js';
import type { Driver } from './driver.js';
import { DEFAULT_LIMITS, type QueryLimits } from './limits.js';
import { openDriver } from './open-driver.js';
import { StatementParser } from './postgres/statement-parser.js';
import { QueryError } from './query-error.js';
import { stopping, tooManyQueries, tooSlow } from './refusals.js';
import type { QueryResult, TableDescription } from './result.js';
import type { DatabaseSettings } from './settings.js';
import { refuseUnreadable } from './sql-text.js';
import { WORKER_SCRIPTS } from './worker-scripts.js';

/** The longest time between two statements of a transaction, in milliseconds. */
const IDLE_TIMEOUT_MS = 10_000;

/** The most resident memory of a process that reads a SQLite file, in bytes: four run at once. */
const SQLITE_MEMORY = 128 * 1024 * 1024;

interface Database {
  readonly settings: DatabaseSettings;
  readonly gate: FairGate;
  /** Opened when it is first used. */
  driver?: Promise<Driver>;
}

/** Answers read-only queries, which may be hostile, from the databases that the operator names. */
export class Databases {
  readonly #databases = new Map<string, Database>();
  readonly #limits: QueryLimits;
  readonly #running = new RunningWork({ late: tooSlow, stopped: stopping });
  readonly #parser: StatementParser;
  readonly #sqliteWorker: URL;

  /** @param workers the modules of the processes, for tests that run sources */
  constructor(
    settings: ReadonlyMap<string, DatabaseSettings>,
    limits: Partial<QueryLimits> = {},
    { parser, sqlite } = WORKER_SCRIPTS,
  ) {
    this.#parser = new StatementParser(parser);
    this.#sqliteWorker = sqlite;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    const { maxAtOnce, maxWaiting } = this.#limits;
    const gateLimits = { slots: maxAtOnce, maxWaiting, busy: tooManyQueries };
    for (const [name, database] of settings) {
      this.#databases.set(name, { settings: database, gate: new FairGate(gateLimits) });
    }
  }

  /** Returns the names of the databases that an owner may use. */
  names(owner: string): string[] {
    return [...this.#databases.keys()].filter((name) => this.#find(owner, name) !== undefined);
  }

  /**
   * Returns the columns of tables, in the order of `tables`.
   * @param tables names as `table` or `schema.table`, in the letter case of the database
   * @throws {QueryError} if the owner has no such database, or the database lacks a table
   * @throws the reason of `signal`
   */
  describe(
    owner: string,
    database: string,
    tables: readonly string[],
    signal: AbortSignal,
  ): Promise<TableDescription[]> {
    return this.#use(owner, database, signal, (driver, cancelled) =>
      driver.describe(tables, cancelled),
    );
  }

  /**
   * Runs one SELECT that reads nothing but the named tables and views.
   * @param tables names as `table` or `schema.table`, in the letter case of the database
   * @throws {QueryError} whose message tells a language model what to do instead
   * @throws the reason of `signal`
   */
  async query(
    owner: string,
    database: string,
    tables: readonly string[],
    sql: string,
    signal: AbortSignal,
  ): Promise<QueryResult> {
    const { timeoutMs, maxSqlBytes } = this.#limits;
    refuseUnreadable(sql, maxSqlBytes);
    const query = { owner, tables, sql, limits: this.#limits, timeoutMs };
    return this.#use(owner, database, signal, (driver, cancelled) =>
      driver.query(query, cancelled),
    );
  }

  /** Cancels what runs, and closes all connections and processes. */
  async stop(): Promise<void> {
    this.#running.stop();
    await this.#parser.stop();
    const drivers = [...this.#databases.values()].map(({ driver }) => driver);
    const opened = await Promise.allSettled(drivers);
    await Promise.all(
      opened.map((driver) => (driver.status === 'fulfilled' ? driver.value?.stop() : undefined)),
    );
  }

  /** Calls back when it is the owner's turn, with a signal that aborts when the time is up. */
  async #use<T>(
    owner: string,
    name: string,
    signal: AbortSignal,
    work: (driver: Driver, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const database = this.#find(owner, name);
    if (database === undefined) {
      const names = this.names(owner);
      const known = names.length > 0 ? `there are ${names.join(', ')}` : 'there is none';
      throw new QueryError(`There is no database with the name ${name}; ${known}.`);
    }
    const cancelled = this.#running.begin(signal, this.#limits.timeoutMs);
    try {
      return await database.gate.run(owner, cancelled.signal, async () =>
        work(await this.#driverOf(name, database), cancelled.signal),
      );
    } finally {
      cancelled.abort();
    }
  }

  #driverOf(name: string, database: Database): Promise<Driver> {
    database.driver ??= openDriver(name, database.settings.url, {
      ...{ maxConnections: this.#limits.maxAtOnce, idleTimeoutMs: IDLE_TIMEOUT_MS },
      ...{ parser: this.#parser, sqliteWorker: this.#sqliteWorker, sqliteMemory: SQLITE_MEMORY },
    });
    return database.driver;
  }

  #find(owner: string, name: string): Database | undefined {
    const database = this.#databases.get(name);
    const owners = database?.settings.owners;
    return owners === undefined || owners.has(owner) ? database : undefined;
  }
}
