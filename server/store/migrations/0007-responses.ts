import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/**
 * Creates the responses that clients of OpenAI's API continue. `schema.ts` explains the columns. The long texts come
 * last: SQLite reads a row up to the last column that a query needs.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(
    db,
    `
    create table "responses" (
      "id" text primary key,
      "owner" text not null,
      "project_id" text not null,
      "previous_id" text,
      "bytes" bigint not null,
      "used_at" text not null,
      "items" text not null, "body" text not null
    );
    create index "responses_in_order" on "responses" ("owner", "used_at", "id");
    create index "responses_by_age" on "responses" ("used_at");
    `,
  );
