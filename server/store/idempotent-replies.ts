import type { Selectable } from 'kysely';
import { getDialect, inTransaction } from './database/dialect.js';
import type { Database } from './database/schema.js';
import { ANSWER_ROWS, describeRows } from './forget-rows.js';
import type { Store } from './index.js';
import { adjustAnswers } from './quota.js';
import { writeMoment } from './rows.js';

/** The response to a creation, kept for requests that repeat its key. */
export interface KeptAnswer {
  /** Distinguishes the request from others with the same key. */
  readonly fingerprint: string;
  readonly headers: { readonly ETag: string; readonly Location: string };
  readonly body: string;
}

/** The size of a row without its texts, in bytes: its key, its fingerprint and two index entries. */
const ROW = 512;

/**
 * Claims a key for the rest of the current transaction; returns whether no other transaction
 * holds it. On SQLite it always succeeds, because write transactions run one after another.
 */
export function claimAnswer(store: Store, owner: string, key: string): Promise<boolean> {
  return getDialect(store.work).tryLock(store.work, JSON.stringify(['kept_answers', owner, key]));
}

/** @param notBefore a time in ISO 8601, UTC; an earlier response has expired, and is ignored */
export async function findAnswer(
  store: Store,
  owner: string,
  key: string,
  notBefore: string,
): Promise<KeptAnswer | undefined> {
  const row = await store.work
    .selectFrom('kept_answers')
    .select(['fingerprint', 'headers', 'body'])
    .where('owner', '=', owner)
    .where('key', '=', key)
    .where('created_at', '>=', notBefore)
    .executeTakeFirst();
  return row && { ...row, headers: JSON.parse(row.headers) };
}

/**
 * Finds the message of a conversation that an owner sent under a key.
 * @param notBefore a time in ISO 8601, UTC; the key of an earlier message has expired
 */
export function findKeyedMessage(
  { reads }: Store,
  owner: string,
  key: string,
  notBefore: string,
): Promise<Selectable<Database['messages']> | undefined> {
  return reads
    .selectFrom('messages')
    .selectAll()
    .where('key_owner', '=', owner)
    .where('idempotency_key', '=', key)
    .where('created_at', '>=', notBefore)
    .executeTakeFirst();
}

/**
 * Keeps a response, in place of an expired one.
 * @throws {ProblemError} if the owner's kept responses reach the limit; the transaction must be rolled back
 */
export function keepAnswer(store: Store, owner: string, key: string, answer: KeptAnswer): Promise<void> {
  const { fingerprint, body } = answer;
  const headers = JSON.stringify(answer.headers);
  const bytes = ROW + Buffer.byteLength(headers) + Buffer.byteLength(body);
  const kept = { fingerprint, headers, body, bytes, created_at: new Date().toISOString() };
  return inTransaction(store.work, async (db) => {
    const outdated = await db
      .selectFrom('kept_answers')
      .select('bytes')
      .where('owner', '=', owner)
      .where('key', '=', key)
      .executeTakeFirst();
    await adjustAnswers(db, owner, bytes - Number(outdated?.bytes ?? 0), store.limits.answers);
    await db
      .insertInto('kept_answers')
      .values({ owner, key, ...kept })
      .onConflict((conflict) => conflict.columns(['owner', 'key']).doUpdateSet(kept))
      .execute();
  });
}

/** Answers that are kept for repetitions. */
export const KEPT_ANSWERS = describeRows('kept_answers', {
  name: 'answers under an Idempotency-Key',
  key: ['owner', 'key'],
  since: 'created_at',
  writeTime: writeMoment,
  batch: 128,
  owned: ANSWER_ROWS,
});
