import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Keeps how the rows that measure a model were chosen, and those that it misses. `schema.ts` explains the columns. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(
    db,
    'alter table "model_versions" add column "validation" text; alter table "model_artifacts" add column "errors" text;',
  );
