import { createHash } from 'node:crypto';
import { type Kysely, type Logger, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Database } from './schema.js';

/**
 * The ways to the database, one for each kind of work. On PostgreSQL each is a separate pool of connections,
 * so that work that waits for a lock leaves the other kinds their connections. SQLite has one connection that writes,
 * one for reads and one for snapshots. Within a transaction, all are the same connection.
 */
export interface Databases {
  readonly reads: Kysely<Database>;
  /** The transactions of requests. */
  readonly writes: Kysely<Database>;
  /** Trainings, their tables and models, and housekeeping: statements that may take longer. */
  readonly work: Kysely<Database>;
  /** Transactions that only read, and may read much: see `Store.snapshot`. */
  readonly snapshots: Kysely<Database>;
  readonly searches: Kysely<Database>;
  readonly keys: Kysely<Database>;
  /** Readiness, and the cancellation of searches: statements that take no time. */
  readonly health: Kysely<Database>;
}

/** Sends every kind of work the same way. */
export function singleConnection(db: Kysely<Database>): Databases {
  const kinds = { reads: db, writes: db, work: db, snapshots: db };
  return { ...kinds, searches: db, keys: db, health: db };
}

/** Runs work in one transaction: in the one that `db` is bound to, or else in a new one. */
export function inTransaction<T>(db: Kysely<Database>, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Takes the error of a statement that failed. */
export type NoteStatementFailure = (error: unknown) => void;

/** Returns a log of Kysely that notes the errors of statements. */
export function toKyselyLog(noteFailure: NoteStatementFailure): Logger {
  return (event) => {
    if (event.level === 'error') noteFailure(event.error);
  };
}

/** The few places where the SQL of the databases differs. */
export interface Dialect {
  /** The type of a column of bytes. */
  readonly bytes: 'blob' | 'bytea';
  /** The time by the clock of the database, which all instances share: milliseconds since 1970. */
  readonly now: RawBuilder<number>;
  /** True if a transaction must lock the rows that it relies on; otherwise it has the whole store to itself. */
  readonly locksRows: boolean;
  /** Returns the length of a text column in bytes of UTF-8. */
  octets(column: string): RawBuilder<number>;
  /** Returns the SHA-256 of a text in UTF-8, in hexadecimal. */
  sha256(text: RawBuilder<string>): RawBuilder<string>;
  /** The bytes that the database takes on its disk, without the log of writes. */
  readonly size: RawBuilder<number>;
  /** Takes a lock until the end of the transaction of `db`; waits for its holder. */
  lock(db: Kysely<Database>, name: string): Promise<void>;
  /** Takes a lock until the end of the transaction of `db`, if nobody else has it. */
  tryLock(db: Kysely<Database>, name: string): Promise<boolean>;
}

const sqlite: Dialect = {
  bytes: 'blob',
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  locksRows: false,
  octets: (column) => sql<number>`octet_length(${sql.ref(column)})`,
  sha256: (text) => sql<string>`sha256(${text})`,
  size: sql<number>`(select page_count * page_size from pragma_page_count, pragma_page_size)`,
  // A transaction has the whole store to itself.
  lock: async () => {},
  tryLock: async () => true,
};

const postgres: Dialect = {
  bytes: 'bytea',
  now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  locksRows: true,
  // The text itself is in the encoding of the database, which may be another.
  octets: (column) => sql<number>`octet_length(convert_to(${sql.ref(column)}, 'UTF8'))`,
  sha256: (text) => sql<string>`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`,
  size: sql<number>`pg_database_size(current_database())`,
  lock: async (db, name) => {
    await sql`select pg_advisory_xact_lock(cast(${hashName(name)} as bigint))`.execute(db);
  },
  tryLock: async (db, name) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(cast(${hashName(name)} as bigint)) as locked
    `.execute(db);
    return rows[0]?.locked ?? false;
  },
};

/** The dialect of the database that a connection leads to. */
export function getDialect(db: Pick<Kysely<unknown>, 'getExecutor'>): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;
}

/** Returns 64 bits in decimal. One pair of names in 2⁶⁴ collides. */
function hashName(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}
