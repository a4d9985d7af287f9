import type { Kysely } from 'kysely';
import { dialectOf } from './database/dialect.js';
import { sql } from './database/kysely.js';
import type { Database } from './database/schema.js';
import { LimitReachedError } from './errors.js';

/** The counters of an owner: of everything but kept answers, and of those, in bytes. */
type Counter = 'bytes' | 'answer_bytes';

/**
 * Counts what a write adds to all that an owner stores, or takes off it. The owner's row stays locked until the
 * end of the transaction, so the count is exact; whoever calls this has locked the project, if it needs one.
 * @param by how many bytes more, or less, where it is below zero
 * @param most how many there may be; without it, and where there are less than before, nothing is refused
 * @throws {LimitReachedError} if there would be more; the transaction is to be undone then
 */
export async function adjustStored(
  db: Kysely<Database>,
  owner: string,
  by: number,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const bytes = await adjust(db, owner, 'bytes', by);
  if (by > 0 && bytes > most) throw new LimitReachedError('stored', most, bytes - by);
}

/**
 * Does the same for the answers that are kept for an owner.
 * @throws {LimitReachedError} if there would be more; the transaction is to be undone then
 */
export async function adjustAnswers(
  db: Kysely<Database>,
  owner: string,
  by: number,
  most: number,
): Promise<void> {
  const bytes = await adjust(db, owner, 'answer_bytes', by);
  if (by > 0 && bytes > most) throw new LimitReachedError('answers', most, bytes - by);
}

/**
 * Refuses early what would make an owner store more.
 * @throws {LimitReachedError} if the owner stores as much as may be
 */
export async function refuseFullOwner(
  db: Kysely<Database>,
  owner: string,
  most: number,
): Promise<void> {
  const row = await db
    .selectFrom('owner_storage')
    .select('bytes')
    .where('owner', '=', owner)
    .executeTakeFirst();
  const bytes = Number(row?.bytes ?? 0);
  if (bytes >= most) throw new LimitReachedError('stored', most, bytes);
}

/**
 * Locks the counters of an owner until the end of the transaction, and counts the kept answers anew.
 * @param change what changes them, after the lock
 */
export async function recountAnswers(
  db: Kysely<Database>,
  owner: string,
  change: () => Promise<void>,
): Promise<void> {
  await db
    .selectFrom('owner_storage')
    .select('owner')
    .where('owner', '=', owner)
    .$if(dialectOf(db).locksRows, (query) => query.forUpdate())
    .execute();
  await change();
  await db
    .updateTable('owner_storage')
    .set(({ selectFrom }) => ({
      answer_bytes: selectFrom('kept_answers')
        .select(sql<number>`coalesce(sum(bytes), 0)`.as('bytes'))
        .where('kept_answers.owner', '=', owner),
    }))
    .where('owner', '=', owner)
    .execute();
}

/** PostgreSQL gives large numbers as text. */
async function adjust(
  db: Kysely<Database>,
  owner: string,
  counter: Counter,
  by: number,
): Promise<number> {
  const row = await db
    .insertInto('owner_storage')
    .values({ owner, [counter]: by })
    .onConflict((conflict) =>
      conflict
        .column('owner')
        .doUpdateSet({ [counter]: sql`${sql.ref(`owner_storage.${counter}`)} + ${by}` }),
    )
    .returning(counter)
    .executeTakeFirstOrThrow();
  return Number(row[counter]);
}
