import type { Kysely } from 'kysely';
import { getDialect } from './database/dialect.js';
import type { Database } from './database/schema.js';

export const DAY_MS = 24 * 60 * 60 * 1000;

const HOUR_MS = 60 * 60 * 1000;

/**
 * Reads the clock of the database for a sweep that deletes by age. If the clock jumps ahead by more than an hour while
 * the process runs, it is not trusted for a day, in which it can be set right.
 */
export class ClockWatch {
  /** By how much the clock is ahead of `elapsed`. */
  #ahead: number | undefined;
  #trustedFrom = Number.NEGATIVE_INFINITY;

  /** @param elapsed returns the milliseconds that have passed for the process, whatever the clocks say */
  constructor(private readonly elapsed: () => number = () => performance.now()) {}

  /** Returns the time in milliseconds; undefined while the clock is not trusted. */
  async read(db: Kysely<Database>): Promise<number | undefined> {
    const row = await db.selectNoFrom(getDialect(db).now.as('now')).executeTakeFirstOrThrow();
    const now = Number(row.now);
    const elapsed = this.elapsed();
    const ahead = now - elapsed;
    const jump = ahead - (this.#ahead ?? ahead);
    this.#ahead = ahead;
    if (jump > HOUR_MS) this.#trustedFrom = elapsed + DAY_MS;
    else if (jump < -HOUR_MS) this.#trustedFrom = Number.NEGATIVE_INFINITY;
    return elapsed < this.#trustedFrom ? undefined : now;
  }
}
