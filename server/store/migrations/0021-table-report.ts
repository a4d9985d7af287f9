import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Keeps what was read of a table, and what was found in it. `schema.ts` explains the column. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, 'alter table "model_versions" add column "table_report" text;');
