import { FairGate } from '../common/fair-gate.js';
import { RunningWork } from '../common/running-work.js';
import { toAsyncIterable } from '../common/to-async-iterable.js';
import type { Driver } from './driver.js';
import { openDriver } from './open-driver.js';
import { StatementParser } from './postgres/statement-parser.js';
import { QueryError } from './query-error.js';
import { stopping, tooManyQueries, tooSlow } from './refusals.js';
import type { DatabaseSettings } from './settings.js';
import { refuseUnreadable } from './sql-text.js';
import { WORKER_SCRIPTS } from './worker-scripts.js';

/** The limits of queries that return a table to train from. */
export interface TableQueryLimits {
  /**
   * The longest time of a query, its wait included, in milliseconds. Shorter than the five minutes
   * for which clients such as Node's wait for an answer.
   */
  readonly timeoutMs: number;
  /** The most bytes of the rows, as lines of JSON. */
  readonly maxBytes: number;
  /** The most bytes of a cell, as text. */
  readonly maxCell: number;
  /** The most bytes of a statement. */
  readonly maxSqlBytes: number;
  /** The most queries that run at once on a database. */
  readonly maxAtOnce: number;
  /** The most queries of one owner that wait for a database. */
  readonly maxWaiting: number;
}

const DEFAULT_LIMITS: TableQueryLimits = {
  timeoutMs: 4 * 60_000,
  maxBytes: 1024 * 1024 * 1024,
  maxCell: 1024 * 1024,
  maxSqlBytes: 16 * 1024,
  maxAtOnce: 2,
  maxWaiting: 64,
};

/** The most resident memory of a process that reads a SQLite file, in bytes: two run at once. */
const SQLITE_MEMORY = 160 * 1024 * 1024;

/** The pieces of about 64 KiB that wait for their reader. */
const MAX_WAITING_PIECES = 4;

/** A table in a database of the operator. */
export interface TableQuery {
  /** The name of the database. */
  readonly database: string;
  /** One SELECT. */
  readonly query: string;
}

interface Database {
  readonly url: string;
  readonly owners: ReadonlySet<string> | undefined;
  /** The tables that may be read. */
  readonly tables: readonly string[];
  readonly gate: FairGate;
  /** Opened when it is first used. */
  driver?: Promise<Driver>;
}

/**
 * Reads tables to train from out of the databases that the operator opens to trainings. The queries
 * may be hostile. They have connections of their own, so that agents never wait for them.
 */
export class TableQueries {
  readonly #databases = new Map<string, Database>();
  readonly #limits: TableQueryLimits;
  readonly #running = new RunningWork({ late: tooSlow, stopped: stopping });
  readonly #parser: StatementParser;
  readonly #sqliteWorker: URL;

  /** @param workers the modules of the processes, for tests that run sources */
  constructor(
    settings: ReadonlyMap<string, DatabaseSettings>,
    limits: Partial<TableQueryLimits> = {},
    { parser, sqlite } = WORKER_SCRIPTS,
  ) {
    this.#parser = new StatementParser(parser);
    this.#sqliteWorker = sqlite;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    const { maxAtOnce, maxWaiting } = this.#limits;
    const gateLimits = { slots: maxAtOnce, maxWaiting, busy: tooManyQueries };
    for (const [name, { url, owners, training }] of settings) {
      if (training === undefined) continue;
      const gate = new FairGate(gateLimits);
      this.#databases.set(name, { url, owners, tables: training, gate });
    }
  }

  /** Returns the names of the databases from which an owner may train. */
  names(owner: string): string[] {
    return [...this.#databases.keys()].filter((name) => this.#find(owner, name) !== undefined);
  }

  /**
   * Returns the rows of one SELECT as lines of JSON arrays, the names of the columns first. The
   * query begins with the first pull; it ends when the reader leaves.
   * @throws {QueryError} whose message states what to do instead
   * @throws the reason of `signal`
   */
  rows(owner: string, query: TableQuery, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    return toAsyncIterable<Uint8Array>(({ push }, over) => this.#read(owner, query, push, over), {
      signal,
      maxWaiting: MAX_WAITING_PIECES,
    });
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

  async #read(
    owner: string,
    { database: name, query: sql }: TableQuery,
    push: (lines: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const database = this.#find(owner, name);
    if (database === undefined) throw this.#unknown(owner, name);
    const { timeoutMs, maxSqlBytes, maxCell } = this.#limits;
    refuseUnreadable(sql, maxSqlBytes);
    const query = { owner, tables: database.tables, sql, maxCell, timeoutMs };
    const take = this.#limited(push);
    const cancelled = this.#running.begin(signal, timeoutMs);
    try {
      await database.gate.run(owner, cancelled.signal, async () => {
        const driver = await this.#driverOf(name, database);
        await driver.read(query, take, cancelled.signal);
      });
    } finally {
      cancelled.abort();
    }
  }

  /** Returns a `push` that refuses more bytes than a table may have. */
  #limited(push: (lines: Uint8Array) => Promise<void>): (lines: Uint8Array) => Promise<void> {
    const { maxBytes } = this.#limits;
    let bytes = 0;
    return async (lines) => {
      bytes += lines.length;
      if (bytes > maxBytes) {
        throw new QueryError(
          `The rows have more than ${maxBytes} bytes; select fewer rows, or only the columns that bear on the target.`,
        );
      }
      await push(lines);
    };
  }

  #driverOf(name: string, database: Database): Promise<Driver> {
    const { timeoutMs, maxAtOnce } = this.#limits;
    database.driver ??= openDriver(name, database.url, {
      ...{
        maxConnections: maxAtOnce,
        idleTimeoutMs: timeoutMs,
        parser: this.#parser,
        sqliteWorker: this.#sqliteWorker,
        sqliteMemory: SQLITE_MEMORY,
      },
    });
    return database.driver;
  }

  #find(owner: string, name: string): Database | undefined {
    const database = this.#databases.get(name);
    return database?.owners === undefined || database.owners.has(owner) ? database : undefined;
  }

  #unknown(owner: string, name: string): QueryError {
    const names = this.names(owner);
    const known = names.length > 0 ? `there are ${names.join(', ')}` : 'there is none';
    return new QueryError(
      `There is no database with the name "${name}" that is open to trainings; ${known}. Those who run the service open one with "training" in DATABASES.`,
    );
  }
}
