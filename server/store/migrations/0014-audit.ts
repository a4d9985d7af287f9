import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Creates the audit log. `schema.ts` explains the columns. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(
    db,
    `
    create table "audit_events" (
      "id" text primary key,
      "owner" text not null,
      "sequence" bigint not null,
      "operation" text,
      "resource" text not null,
      "key_id" text, "subject" text, "request_id" text,
      "address" text, "user_agent" text,
      "problem" text,
      "count" integer not null,
      "hash" text not null
    );
    create unique index "audit_events_of_owner" on "audit_events" ("owner", "sequence");
    create table "audit_chains" (
      "owner" text primary key,
      "sequence" bigint not null,
      "hash" text not null,
      "cut_sequence" bigint default 0 not null,
      "cut_hash" text default '' not null
    );
    `,
  );
