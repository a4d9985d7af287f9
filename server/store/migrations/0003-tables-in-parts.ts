import type { Kysely } from 'kysely';
import { dialectOf } from '../database/dialect.js';
import { sql } from '../database/kysely.js';

/** The tables of trainings in parts, which are there before their training begins, and go after it has ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('training_tables').renameTo('whole_training_tables').execute();
  await db.schema
    .createTable('training_tables')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version_id', 'text', (column) =>
      column.references('model_versions.id').onDelete('set null'),
    )
    .addColumn('parts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('upload_until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('training_table_parts')
    .addColumn('table_id', 'text', (column) => column.notNull().references('training_tables.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('bytes', sql.raw(dialectOf(db).bytes), (column) => column.notNull())
    .addPrimaryKeyConstraint('training_table_parts_key', ['table_id', 'position'])
    .execute();
  // What trains still goes on, from a table of one part.
  await sql`insert into training_tables (id, version_id, parts, upload_until)
    select version_id, version_id, 1, 0 from whole_training_tables`.execute(db);
  await sql`insert into training_table_parts (table_id, position, bytes)
    select version_id, 0, bytes from whole_training_tables`.execute(db);
  await db.schema.dropTable('whole_training_tables').execute();

  // What is made here takes the room of what was dropped.
  await db.schema
    .createIndex('training_tables_of_version')
    .on('training_tables')
    .column('version_id')
    .unique()
    .execute();
  await db.schema
    .createIndex('training_tables_without_training')
    .on('training_tables')
    .column('upload_until')
    .where(sql.ref('version_id'), 'is', null)
    .execute();
}
