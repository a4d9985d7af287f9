import type { Kysely } from 'kysely';
import type { Database } from '../store/database/schema.js';
import { adjustCounters } from '../store/quota/project-quota.js';
import { sizeOf } from '../store/quota/size.js';
import type { Key } from '../store/resource.js';

/**
 * Deletes a resource of a project, and everything that depends on it; returns whether it existed.
 */
export async function remove(
  db: Kysely<Database>,
  kind: 'skills' | 'agents' | 'chatbots',
  projectId: string,
  { column, value }: Key,
): Promise<boolean> {
  const found = await db
    .selectFrom(kind)
    .select('id')
    .where('project_id', '=', projectId)
    .where(column, '=', value)
    .executeTakeFirst();
  if (!found) return false;
  // Read first: the uses of a skill or an agent are deleted with it.
  const { bytes, uses } = await sizeOf(db, kind, found.id);
  await db.deleteFrom(kind).where('id', '=', found.id).execute();
  await adjustCounters(db, projectId, { [kind]: -1, bytes: -bytes, uses: -uses });
  return true;
}
