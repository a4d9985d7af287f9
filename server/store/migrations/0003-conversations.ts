import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/**
 * Creates the conversations of chatbots, and their messages. `schema.ts` explains the columns. The
 * long texts of a message come last: SQLite reads a row up to the last column that a query needs.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(
    db,
    `
    create table "conversations" (
      "id" text primary key,
      "chatbot_id" text references "chatbots" ("id") on delete set null,
      "title" text,
      "messages" integer default 0 not null,
      "bytes" bigint not null,
      "answering" text, "answering_message" text, "answering_until" bigint,
      "created_at" text not null, "updated_at" text not null
    );
    create table "messages" (
      "id" text primary key,
      "conversation_id" text not null references "conversations" ("id") on delete cascade,
      "role" text not null,
      "reply_to" text, "key_owner" text, "idempotency_key" text, "fingerprint" text,
      "created_at" text not null,
      "usage" text,
      "content" text not null, "steps" text not null
    );
    create index "conversations_in_order" on "conversations" ("chatbot_id", "id");
    create index "messages_in_order" on "messages" ("conversation_id", "id");
    create unique index "one_reply_a_message" on "messages" ("reply_to");
    create unique index "messages_by_key" on "messages" ("key_owner", "idempotency_key");
    `,
  );
