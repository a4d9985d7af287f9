import { type Kysely, Migrator } from 'kysely';
import { migrations } from '../migrations/index.js';
import type { Database } from './schema.js';

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
