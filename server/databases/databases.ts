import type { Driver } from './driver.js';
import { DEFAULT_LIMITS, type QueryLimits } from './limits.js';
import { QueryError } from './query-error.js';
import { QueryTurns } from './query-turns.js';
import { tooSlow } from './refusals.js';
import type { QueryResult, TableDescription } from './result.js';
import type { DatabaseSettings } from './settings.js';

interface Database {
  readonly settings: DatabaseSettings;
  readonly turns: QueryTurns;
  /** Opened when it is first used. */
  driver?: Promise<Driver>;
}

/** Answers read-only queries, which may be hostile, from the databases that the operator names. */
export class Databases {
  readonly #databases = new Map<string, Database>();
  readonly #limits: QueryLimits;
  readonly #stopping = new AbortController();
  readonly #worker: URL | undefined;

  /** @param worker the module that reads SQLite files, for tests that run sources */
  constructor(
    settings: ReadonlyMap<string, DatabaseSettings>,
    limits: Partial<QueryLimits> = {},
    worker?: URL,
  ) {
    this.#worker = worker;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    for (const [name, database] of settings) {
      const turns = new QueryTurns(this.#limits.maxAtOnce);
      this.#databases.set(name, { settings: database, turns });
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
    const query = { tables, sql, limits: this.#limits, timeoutMs };
    return this.#use(owner, database, signal, (driver, cancelled) =>
      driver.query(query, cancelled),
    );
  }

  /** Cancels what runs, and closes all connections and processes. */
  async stop(): Promise<void> {
    this.#stopping.abort(new QueryError('The service is stopping; ask again in a moment.'));
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
    const late = new AbortController();
    const { timeoutMs } = this.#limits;
    const timer = setTimeout(() => late.abort(tooSlow(timeoutMs)), timeoutMs);
    const cancelled = AbortSignal.any([signal, late.signal, this.#stopping.signal]);
    try {
      return await database.turns.run(owner, cancelled, async () =>
        work(await this.#driverOf(name, database), cancelled),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  #driverOf(name: string, database: Database): Promise<Driver> {
    database.driver ??= this.#load(name, database.settings.url);
    return database.driver;
  }

  /** Loads a driver when its database is first used: a service without databases loads none. */
  async #load(name: string, url: string): Promise<Driver> {
    if (url.startsWith('file:')) {
      const { SqliteDriver } = await import('./sqlite/sqlite-driver.js');
      return new SqliteDriver(name, url, this.#worker);
    }
    const { PostgresDriver } = await import('./postgres/postgres-driver.js');
    return new PostgresDriver(name, url, this.#limits.maxAtOnce);
  }

  #find(owner: string, name: string): Database | undefined {
    const database = this.#databases.get(name);
    const owners = database?.settings.owners;
    return owners === undefined || owners.has(owner) ? database : undefined;
  }
}

/**
 * Refuses what a parser and a database may read differently: both take a NUL character as the end,
 * and a lone surrogate has no form in UTF-8.
 */
function refuseUnreadable(sql: string, maxSqlBytes: number): void {
  if (Buffer.byteLength(sql) > maxSqlBytes) {
    throw new QueryError(`The statement is longer than ${maxSqlBytes} bytes; write a shorter one.`);
  }
  if (sql.includes('\0') || /\p{Surrogate}/u.test(sql)) {
    throw new QueryError('The statement contains a character that is not allowed; leave it out.');
  }
}
