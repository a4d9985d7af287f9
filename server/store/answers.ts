import type { Kysely } from 'kysely';
import { dialectOf } from './dialect.js';
import type { Database } from './schema.js';

/** The answer to a creation that may come again under the same key, which then gets it again. */
export interface KeptAnswer {
  /** Tells the request from another under the same key. */
  readonly fingerprint: string;
  readonly headers: { readonly ETag: string; readonly Location: string };
  readonly body: string;
}

/** The answers that are kept under the keys that their callers chose, each owner's apart. */
export class AnswerStore {
  constructor(private readonly db: Kysely<Database>) {}

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

  /** Keeps an answer from now on, in place of one that is outdated. */
  async keep(owner: string, key: string, answer: KeptAnswer): Promise<void> {
    const { fingerprint, headers, body } = answer;
    const kept = {
      fingerprint,
      headers: JSON.stringify(headers),
      body,
      created_at: new Date().toISOString(),
    };
    await this.db
      .insertInto('kept_answers')
      .values({ owner, key, ...kept })
      .onConflict((conflict) => conflict.columns(['owner', 'key']).doUpdateSet(kept))
      .execute();
  }

  /** Drops the answers that were kept before a moment; tells how many. */
  async forget(before: string): Promise<number> {
    const { numDeletedRows } = await this.db
      .deleteFrom('kept_answers')
      .where('created_at', '<', before)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}
