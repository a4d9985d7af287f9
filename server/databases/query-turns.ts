import { FairQueue } from '../common/fair-queue.js';

interface Waiting {
  readonly owner: string;
  /** Starts the query. Returns false if nobody waits for it any more. */
  readonly start: () => boolean;
}

/**
 * Limits the queries that run at once. Owners who wait take turns, and no owner gets the last place
 * while it has all others: slow queries of one owner do not use up the time of the others.
 */
export class QueryTurns {
  readonly #waiting = new FairQueue<Waiting>();
  readonly #running = new Map<string, number>();
  #places: number;
  readonly #maxPerOwner: number;

  /** @param maxAtOnce the most queries that run at once */
  constructor(maxAtOnce: number) {
    this.#places = maxAtOnce;
    this.#maxPerOwner = Math.max(1, maxAtOnce - 1);
  }

  /**
   * Runs a query when it is its turn.
   * @throws the reason of `signal` if it aborts before that
   */
  async run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(owner, signal);
    try {
      return await work();
    } finally {
      this.#leave(owner);
    }
  }

  #turn(owner: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      const start = () => {
        if (signal.aborted) return false;
        signal.removeEventListener('abort', giveUp);
        resolve();
        return true;
      };
      this.#waiting.add(owner, { owner, start });
      this.#startNext();
    });
  }

  #leave(owner: string): void {
    this.#places += 1;
    const running = this.#runningOf(owner) - 1;
    if (running === 0) this.#running.delete(owner);
    else this.#running.set(owner, running);
    this.#startNext();
  }

  #startNext(): void {
    while (this.#places > 0) {
      const next = this.#waiting.take((owner) => this.#runningOf(owner) < this.#maxPerOwner);
      if (next === undefined) return;
      if (!next.start()) continue;
      this.#places -= 1;
      this.#running.set(next.owner, this.#runningOf(next.owner) + 1);
    }
  }

  #runningOf(owner: string): number {
    return this.#running.get(owner) ?? 0;
  }
}
