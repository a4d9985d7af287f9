import { type Kysely, Migrator } from 'kysely';
import { migrations } from '../migrations/index.js';
import type { Database } from './schema.js';

/**
 * The ways to the database, one for each kind of work. On PostgreSQL each is a pool of connections of its own,
 * so that work that waits for a lock leaves the other kinds their connections. On SQLite, and within a
 * transaction, all are the same connection.
 */
export interface Databases {
  /** The reads of requests. */
  readonly reads: Kysely<Database>;
  /** The transactions of requests. */
  readonly writes: Kysely<Database>;
  /** Trainings, their tables and models, and housekeeping: statements that may take longer. */
  readonly work: Kysely<Database>;
  /** Searches in documents. */
  readonly searches: Kysely<Database>;
  /** The keys of callers. */
  readonly keys: Kysely<Database>;
  /** Readiness, and the cancellation of searches: statements that take no time. */
  readonly health: Kysely<Database>;
}

/** Sends every kind of work the same way. */
export function singleConnection(db: Kysely<Database>): Databases {
  return { reads: db, writes: db, work: db, searches: db, keys: db, health: db };
}

/** Closes every connection. */
export async function closeAll(databases: Databases): Promise<void> {
  const all: readonly Kysely<Database>[] = Object.values(databases);
  await Promise.all([...new Set(all)].map((db) => db.destroy()));
}

/**
 * Brings the tables up to date, all in one transaction: a migration that is broken off leaves them as they
 * were. Of several instances that begin at once, one does it and the others wait.
 * @throws if a later release wrote the store
 */
export async function migrate(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    throw new Error('it was written by a later release of Roster; run that release', {
      cause: error,
    });
  }
  if (error) throw error;
}
