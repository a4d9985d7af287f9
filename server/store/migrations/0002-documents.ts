import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../database/dialect.js';

/** Creates the documents of skills, and the index in which their passages are found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('documents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('skill_id', 'text', (column) =>
      column.notNull().references('skills.id').onDelete('cascade'),
    )
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
  await createTexts(db);
}

async function createTexts(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const { locksRows: isPostgres } = dialectOf(db);
  await schema
    .createTable('document_texts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('document_id', 'text', (column) =>
      column.unique().references('documents.id').onDelete('set null'),
    )
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('upload_until', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('document_texts_without_document')
    .on('document_texts')
    .column('upload_until')
    .where(sql.ref('document_id'), 'is', null)
    .execute();
  await schema
    .createTable('passages')
    .addColumn('id', isPostgres ? 'bigint' : 'integer', (column) =>
      isPostgres ? column.generatedAlwaysAsIdentity().primaryKey() : column.primaryKey(),
    )
    .addColumn('text_id', 'text', (column) => column.notNull().references('document_texts.id'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('headings', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addUniqueConstraint('passages_number', ['text_id', 'number'])
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
