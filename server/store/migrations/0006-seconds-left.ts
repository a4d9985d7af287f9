import type { Kysely } from 'kysely';

/** Adds how long trainings still take. `schema.ts` explains the column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('model_versions').addColumn('seconds_left', 'integer').execute();
}
