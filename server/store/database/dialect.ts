import { createHash } from 'node:crypto';
import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Database } from './schema.js';

/** The few places where the SQL of the databases differs. */
export interface Dialect {
  /** The type of a column of bytes. */
  readonly bytes: 'blob' | 'bytea';
  /** The time by the clock of the database, which all instances share: milliseconds since 1970. */
  readonly now: RawBuilder<number>;
  /** Whether a transaction must lock the rows that it relies on; otherwise it has the whole store to itself. */
  readonly locksRows: boolean;
  /** Returns the length of a text column in bytes of UTF-8. */
  octets(column: string): RawBuilder<number>;
  /**
   * Takes a lock until the end of the transaction, within which this is called; waits for whoever has it.
   * @param name what is locked; of two names in 2⁶⁴, one may stand for both
   */
  lock(db: Kysely<Database>, name: string): Promise<void>;
  /**
   * Takes a lock until the end of the transaction, if nobody else has it.
   * @param name what is locked; of two names in 2⁶⁴, one may stand for both
   */
  tryLock(db: Kysely<Database>, name: string): Promise<boolean>;
}

const sqlite: Dialect = {
  bytes: 'blob',
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  locksRows: false,
  octets: (column) => sql<number>`octet_length(${sql.ref(column)})`,
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
  lock: async (db, name) => {
    await sql`select pg_advisory_xact_lock(cast(${numberOf(name)} as bigint))`.execute(db);
  },
  tryLock: async (db, name) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(cast(${numberOf(name)} as bigint)) as locked
    `.execute(db);
    return rows[0]?.locked ?? false;
  },
};

/** The dialect of the database that a connection leads to. */
export function dialectOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;
}

/** A number of 64 bits, in decimal, that stands for a name. */
function numberOf(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}
