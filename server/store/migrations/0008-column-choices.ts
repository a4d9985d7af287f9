import type { Kysely } from 'kysely';

/** Adds the uses of columns that trainings are told. `schema.ts` explains the column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('model_versions').addColumn('column_choices', 'text').execute();
}
