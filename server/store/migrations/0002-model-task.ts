import type { Kysely } from 'kysely';

/** What a version predicts, and what is told of it beside its metrics. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = [
    (table: ReturnType<typeof alter>) =>
      table.addColumn('task', 'text', (column) => column.notNull().defaultTo('regression')),
    (table: ReturnType<typeof alter>) => table.addColumn('classes', 'text'),
    (table: ReturnType<typeof alter>) => table.addColumn('summary', 'text'),
    (table: ReturnType<typeof alter>) => table.addColumn('training_seconds', 'double precision'),
  ];
  // SQLite adds one column at a time.
  for (const add of columns) await add(alter(db)).execute();
}

function alter(db: Kysely<unknown>) {
  return db.schema.alterTable('model_versions');
}
