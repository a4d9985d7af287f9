import { type Kysely, type Migration, Migrator } from 'kysely';
import * as first from './0001-first.js';
import * as documents from './0002-documents.js';
import * as conversations from './0003-conversations.js';
import * as modelSources from './0004-model-sources.js';
import * as forecasts from './0005-forecasts.js';
import * as models from './0006-models.js';
import * as responses from './0007-responses.js';
import * as oauth from './0008-oauth.js';
import * as promises from './0009-promises.js';
import * as limits from './0011-limits.js';
import * as projectKeys from './0012-project-keys.js';
import * as alarms from './0013-alarms.js';

/**
 * All migrations. They run in the order of their names, which are therefore numbered. Never edit a
 * released migration; correct it with a new one.
 */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0002-documents': documents,
  '0003-conversations': conversations,
  '0004-model-sources': modelSources,
  '0005-forecasts': forecasts,
  '0006-models': models,
  '0007-responses': responses,
  '0008-oauth': oauth,
  '0009-promises': promises,
  '0011-limits': limits,
  '0012-project-keys': projectKeys,
  '0013-alarms': alarms,
};

/**
 * Brings the tables up to date, all in one transaction: a migration that is broken off leaves them as they
 * were. Of several instances that begin at once, one does it and the others wait.
 * @throws if a later release wrote the store
 */
export async function migrate<Tables>(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error: cause } = await migrator.migrateToLatest();
  if (cause instanceof Error && /previously executed migration .* is missing/.test(cause.message)) {
    throw laterRelease(cause);
  }
  if (cause) throw cause;
}

/** Returns the error of a store that has migrations which this release lacks. */
export function laterRelease(cause?: unknown): Error {
  return new Error('it was written by a later release of Roster; run that release', { cause });
}
