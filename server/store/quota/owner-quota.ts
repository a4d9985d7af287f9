import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../database/dialect.js';
import type { Database } from '../database/schema.js';
import { LimitReachedError } from '../errors.js';

/** The counters of an owner, in bytes: of kept responses, and of everything else. */
type Counter = 'bytes' | 'answer_bytes';

/**
 * Adds the change of a write to an owner's stored bytes. The owner's row stays locked until the end
 * of the transaction, so the count is exact. A caller that needs the lock of the project takes it
 * first.
 * @param by the bytes added; negative if removed
 * @param most the limit; without it, or if bytes are removed, nothing is refused
 * @throws {LimitReachedError} if the limit would be exceeded; the transaction must be rolled back
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
 * Does the same for the kept responses of an owner.
 * @throws {LimitReachedError} if the limit would be exceeded; the transaction must be rolled back
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
 * Refuses a write early if the owner is already at the limit.
 * @throws {LimitReachedError} if the owner stores as much as allowed
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
 * Locks the counters of an owner until the end of the transaction, and recounts the kept responses.
 * @param change changes the responses, after the lock
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

/** PostgreSQL returns large numbers as strings. */
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
