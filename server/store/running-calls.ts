import { v7 as uuidv7 } from 'uuid';
import { getDialect } from './database/dialect.js';
import { describeRows } from './forget-rows.js';
import type { Store } from './index.js';

/** Returns whether other instances may use the store, so that a call has to be noted in it. */
export function isShared({ work }: Store): boolean {
  return getDialect(work).locksRows;
}

/**
 * Notes a call that runs.
 * @param name the hash of what identifies the call
 * @returns the id of the note
 */
export async function noteCall({ work }: Store, name: string): Promise<string> {
  const id = uuidv7();
  await work
    .insertInto('running_calls')
    .values({ id, name, began_at: getDialect(work).now })
    .execute();
  return id;
}

export async function deleteCall({ work }: Store, id: string): Promise<void> {
  await work.deleteFrom('running_calls').where('id', '=', id).execute();
}

/** Marks the calls of a name as cancelled; nothing is kept of a name that does not run. */
export async function markCancelled({ work }: Store, name: string): Promise<void> {
  await work
    .updateTable('running_calls')
    .set({ cancelled_at: getDialect(work).now })
    .where('name', '=', name)
    .where('cancelled_at', 'is', null)
    .execute();
}

/** Returns those of some calls that are marked as cancelled. */
export async function findCancelled({ keyReads }: Store, ids: readonly string[]): Promise<string[]> {
  const rows = await keyReads
    .selectFrom('running_calls')
    .select('id')
    .where('id', 'in', ids)
    .where('cancelled_at', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Calls whose instance was killed. */
export const RUNNING_CALLS = describeRows('running_calls', {
  name: 'notes of calls',
  key: ['id'],
  since: 'began_at',
  batch: 1000,
});
