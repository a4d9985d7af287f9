import { type Kysely, sql } from 'kysely';
import { getDialect } from '../database/dialect.js';

/**
 * Keeps what a growing batch of promises takes on PostgreSQL near what it holds. With half of each page free for changes,
 * its earlier forms give way at once to the next one, in the same page; what is left is used again within a minute or
 * two. By default, a page had one batch, until a fifth of all batches had changed.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  if (!getDialect(db).locksRows) return;
  await sql`
    alter table promise_bytes
      set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50)
  `.execute(db);
};
