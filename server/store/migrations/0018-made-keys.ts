import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Lets keys make keys. `schema.ts` explains the column. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(
    db,
    `
    alter table "api_keys" add column "made_by" text;
    create index "api_keys_of_owner" on "api_keys" ("owner");
    create index "api_keys_by_maker" on "api_keys" ("made_by");
    `,
  );
