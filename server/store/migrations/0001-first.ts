import type { Kysely } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { dialectOf } from '../database/dialect.js';
import { sql } from '../database/kysely.js';

/** The tables of the first release, and the project that every store begins with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('skills')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('params', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('skills_name', ['project_id', 'name'])
    .execute();

  await db.schema
    .createTable('agents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('model_name', 'text')
    .addColumn('provider', 'text')
    .addColumn('prompt_template', 'text')
    .addColumn('model', 'text')
    .addColumn('data', 'text')
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('agents_name', ['project_id', 'name'])
    .execute();

  await db.schema
    .createTable('agent_skills')
    .addColumn('agent_id', 'text', (column) =>
      column.notNull().references('agents.id').onDelete('cascade'),
    )
    .addColumn('skill_id', 'text', (column) =>
      column.notNull().references('skills.id').onDelete('cascade'),
    )
    .addColumn('position', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('agent_skills_key', ['agent_id', 'skill_id'])
    .execute();

  await db.schema
    .createTable('chatbots')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text', (column) => column.references('agents.id').onDelete('set null'))
    .addColumn('model_name', 'text')
    .addColumn('database_name', 'text')
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('chatbots_name', ['project_id', 'name'])
    .execute();

  await db.schema
    .createTable('models')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('models_name', ['project_id', 'name'])
    .execute();

  const bytes = sql.raw(dialectOf(db).bytes);
  await db.schema
    .createTable('model_versions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('model_id', 'text', (column) =>
      column.notNull().references('models.id').onDelete('cascade'),
    )
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('progress', 'double precision', (column) => column.notNull().defaultTo(0))
    .addColumn('failure', 'text')
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('row_count', 'integer', (column) => column.notNull())
    .addColumn('columns', 'text')
    .addColumn('metrics', 'text')
    .addColumn('checksum', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('model_versions_number', ['model_id', 'version'])
    .execute();

  for (const table of ['model_artifacts', 'training_tables']) {
    await db.schema
      .createTable(table)
      .addColumn('version_id', 'text', (column) =>
        column.primaryKey().references('model_versions.id').onDelete('cascade'),
      )
      .addColumn('bytes', bytes, (column) => column.notNull())
      .execute();
  }

  await createIndexes(db);
  await sql`insert into projects (id, name, created_at)
    values (${uuidv7()}, 'default', ${new Date().toISOString()})`.execute(db);
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  for (const table of ['skills', 'agents', 'chatbots', 'models']) {
    await db.schema
      .createIndex(`${table}_in_order`)
      .on(table)
      .columns(['project_id', 'id'])
      .execute();
  }
  await db.schema.createIndex('agents_of_skill').on('agent_skills').column('skill_id').execute();
  await db.schema.createIndex('chatbots_of_agent').on('chatbots').column('agent_id').execute();
  // A model trains one version at a time, whoever asks.
  await db.schema
    .createIndex('one_training_a_model')
    .on('model_versions')
    .column('model_id')
    .unique()
    .where(sql.ref('status'), '=', sql.lit('training'))
    .execute();
}
