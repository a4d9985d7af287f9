import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Keeps what marks in a table mean, for the trainings that follow. `schema.ts` explains the column. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, 'alter table "model_versions" add column "table_marks" text;');
