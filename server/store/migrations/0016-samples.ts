import type { Kysely } from 'kysely';
import { getDialect } from '../database/dialect.js';

/** Adds a sample of the rows of a training, which later rows are compared with. `schema.ts` explains the column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { bytes } = getDialect(db);
  await db.schema.alterTable('model_artifacts').addColumn('sample', bytes).execute();
}
