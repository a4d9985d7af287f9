import { type Kysely, sql } from 'kysely';
import { getDialect } from '../database/dialect.js';
import { runScript } from './run-script.js';

/** Creates the documents of skills, and the index in which their passages are found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { locksRows: isPostgres } = getDialect(db);
  const id = isPostgres ? 'bigint generated always as identity' : 'integer';
  await runScript(
    db,
    `
    create table "documents" (
      "id" text primary key,
      "skill_id" text not null references "skills" ("id") on delete cascade,
      "name" text not null, "media_type" text not null,
      "bytes" integer not null, "passages" integer not null,
      "created_at" text not null, "updated_at" text not null,
      constraint "documents_name" unique ("skill_id", "name")
    );
    create index "documents_in_order" on "documents" ("skill_id", "id");
    create table "document_texts" (
      "id" text primary key,
      "owner" text not null,
      "document_id" text unique references "documents" ("id") on delete set null,
      "bytes" integer not null,
      "upload_until" bigint not null
    );
    create index "document_texts_without_document" on "document_texts" ("upload_until")
      where "document_id" is null;
    create table "passages" (
      "id" ${id} primary key,
      "text_id" text not null references "document_texts" ("id"),
      "number" integer not null,
      "headings" text not null, "content" text not null,
      constraint "passages_number" unique ("text_id", "number")
    );
    `,
  );
  await (isPostgres ? runScript(db, POSTGRES_INDEX) : createSqliteIndex(db));
}

/**
 * The terms are separated by spaces already, and all that `ascii` does; `porter` reduces English words to
 * their stems. The text itself is in `passages`, and not kept a second time.
 */
async function createSqliteIndex(db: Kysely<unknown>): Promise<void> {
  await sql`
    create virtual table passage_terms using fts5(
      skill, headings, content, content = '', contentless_delete = 1, tokenize = 'porter ascii'
    )
  `.execute(db);
  // By default, FTS5 rewrites a part of the index as soon as a tenth of it is deleted, which makes
  // deletions five times as slow.
  await sql`insert into passage_terms (passage_terms, rank) values ('deletemerge', 50)`.execute(db);
  await sql`
    create trigger passage_terms_removed after delete on passages begin
      delete from passage_terms where rowid = old.id;
    end
  `.execute(db);
}

/** A dictionary without stop words: the configuration `english` finds no text by "who". */
const POSTGRES_INDEX = `
  create text search dictionary roster_stem (template = snowball, language = english);
  create text search configuration roster_text (copy = simple);
  alter text search configuration roster_text
    alter mapping for asciiword, word with roster_stem;
  create table passage_terms (
    passage_id bigint primary key references passages (id) on delete cascade,
    skill_id text not null,
    terms tsvector not null
  );
  create index passage_terms_of_skill on passage_terms (skill_id);
  create index passage_terms_found on passage_terms using gin (terms);
`;
