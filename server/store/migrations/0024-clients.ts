import type { Kysely } from 'kysely';
import { runScript } from './run-script.js';

/**
 * Lets refreshes race, and access tokens live out their time; and lets any instance cancel a call of MCP. `schema.ts`
 * explains the columns.
 */
export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(
    db,
    `
    alter table "oauth_grants" add column "other_access" text not null default '[]';
    alter table "oauth_grants" add column "used_refresh_hash" text;
    alter table "oauth_grants" add column "refresh_seed" text;
    alter table "oauth_grants" add column "refresh_since" bigint;
    create index "oauth_grants_with_seed" on "oauth_grants" ("refresh_since") where "refresh_seed" is not null;
    create table "running_calls" (
      "id" text primary key,
      "name" text not null,
      "began_at" bigint not null,
      "cancelled_at" bigint
    );
    create index "running_calls_by_name" on "running_calls" ("name");
    `,
  );
