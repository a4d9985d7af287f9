import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Creates the limits of keys, and what is used of them and of those of identities. `schema.ts` explains the columns. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(
    db,
    `
    alter table "api_keys" add column "limits" text;
    create table "key_usage" (
      "key_id" text not null,
      "name" text not null,
      "began" bigint not null,
      "used" bigint not null,
      primary key ("key_id", "name")
    );
    `,
  );
