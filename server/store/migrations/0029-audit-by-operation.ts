import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Lets the events of an operation be found among those of all others. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, 'create index "audit_events_by_operation" on "audit_events" ("operation", "id");');
