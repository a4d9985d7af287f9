import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Adds an index by which the responses of deleted projects are found. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, 'create index "responses_of_project" on "responses" ("project_id");');
