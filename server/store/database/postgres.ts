import { Kysely, type PostgresCursor, PostgresDialect, type PostgresPool, type PostgresQueryResult } from 'kysely';
import { type ClientConfig, Pool } from 'pg';
import { migrate } from '../migrations/index.js';
import { type Databases, type NoteStatementFailure, toKyselyLog } from './dialect.js';
import { type NoteAddress, PostgresAddress, takeConnection } from './postgres-address.js';
import { endedBySilence, PostgresClient } from './postgres-client.js';
import { RecentMark } from './recent-mark.js';
import type { Database } from './schema.js';
import { isLockTimeout, isReadOnly, StoreBusyError } from './unavailable.js';

/** The limits of a pool and its statements. Times are in milliseconds. */
interface PoolLimits {
  readonly connections: number;
  /** The longest wait for a connection, and of a statement for a lock. */
  readonly connect: number;
  readonly lock: number;
  /** The longest time of a statement, waiting included; 0 for no limit. */
  readonly statement: number;
  /** The time after which a transaction may begin no further statement; undefined for no limit. */
  readonly transaction?: number;
}

/**
 * The connections of one instance, 18 together: PostgreSQL takes 100 from all instances, unless it is configured
 * otherwise. PostgreSQL itself ends what takes too long, so nothing is left behind that holds a lock.
 */
const POOLS: { readonly [K in Exclude<keyof Databases, 'snapshots'>]: PoolLimits } = {
  // Reads wait for locks of whole tables only, which are rare and seldom short.
  reads: { connections: 5, connect: 2_000, lock: 1_000, statement: 3_000 },
  writes: { connections: 4, connect: 2_000, lock: 3_000, statement: 4_000, transaction: 4_000 },
  // A trained model or a part of a table may take seconds to go over the network.
  work: { connections: 3, connect: 3_000, lock: 2_000, statement: 30_000 },
  // A search is cancelled before its time is up here.
  searches: { connections: 3, connect: 2_000, lock: 1_000, statement: 11_000 },
  keys: { connections: 2, connect: 2_000, lock: 1_000, statement: 2_000 },
  health: { connections: 1, connect: 1_000, lock: 500, statement: 1_000 },
};

/** Another instance may be bringing the tables up to date; and how long that takes depends on what they hold. */
const MIGRATION: PoolLimits = { connections: 1, connect: 3_000, lock: 10_000, statement: 0 };

/** Limits of an inspection, which a person waits for. */
const INSPECTION: PoolLimits = { connections: 1, connect: 3_000, lock: 2_000, statement: 3_000 };

/** After this time, PostgreSQL ends an idle transaction. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;

/** A connection that is silent for so much longer than a statement may take leads to a host that is gone. */
const SILENCE_MS = 5_000;

/** An unused connection, which is silent too, is closed before that. */
const UNUSED_MS = 4_000;

export interface PostgresOptions {
  /** Called with what broke a connection that was not in use. */
  readonly onError: (error: Error) => void;
  /** Gets the error of each statement that fails on the way of writes. */
  readonly noteFailure: NoteStatementFailure;
  /** Returns the present URL, where it may change. */
  readonly readUrl?: (() => string) | undefined;
  readonly noteAddress?: NoteAddress | undefined;
}

/**
 * Opens pools of connections to the PostgreSQL database that a URL names, and brings its tables up to date.
 * Connections are made when they are needed, and again when they broke.
 * @returns the database, and a mark of what decides which version answers predictions
 * @throws if the URL is malformed, the database cannot be reached, or a later release wrote it
 */
export async function openPostgres(
  url: string,
  { onError, noteFailure, readUrl, noteAddress }: PostgresOptions,
): Promise<{ databases: Databases; recently: () => object; migrated: string[] }> {
  const address = new PostgresAddress(url, { read: readUrl, note: noteAddress });
  const migrating = openPool(address, onError, MIGRATION);
  let migrated: string[];
  try {
    migrated = await migrate(migrating);
  } finally {
    await migrating.destroy();
  }
  const recent = new RecentMark();
  const work = openPool(address, onError, POOLS.work, noteFailure, recent);
  const databases = {
    reads: openPool(address, onError, POOLS.reads),
    writes: openPool(address, onError, POOLS.writes, noteFailure, recent),
    // One snapshot or long transaction runs at a time, so that trainings keep the other connections.
    work,
    snapshots: work,
    searches: openPool(address, onError, POOLS.searches),
    keys: openPool(address, onError, POOLS.keys),
    health: openPool(address, onError, POOLS.health),
  };
  return { databases, recently: recent.read, migrated };
}

/**
 * Opens a connection to a database as it is.
 * @throws if the URL is malformed
 */
export function openForInspection(url: string): Kysely<Database> {
  return openPool(new PostgresAddress(url), () => {}, INSPECTION);
}

