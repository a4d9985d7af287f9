import type { Kysely } from 'kysely';

/** Adds the queries from which versions of models were trained. `schema.ts` explains the columns. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('model_versions').addColumn('source_database', 'text').execute();
  await schema.alterTable('model_versions').addColumn('source_query', 'text').execute();
}
