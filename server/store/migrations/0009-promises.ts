import type { Kysely } from 'kysely';
import { getDialect } from '../database/dialect.js';
import { runScript } from './run-script.js';

/**
 * Creates the promises of predictions, and the record of the versions that made them. `schema.ts` explains the
 * columns. Bytes that never change are in a separate table, so that a truth does not write them again.
 */
export const up = (db: Kysely<unknown>): Promise<void> => {
  const { bytes } = getDialect(db);
  return runScript(
    db,
    `
    create table "records" (
      "model_id" text not null references "models" ("id") on delete cascade,
      "version" integer not null,
      "state" text not null,
      "subject" text not null,
      primary key ("model_id", "version")
    );
    create table "promises" (
      "id" text primary key,
      "answer_id" text not null,
      "first_row" integer not null,
      "row_count" integer not null,
      "model_id" text not null references "models" ("id") on delete cascade,
      "version" integer not null,
      "owner" text not null,
      "made_at" bigint not null,
      "has_ids" integer not null,
      "bytes" bigint not null,
      "truth_count" integer default 0 not null,
      "truths_at" bigint,
      "truths" ${bytes}
    );
    create table "promise_bytes" (
      "batch_id" text primary key references "promises" ("id") on delete cascade,
      "ids" ${bytes},
      "promises" ${bytes} not null
    );
    create unique index "promises_of_answer" on "promises" ("answer_id", "first_row");
    create index "promises_of_model" on "promises" ("model_id", "id");
    create index "promises_by_age" on "promises" ("made_at");
    `,
  );
};
