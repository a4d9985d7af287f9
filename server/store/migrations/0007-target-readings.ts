import type { Kysely } from 'kysely';

/** Adds the units of targets. `schema.ts` explains the column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('model_versions').addColumn('target_reading', 'text').execute();
}
