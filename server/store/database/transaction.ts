import type { Kysely } from 'kysely';
import type { Database } from './schema.js';

/** Runs work in one transaction: in the one that `db` is bound to, or else in a new one. */
export function inTransaction<T>(
  db: Kysely<Database>,
  work: (db: Kysely<Database>) => Promise<T>,
): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
