import { type Kysely, sql } from 'kysely';
import { getDialect } from '../database/dialect.js';

/**
 * Lets PostgreSQL use the room again that earlier forms of a growing batch of promises leave, within a minute or two:
 * by default, it would wait until a fifth of all batches have changed.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  if (!getDialect(db).locksRows) return;
  await sql`
    alter table promise_bytes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50)
  `.execute(db);
};
