import type { Kysely } from 'kysely';
import { getDialect } from '../database/dialect.js';

/**
 * Adds the time that trainings still take, the units of targets, the chosen uses of columns, which new versions serve,
 * and how they compare with those that served. `schema.ts` explains the columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('model_versions').addColumn('seconds_left', 'integer').execute();
  for (const name of ['target_reading', 'column_choices', 'comparison']) {
    await schema.alterTable('model_versions').addColumn(name, 'text').execute();
  }
  await schema
    .alterTable('models')
    .addColumn('promotion', 'text', (column) => column.notNull().defaultTo('always'))
    .execute();
  await schema.alterTable('model_artifacts').addColumn('seen_rows', getDialect(db).bytes).execute();
}
