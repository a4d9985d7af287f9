import type { Kysely } from 'kysely';
import type { Bounds } from './bounds.js';
import { dialectOf } from './database/dialect.js';
import type { Database } from './database/schema.js';
import { inTransaction } from './database/transaction.js';
import { adjustAnswers, recountAnswers } from './owner-quota.js';

/** The answer to a creation that may come again under the same key, which then gets it again. */
export interface KeptAnswer {
  /** Tells the request from another under the same key. */
  readonly fingerprint: string;
  readonly headers: { readonly ETag: string; readonly Location: string };
  readonly body: string;
}

/** What a kept answer takes beside its text, in bytes: its key, its fingerprint and its place in two indexes. */
const ROW = 512;

/** The answers that are kept under the keys that their callers chose, each owner's apart. */
export class AnswerStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly most: Bounds,
  ) {}

  /**
   * Takes a key for the rest of the transaction, within which this is called; tells whether nobody else has
   * it. On SQLite nobody can: transactions that write come one after the other.
   */
  claim(owner: string, key: string): Promise<boolean> {
    return dialectOf(this.db).tryLock(this.db, JSON.stringify(['kept_answers', owner, key]));
  }

  /** @param notBefore a moment in ISO 8601, UTC: an answer that was kept before it is outdated, and counts as none */
  async find(owner: string, key: string, notBefore: string): Promise<KeptAnswer | undefined> {
    const row = await this.db
      .selectFrom('kept_answers')
      .select(['fingerprint', 'headers', 'body'])
      .where('owner', '=', owner)
      .where('key', '=', key)
      .where('created_at', '>=', notBefore)
      .executeTakeFirst();
    return row && { ...row, headers: JSON.parse(row.headers) };
  }

  /**
   * Keeps an answer from now on, in place of one that is outdated.
   * @throws {LimitReachedError} if as much is kept for the owner as may be; the transaction is to be undone then
   */
  keep(owner: string, key: string, answer: KeptAnswer): Promise<void> {
    const { fingerprint, body } = answer;
    const headers = JSON.stringify(answer.headers);
    const bytes = ROW + Buffer.byteLength(headers) + Buffer.byteLength(body);
    const kept = { fingerprint, headers, body, bytes, created_at: new Date().toISOString() };
    return inTransaction(this.db, async (db) => {
      const outdated = await db
        .selectFrom('kept_answers')
        .select('bytes')
        .where('owner', '=', owner)
        .where('key', '=', key)
        .executeTakeFirst();
      await adjustAnswers(db, owner, bytes - Number(outdated?.bytes ?? 0), this.most.answers);
      await db
        .insertInto('kept_answers')
        .values({ owner, key, ...kept })
        .onConflict((conflict) => conflict.columns(['owner', 'key']).doUpdateSet(kept))
        .execute();
    });
  }

  /** Drops the answers that were kept before a moment; returns how many. */
  async forget(before: string): Promise<number> {
    const owners = await this.db
      .selectFrom('owner_storage')
      .select('owner')
      .where('answer_bytes', '>', 0)
      .execute();
    let dropped = 0;
    for (const { owner } of owners) dropped += await this.#forgetOf(owner, before);
    return dropped;
  }

  #forgetOf(owner: string, before: string): Promise<number> {
    return inTransaction(this.db, async (db) => {
      let dropped = 0;
      await recountAnswers(db, owner, async () => {
        const { numDeletedRows } = await db
          .deleteFrom('kept_answers')
          .where('owner', '=', owner)
          .where('created_at', '<', before)
          .executeTakeFirst();
        dropped = Number(numDeletedRows);
      });
      return dropped;
    });
  }
}
