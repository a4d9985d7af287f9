import type { Kysely } from 'kysely';
import { dialectOf } from '../database/dialect.js';
import { sql } from '../database/kysely.js';

/** How much each owner stores: counted in one row an owner, and with what is taken off it when something goes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('owner_storage')
    .addColumn('owner', 'text', (column) => column.primaryKey())
    .addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('answer_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  for (const table of ['model_versions', 'training_tables', 'kept_answers']) {
    await db.schema
      .alterTable(table)
      .addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  }
  await db.schema.alterTable('training_tables').addColumn('owner', 'text').execute();
  await countWhatIsStored(db);
}

async function countWhatIsStored(db: Kysely<unknown>): Promise<void> {
  await sql`update model_versions set bytes = coalesce(
    (select octet_length(bytes) from model_artifacts where version_id = model_versions.id), 0)`.execute(
    db,
  );
  await sql`update training_tables set
    owner = (select projects.owner from model_versions
      join models on models.id = model_versions.model_id
      join projects on projects.id = models.project_id
      where model_versions.id = training_tables.version_id),
    bytes = coalesce(
      (select sum(octet_length(part.bytes)) from training_table_parts as part
        where part.table_id = training_tables.id), 0)`.execute(db);
  const { octets } = dialectOf(db);
  await sql`update kept_answers set bytes = 512 + ${octets('body')} + ${octets('headers')}`.execute(
    db,
  );
  await sql`insert into owner_storage (owner, bytes, answer_bytes)
    select owner, sum(bytes), sum(answer_bytes) from (
      select owner, bytes, 0 as answer_bytes from projects
      union all
      select projects.owner, model_versions.bytes, 0 from model_versions
        join models on models.id = model_versions.model_id
        join projects on projects.id = models.project_id
      union all
      select owner, bytes, 0 from training_tables where owner is not null
      union all
      select owner, 0, bytes from kept_answers
    ) as stored group by owner`.execute(db);
}
