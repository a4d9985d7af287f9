import { type Kysely, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { getDialect } from '../database/dialect.js';
import { runScript } from './run-script.js';

/** Creates the tables of the first release, and the project in every new store. `schema.ts` explains the columns. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await runScript(db, OWNERS);
  await runScript(db, RESOURCES);
  await runScript(db, MODELS.replaceAll('blob', getDialect(db).bytes));
  await runScript(db, INDEXES);
  await sql`insert into projects (id, owner, name, created_at)
    values (${uuidv7()}, 'local', 'default', ${new Date().toISOString()})`.execute(db);
}

const OWNERS = `
  create table "owner_storage" (
    "bytes" bigint default 0 not null,
    "answer_bytes" bigint default 0 not null,
    "trained_at" bigint default 0 not null,
    "owner" text primary key
  );
  create table "projects" (
    "owner" text not null, "name" text not null, "created_at" text not null,
    "skills" integer default 0 not null,
    "agents" integer default 0 not null,
    "chatbots" integer default 0 not null,
    "models" integer default 0 not null,
    "bytes" integer default 0 not null,
    "uses" integer default 0 not null,
    "id" text primary key,
    constraint "projects_name" unique ("owner", "name")
  );
  create table "api_keys" (
    "name" text not null, "owner" text not null, "scopes" text not null, "hash" text not null,
    "created_at" text not null,
    "id" text primary key,
    "expires_at" text, "revoked_at" text, "last_used_at" text
  );
  create table "kept_answers" (
    "owner" text not null, "key" text not null, "fingerprint" text not null,
    "headers" text not null, "body" text not null, "created_at" text not null,
    "bytes" bigint default 0 not null,
    constraint "kept_answers_key" primary key ("owner", "key")
  );
`;

const RESOURCES = `
  create table "skills" (
    "name" text not null, "created_at" text not null,
    "type" text not null, "params" text not null, "updated_at" text not null,
    "id" text primary key,
    "project_id" text not null references "projects" ("id"),
    constraint "skills_name" unique ("project_id", "name")
  );
  create table "agents" (
    "name" text not null, "created_at" text not null,
    "settings" text not null, "updated_at" text not null,
    "id" text primary key,
    "project_id" text not null references "projects" ("id"),
    "model_name" text, "provider" text, "prompt_template" text, "model" text, "data" text,
    constraint "agents_name" unique ("project_id", "name")
  );
  create table "agent_skills" (
    "agent_id" text not null references "agents" ("id") on delete cascade,
    "skill_id" text not null references "skills" ("id") on delete cascade,
    "position" integer not null,
    constraint "agent_skills_key" primary key ("agent_id", "skill_id")
  );
  create table "chatbots" (
    "name" text not null, "created_at" text not null,
    "settings" text not null, "updated_at" text not null,
    "id" text primary key,
    "project_id" text not null references "projects" ("id"),
    "agent_id" text references "agents" ("id") on delete set null,
    "model_name" text, "database_name" text,
    constraint "chatbots_name" unique ("project_id", "name")
  );
`;

/** Models, and the tables of their trainings. */
const MODELS = `
  create table "models" (
    "name" text not null, "created_at" text not null,
    "id" text primary key,
    "project_id" text not null references "projects" ("id"),
    "last_version" integer default 0 not null,
    "serving_version" integer,
    constraint "models_name" unique ("project_id", "name")
  );
  create table "model_versions" (
    "status" text not null, "task" text not null, "target" text not null, "updated_at" text not null,
    "id" text primary key,
    "model_id" text not null references "models" ("id") on delete cascade,
    "version" integer not null,
    "progress" double precision default 0 not null,
    "failure" text,
    "row_count" integer not null,
    "columns" text, "metrics" text, "classes" text, "summary" text,
    "training_seconds" double precision,
    "checksum" text,
    "bytes" bigint default 0 not null,
    "attempts" integer default 0 not null,
    "claimed_by" text, "claimed_until" bigint,
    constraint "model_versions_number" unique ("model_id", "version")
  );
  create table "model_artifacts" (
    "version_id" text primary key references "model_versions" ("id") on delete cascade,
    "bytes" blob not null
  );
  create table "training_tables" (
    "owner" text not null,
    "id" text primary key,
    "version_id" text references "model_versions" ("id") on delete set null,
    "parts" integer default 0 not null,
    "bytes" bigint default 0 not null,
    "upload_until" bigint not null
  );
  create table "training_table_parts" (
    "table_id" text not null references "training_tables" ("id"),
    "position" integer not null,
    "bytes" blob not null,
    constraint "training_table_parts_key" primary key ("table_id", "position")
  );
`;

/** A model trains one version at a time, even across instances. */
const INDEXES = `
  create index "projects_in_order" on "projects" ("owner", "id");
  create index "skills_in_order" on "skills" ("project_id", "id");
  create index "agents_in_order" on "agents" ("project_id", "id");
  create index "chatbots_in_order" on "chatbots" ("project_id", "id");
  create index "models_in_order" on "models" ("project_id", "id");
  create index "agents_of_skill" on "agent_skills" ("skill_id");
  create index "chatbots_of_agent" on "chatbots" ("agent_id");
  create index "kept_answers_by_age" on "kept_answers" ("created_at");
  create unique index "one_training_a_model" on "model_versions" ("model_id")
    where "status" = 'training';
  create index "trainings_in_order" on "model_versions" ("id") where "status" = 'training';
  create unique index "training_tables_of_version" on "training_tables" ("version_id");
  create index "training_tables_without_training" on "training_tables" ("upload_until")
    where "version_id" is null;
`;
