import type { Kysely } from 'kysely';

/** Adds what versions of models forecast. `schema.ts` explains the column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('model_versions').addColumn('forecast', 'text').execute();
}
