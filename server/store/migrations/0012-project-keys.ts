import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Lets keys be for one project. `schema.ts` explains the column. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, 'alter table "api_keys" add column "project_id" text;');
