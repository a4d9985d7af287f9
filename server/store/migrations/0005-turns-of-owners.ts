import type { Kysely } from 'kysely';

/** When a training of each owner was taken up last, so that owners take turns. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('owner_storage')
    .addColumn('trained_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
