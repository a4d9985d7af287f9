import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Gives models a description. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, 'alter table "models" add column "description" text;');
