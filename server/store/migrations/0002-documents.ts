import type { Kysely } from 'kysely';
import { dialectOf } from '../database/dialect.js';
import { sql } from '../database/kysely.js';

/** Creates the documents of skills, and the index in which their passages are found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('documents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('skill_id', 'text', (column) => column.references('skills.id').onDelete('set null'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('media_type', 'text', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('passages', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('documents_name', ['skill_id', 'name'])
    .execute();
  await schema
    .createIndex('documents_in_order')
    .on('documents')
    .columns(['skill_id', 'id'])
    .execute();

  const { locksRows: isPostgres } = dialectOf(db);
  await schema
    .createTable('passages')
    .addColumn('id', isPostgres ? 'bigint' : 'integer', (column) =>
      isPostgres ? column.generatedAlwaysAsIdentity().primaryKey() : column.primaryKey(),
    )
    .addColumn('document_id', 'text', (column) =>
      column.notNull().references('documents.id').onDelete('cascade'),
    )
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('headings', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addUniqueConstraint('passages_number', ['document_id', 'number'])
    .execute();
  await (isPostgres ? createPostgresIndex(db) : createSqliteIndex(db));
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
  await sql`
    create trigger passage_terms_removed after delete on passages begin
      delete from passage_terms where rowid = old.id;
    end
  `.execute(db);
}

/** A dictionary without stop words: the configuration `english` finds no text by "who". */
async function createPostgresIndex(db: Kysely<unknown>): Promise<void> {
  await sql`
    create text search dictionary roster_stem (template = snowball, language = english)
  `.execute(db);
  await sql`create text search configuration roster_text (copy = simple)`.execute(db);
  await sql`
    alter text search configuration roster_text
      alter mapping for asciiword, word with roster_stem
  `.execute(db);
  await sql`
    create table passage_terms (
      passage_id bigint primary key references passages (id) on delete cascade,
      skill_id text not null,
      terms tsvector not null
    )
  `.execute(db);
  await sql`create index passage_terms_of_skill on passage_terms (skill_id)`.execute(db);
  await sql`create index passage_terms_found on passage_terms using gin (terms)`.execute(db);
}
