import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { dialectOf } from '../database/dialect.js';

/**
 * Creates the tables of the first release, and the project in every new store. `schema.ts` explains
 * the columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createOwners(db);
  await createResources(db);
  await createModels(db);
  await createTrainingTables(db);
  await createIndexes(db);
  await sql`insert into projects (id, owner, name, created_at)
    values (${uuidv7()}, 'local', 'default', ${new Date().toISOString()})`.execute(db);
}

/** Creates owners and their data: projects, keys, kept responses, and storage counters. */
async function createOwners(db: Kysely<unknown>): Promise<void> {
  await counters(db.schema.createTable('owner_storage'), 'bigint', [
    'bytes',
    'answer_bytes',
    'trained_at',
  ])
    .addColumn('owner', 'text', (column) => column.primaryKey())
    .execute();

  await counters(
    texts(db.schema.createTable('projects'), ['owner', 'name', 'created_at']),
    'integer',
    ['skills', 'agents', 'chatbots', 'models', 'bytes', 'uses'],
  )
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addUniqueConstraint('projects_name', ['owner', 'name'])
    .execute();

  await texts(db.schema.createTable('api_keys'), ['name', 'owner', 'scopes', 'hash', 'created_at'])
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .addColumn('last_used_at', 'text')
    .execute();

  await counters(
    texts(db.schema.createTable('kept_answers'), [
      'owner',
      'key',
      'fingerprint',
      'headers',
      'body',
      'created_at',
    ]),
    'bigint',
    ['bytes'],
  )
    .addPrimaryKeyConstraint('kept_answers_key', ['owner', 'key'])
    .execute();
}

async function createResources(db: Kysely<unknown>): Promise<void> {
  await resourceTable(db, 'skills', ['type', 'params', 'updated_at']).execute();

  await resourceTable(db, 'agents', ['settings', 'updated_at'])
    .addColumn('model_name', 'text')
    .addColumn('provider', 'text')
    .addColumn('prompt_template', 'text')
    .addColumn('model', 'text')
    .addColumn('data', 'text')
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

  await resourceTable(db, 'chatbots', ['settings', 'updated_at'])
    .addColumn('agent_id', 'text', (column) => column.references('agents.id').onDelete('set null'))
    .addColumn('model_name', 'text')
    .addColumn('database_name', 'text')
    .execute();
}

async function createModels(db: Kysely<unknown>): Promise<void> {
  await resourceTable(db, 'models', [])
    .addColumn('last_version', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('serving_version', 'integer')
    .execute();

  await texts(db.schema.createTable('model_versions'), ['status', 'task', 'target', 'updated_at'])
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('model_id', 'text', (column) =>
      column.notNull().references('models.id').onDelete('cascade'),
    )
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('progress', 'double precision', (column) => column.notNull().defaultTo(0))
    .addColumn('failure', 'text')
    .addColumn('row_count', 'integer', (column) => column.notNull())
    .addColumn('columns', 'text')
    .addColumn('metrics', 'text')
    .addColumn('classes', 'text')
    .addColumn('summary', 'text')
    .addColumn('training_seconds', 'double precision')
    .addColumn('checksum', 'text')
    .addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('claimed_by', 'text')
    .addColumn('claimed_until', 'bigint')
    .addUniqueConstraint('model_versions_number', ['model_id', 'version'])
    .execute();

  await db.schema
    .createTable('model_artifacts')
    .addColumn('version_id', 'text', (column) =>
      column.primaryKey().references('model_versions.id').onDelete('cascade'),
    )
    .addColumn('bytes', sql.raw(dialectOf(db).bytes), (column) => column.notNull())
    .execute();
}

async function createTrainingTables(db: Kysely<unknown>): Promise<void> {
  await texts(db.schema.createTable('training_tables'), ['owner'])
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version_id', 'text', (column) =>
      column.references('model_versions.id').onDelete('set null'),
    )
    .addColumn('parts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('upload_until', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('training_table_parts')
    .addColumn('table_id', 'text', (column) => column.notNull().references('training_tables.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('bytes', sql.raw(dialectOf(db).bytes), (column) => column.notNull())
    .addPrimaryKeyConstraint('training_table_parts_key', ['table_id', 'position'])
    .execute();
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.createIndex('projects_in_order').on('projects').columns(['owner', 'id']).execute();
  for (const table of ['skills', 'agents', 'chatbots', 'models']) {
    await schema.createIndex(`${table}_in_order`).on(table).columns(['project_id', 'id']).execute();
  }
  await schema.createIndex('agents_of_skill').on('agent_skills').column('skill_id').execute();
  await schema.createIndex('chatbots_of_agent').on('chatbots').column('agent_id').execute();
  await schema.createIndex('kept_answers_by_age').on('kept_answers').column('created_at').execute();
  const training = sql.lit('training');
  // A model trains one version at a time, even across instances.
  await schema
    .createIndex('one_training_a_model')
    .on('model_versions')
    .column('model_id')
    .unique()
    .where(sql.ref('status'), '=', training)
    .execute();
  await schema
    .createIndex('trainings_in_order')
    .on('model_versions')
    .column('id')
    .where(sql.ref('status'), '=', training)
    .execute();
  await schema
    .createIndex('training_tables_of_version')
    .on('training_tables')
    .column('version_id')
    .unique()
    .execute();
  await schema
    .createIndex('training_tables_without_training')
    .on('training_tables')
    .column('upload_until')
    .where(sql.ref('version_id'), 'is', null)
    .execute();
}

type TableBuilder = CreateTableBuilder<string, string>;

/**
 * Starts a table of resources that belong to a project, each with a name that is unique in the
 * project.
 */
function resourceTable(db: Kysely<unknown>, table: string, columns: readonly string[]) {
  return texts(db.schema.createTable(table), ['name', 'created_at', ...columns])
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addUniqueConstraint(`${table}_name`, ['project_id', 'name']);
}

/** Adds non-null text columns. */
function texts(table: TableBuilder, columns: readonly string[]): TableBuilder {
  return columns.reduce(
    (builder, name) => builder.addColumn(name, 'text', (column) => column.notNull()),
    table,
  );
}

/** Adds number columns that begin at 0. */
function counters(
  table: TableBuilder,
  type: 'integer' | 'bigint',
  columns: readonly string[],
): TableBuilder {
  return columns.reduce(
    (builder, name) => builder.addColumn(name, type, (column) => column.notNull().defaultTo(0)),
    table,
  );
}
