import type { Kysely } from 'kysely';
import { dialectOf } from '../database/dialect.js';

/**
 * Adds how versions compare with those that served, and which rows each was trained on. `schema.ts` explains the
 * columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('model_versions').addColumn('comparison', 'text').execute();
  await db.schema
    .alterTable('model_artifacts')
    .addColumn('seen_rows', dialectOf(db).bytes)
    .execute();
}
