import type { Kysely } from 'kysely';

/** Adds which new versions of models serve. `schema.ts` explains the column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('models')
    .addColumn('promotion', 'text', (column) => column.notNull().defaultTo('always'))
    .execute();
}
