import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Adds the alarm of a record, until it has been reported, and whether a model adapts. `schema.ts` explains the columns. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(
    db,
    `
    alter table "records" add column "alarm_at" bigint;
    alter table "records" add column "alarm_told_at" bigint;
    alter table "records" add column "alarm_tries" integer default 0 not null;
    alter table "records" add column "claimed_until" bigint;
    create index "records_with_alarm" on "records" ("alarm_at") where "alarm_at" is not null;
    alter table "models" add column "adapt" integer default 0 not null;
    `,
  );
