import { type Kysely, sql } from 'kysely';
import { getDialect } from '../database/dialect.js';

/**
 * Lets the few events of a key, of a resource, or that were refused be found among all others. The first two have no
 * `id`, which would make them twice as dear for each write.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  // The order of bytes has all that lies below an address in one place.
  const resource = getDialect(db).locksRows ? sql`resource collate "C"` : sql`resource`;
  await sql`create index audit_events_by_key on audit_events (key_id)`.execute(db);
  await sql`create index audit_events_by_resource on audit_events (${resource})`.execute(db);
  await sql`create index audit_events_refused on audit_events (id) where problem is not null`.execute(db);
};
