import type { Kysely } from 'kysely';
import { count } from './held.js';
import type { Key } from './resource.js';
import type { Database } from './schema.js';

/** Deletes a resource of a project, with what the tables say goes with it; tells whether there was one. */
export async function remove(
  db: Kysely<Database>,
  kind: 'skills' | 'agents' | 'chatbots',
  projectId: string,
  { column, value }: Key,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom(kind)
    .where('project_id', '=', projectId)
    .where(column, '=', value)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await count(db, kind, projectId, -1);
  return true;
}
