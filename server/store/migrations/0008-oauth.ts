import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/** Creates the consents of OAuth. `schema.ts` explains the columns. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(
    db,
    `
    create table "oauth_grants" (
      "id" text primary key,
      "key_id" text not null references "api_keys" ("id") on delete cascade,
      "project_id" text not null references "projects" ("id") on delete cascade,
      "resource" text not null,
      "scopes" text not null,
      "client_id" text not null, "client_name" text not null,
      "redirect_uri" text not null, "challenge" text not null,
      "code_hash" text not null, "access_hash" text, "refresh_hash" text,
      "access_until" bigint not null,
      "valid_until" bigint not null,
      "created_at" text not null
    );
    create index "oauth_grants_of_key" on "oauth_grants" ("key_id");
    create index "oauth_grants_of_project" on "oauth_grants" ("project_id");
    create index "oauth_grants_by_end" on "oauth_grants" ("valid_until");
    `,
  );
