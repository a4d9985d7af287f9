import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { getDialect } from './database/dialect.js';
import type { Database } from './database/schema.js';

/**
 * Returns the end of a lease that begins or is renewed now, by the clock of the database, which all instances share.
 */
export function leaseEnd(db: Kysely<Database>, leaseMs: number): RawBuilder<number> {
  return sql<number>`${getDialect(db).now} + cast(${leaseMs} as bigint)`;
}

/** No lease is longer. One that ends later was begun by a clock that has been set back since. */
const LONGEST_MS = 2 * 60 * 60 * 1000;

/**
 * Returns the condition that nobody has a lease of a row: it was released, or its holder crashed or
 * is cut off from the store, or the clock by which it ends is another by now.
 * @param column the end of the lease
 */
export function isUnleased(db: Kysely<Database>, column: 'claimed_until' | 'answering_until'): RawBuilder<SqlBool> {
  const until = sql.ref(column);
  const { now } = getDialect(db);
  return sql<SqlBool>`(${until} is null or ${until} < ${now} or ${until} > ${leaseEnd(db, LONGEST_MS)})`;
}

interface LeaseOptions<Claim> {
  readonly renewEveryMs: number;
  /** Renews the leases of claims in the store, and returns those that this instance still has. */
  readonly renew: (claims: readonly Claim[]) => Promise<readonly Claim[]>;
  /** Takes the error of a renewal. The lease should outlast several. */
  readonly onError: (error: unknown) => void;
}

/**
 * Renews the leases of the rows that this instance has claimed, all at once, so that many cost the
 * store no more than one.
 */
export class Leases<Claim> {
  readonly #held = new Map<Claim, AbortController | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(private readonly options: LeaseOptions<Claim>) {}

  /**
   * Renews the lease of a claim until `drop`.
   * @param lost aborted if the lease is lost: the row was deleted, or somebody else has it
   */
  hold(claim: Claim, lost?: AbortController): void {
    this.#held.set(claim, lost);
    this.#timer ??= setInterval(() => {
      this.#renewing ??= this.#renew();
    }, this.options.renewEveryMs).unref();
  }

  /** Ends the renewal of a claim. Resolves when no renewal is under way any more. */
  async drop(claim: Claim): Promise<void> {
    this.#held.delete(claim);
    if (this.#held.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    const claims = [...this.#held.keys()];
    try {
      const renewed = new Set(await this.options.renew(claims));
      for (const claim of claims) if (!renewed.has(claim)) this.#held.get(claim)?.abort();
    } catch (error) {
      this.options.onError(error);
    } finally {
      this.#renewing = undefined;
    }
  }
}
