import type { Kysely } from 'kysely';
import { dialectOf } from '../database/dialect.js';
import { sql } from '../database/kysely.js';

/** Projects of several owners, their keys, the answers that are kept for them, and who runs a training. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await (dialectOf(db).bytes === 'blob' ? rebuildProjects(db) : alterProjects(db));
  await countWhatProjectsHold(db);
  await db.schema
    .createIndex('projects_in_order')
    .on('projects')
    .columns(['owner', 'id'])
    .execute();
  await createKeys(db);
  await createAnswers(db);
  await addClaims(db);
  await dialectOf(db).checkReferences(db);
}

const KINDS = ['skills', 'agents', 'chatbots', 'models'];
const LONG_TEXT = [
  ['skills', ['params']],
  ['agents', ['prompt_template', 'model', 'data', 'settings']],
  ['chatbots', ['settings']],
] as const;

/**
 * SQLite cannot drop the constraint that a name is unique: the table is made anew, in the order that keeps
 * what refers to it (https://www.sqlite.org/lang_altertable.html#otheralter). Foreign keys are not enforced
 * while migrations run.
 */
async function rebuildProjects(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('new_projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('skills', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('agents', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('chatbots', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('models', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('bytes', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('uses', 'integer', (column) => column.notNull().defaultTo(0))
    .addUniqueConstraint('projects_name', ['owner', 'name'])
    .execute();
  await sql`insert into new_projects (id, owner, name, created_at)
    select id, 'local', name, created_at from projects`.execute(db);
  await db.schema.dropTable('projects').execute();
  await db.schema.alterTable('new_projects').renameTo('projects').execute();
}

async function alterProjects(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('projects')
    .addColumn('owner', 'text', (column) => column.notNull().defaultTo('local'))
    .addColumn('skills', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('agents', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('chatbots', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('models', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('bytes', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('uses', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('projects')
    .alterColumn('owner', (column) => column.dropDefault())
    .execute();
  await db.schema.alterTable('projects').dropConstraint('projects_name_key').execute();
  await db.schema
    .alterTable('projects')
    .addUniqueConstraint('projects_name', ['owner', 'name'])
    .execute();
}

async function countWhatProjectsHold(db: Kysely<unknown>): Promise<void> {
  for (const kind of KINDS) {
    await sql`update projects set ${sql.ref(kind)} =
      (select count(*) from ${sql.table(kind)} as held where held.project_id = projects.id)`.execute(
      db,
    );
  }
  await sql`update projects set uses =
    (select count(*) from agent_skills
      join agents on agents.id = agent_skills.agent_id where agents.project_id = projects.id)`.execute(
    db,
  );
  for (const [kind, columns] of LONG_TEXT) {
    for (const column of columns) {
      await sql`update projects set bytes = bytes +
        (select coalesce(sum(${dialectOf(db).octets(column)}), 0)
          from ${sql.table(kind)} as held where held.project_id = projects.id)`.execute(db);
    }
  }
}

async function createKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .addColumn('last_used_at', 'text')
    .execute();
}

async function createAnswers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('kept_answers')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('headers', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('kept_answers_key', ['owner', 'key'])
    .execute();
  await db.schema
    .createIndex('kept_answers_by_age')
    .on('kept_answers')
    .column('created_at')
    .execute();
}

async function addClaims(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('model_versions').addColumn('claimed_by', 'text').execute();
  await db.schema.alterTable('model_versions').addColumn('claimed_until', 'bigint').execute();
  await db.schema
    .createIndex('trainings_in_order')
    .on('model_versions')
    .column('id')
    .where(sql.ref('status'), '=', sql.lit('training'))
    .execute();
}
