import { StoreBusyError } from './unavailable.js';

/** The most work that waits for one key. */
export interface WaitingLimits {
  readonly count: number;
  /** In milliseconds. */
  readonly time: number;
}

const LIMITS: WaitingLimits = { count: 256, time: 5000 };

/**
 * Runs work under one key in the order in which it came, one after the other; under different keys at once.
 * Refuses work before it begins if too much waits already, or if it has waited too long.
 */
export class KeyedMutex {
  /** Of each key that is locked, those who wait for it, in order. */
  readonly #lines = new Map<string, Set<() => void>>();

  constructor(private readonly limits = LIMITS) {}

  /** @throws {StoreBusyError} if the work was refused; or what the work throws */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.#lock(key);
    try {
      return await work();
    } finally {
      this.#unlock(key);
    }
  }

  #lock(key: string): Promise<void> | undefined {
    const line = this.#lines.get(key);
    if (!line) {
      this.#lines.set(key, new Set());
      return undefined;
    }
    const { count, time } = this.limits;
    if (line.size >= count) {
      throw new StoreBusyError(`${count} writes wait for their turn already; try again later.`);
    }
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        line.delete(begin);
        const waited = `The write waited ${time / 1000} seconds for its turn`;
        reject(new StoreBusyError(`${waited}; try again later.`));
      }, time);
      const begin = () => {
        clearTimeout(giveUp);
        resolve();
      };
      line.add(begin);
    });
  }

  #unlock(key: string): void {
    const line = this.#lines.get(key);
    const [next] = line ?? [];
    if (!line || !next) {
      this.#lines.delete(key);
      return;
    }
    line.delete(next);
    next();
  }
}