function openPool(
  address: PostgresAddress,
  onError: (error: Error) => void,
  limits: PoolLimits,
  noteFailure?: NoteStatementFailure,
  recent = new RecentMark(),
): Kysely<Database> {
  const { connections, connect, lock, statement } = limits;
  const pool = new Pool({
    Client: class extends PostgresClient {
      constructor({
        lock_timeout,
        idle_in_transaction_session_timeout,
        statement_timeout,
        ...config
      }: ClientConfig = {}) {
        const timeouts = { lock_timeout, idle_in_transaction_session_timeout, statement_timeout };
        super(address.isPooled ? config : { ...config, ...timeouts }, address.url, address.target);
      }
    },
    application_name: 'roster',
    max: connections,
    connectionTimeoutMillis: connect,
    idleTimeoutMillis: statement + UNUSED_MS,
    lock_timeout: lock,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    statement_timeout: statement,
    keepAlive: true,
    // Statements are sent without a wait for those before them.
    pipeline: true,
    stream: () => endedBySilence(statement === 0 ? 0 : statement + SILENCE_MS),
  });
  pool.on('error', onError);
  const dialect = new PostgresDialect({ pool: guardPool(pool, address, recent, limits) });
  return new Kysely({ dialect, ...(noteFailure && { log: toKyselyLog(noteFailure) }) });
}

/** The result of a `begin` that is not answered yet. */
const BEGUN = { command: 'BEGIN', rowCount: null, rows: [] };

/**
 * Returns a pool for Kysely whose connections refuse the statements that would wait in vain, and those that
 * would make a transaction take too long. The `begin` of a transaction goes with its first statement, if that reads: to
 * wait for it would cost a way there and back.
 * @param limits after the time of `transaction`, a connection that was taken begins no further statement
 */
function guardPool(
  pool: Pool,
  address: PostgresAddress,
  recent: RecentMark,
  { lock, statement, transaction = Number.POSITIVE_INFINITY }: PoolLimits,
): PostgresPool {
  const timeouts = `set local lock_timeout = ${lock}; set local statement_timeout = ${statement}; set local idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIMEOUT_MS}`;
  const begin = (text: string) => (address.isPooled ? `${text}; ${timeouts}` : text);
  const breaker = new CircuitBreaker();
  return {
    connect: async () => {
      const client = await takeConnection(pool, address);
      const end = performance.now() + transaction;
      const noteDone = recent.watch();
      let beginning: Promise<unknown> | undefined;
      // Its host may have become a replica: it is closed, and the next connection is made to the primary.
      let isUnfit = false;
      const send = async (text: string, values: readonly unknown[]) => {
        const begun = beginning;
        beginning = undefined;
        // If `begin` fails on a connection that lives, a write sent with it would be kept without its transaction.
        if (!text.startsWith('select ')) await begun;
        try {
          const [result] = await Promise.all([client.query(text, [...values]), begun]);
          noteDone(text);
          return result;
        } catch (error) {
          isUnfit ||= isReadOnly(error);
          throw error;
        }
      };
      function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
      function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
      function query(text: unknown, values: readonly unknown[] = []): unknown {
        if (typeof text !== 'string') throw new Error('The store reads no streams');
        if (performance.now() > end && text !== 'rollback') {
          throw new StoreBusyError('The store took too long; try again in a moment.');
        }
        if (text === 'begin') {
          beginning = client.query(begin(text));
          // Whatever goes wrong, the next statement fails with it.
          beginning.catch(() => {});
          return Promise.resolve(BEGUN);
        }
        if (text.startsWith('start transaction')) return send(begin(text), values);
        return breaker.run(text, () => send(text, values));
      }
      return { query, release: () => client.release(isUnfit) };
    },
    end: () => pool.end(),
  };
}

/** Reads wait for locks of whole tables only; what locks rows may wait for one row, which says nothing of the table. */
const READ = /^select\b(?!.*\bfor update\b)/s;
const TABLE = /\b(?:from|join) "(\w+)"/g;

/**
 * Keeps reads of a locked table from taking the connections that reads of other tables need (the circuit
 * breaker of M. Nygard, "Release It!", 2nd ed., chapter 5). Once a read of some tables has waited for a lock in
 * vain, one read of these tables at a time may try again; others fail at once until one succeeds.
 */
export class CircuitBreaker {
  /** The tables whose reads fail, and whether one is being tried. */
  readonly #open = new Map<string, { isTrying: boolean }>();

  /**
   * Runs a statement.
   * @throws {StoreBusyError} if it is a read of tables that are known to be locked
   */
  run<T>(sql: string, execute: () => Promise<T>): Promise<T> {
    const tables = READ.test(sql) ? listTables(sql) : '';
    return tables === '' ? execute() : this.#read(tables, execute);
  }

  async #read<T>(tables: string, execute: () => Promise<T>): Promise<T> {
    const open = this.#open.get(tables);
    if (open?.isTrying) {
      throw new StoreBusyError('What the request needs is locked in the store; try again later.');
    }
    if (open) open.isTrying = true;
    try {
      const result = await execute();
      if (open) this.#open.delete(tables);
      return result;
    } catch (error) {
      // Reads that began together fail together: the first opens it, and the others must not let more try.
      if (isLockTimeout(error) && !this.#open.has(tables)) {
        this.#open.set(tables, { isTrying: false });
      }
      throw error;
    } finally {
      if (open) open.isTrying = false;
    }
  }
}

/** The names of the tables that a statement reads, in the order of the alphabet. */
function listTables(sql: string): string {
  const names = Array.from(sql.matchAll(TABLE), ([, name]) => name);
  return [...new Set(names)].sort().join();
}
