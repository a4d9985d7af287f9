import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Keeps the effort of a training. `schema.ts` explains the column. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, 'alter table "model_versions" add column "effort" text;');
