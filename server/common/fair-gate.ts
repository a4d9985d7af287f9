import { FairQueue } from './fair-queue.js';

export interface GateLimits {
  /** The most pieces of work that run at once. */
  readonly slots: number;
  /** The most of these of one owner; one less than all by default, and at least 1. */
  readonly slotsPerOwner?: number;
  /** The most pieces of work of one owner that wait, and of all owners; no bound for all by default. */
  readonly maxWaiting: number;
  readonly maxWaitingInAll?: number;
  /** The longest wait, in milliseconds; by default, only the signal ends it. */
  readonly maxWaitMs?: number;
  /** Creates the error for refused work: too much of its owner waits, or it waited too long. */
  readonly busy: () => Error;
}

interface Waiting {
  readonly owner: string;
  readonly start: () => void;
}

/**
 * Limits the work that runs at once. Owners who wait take turns, and by default no owner gets the
 * last slot while it has all others: slow work of one owner does not use up the time of the others.
 */
export class FairGate {
  readonly #waiting = new FairQueue<Waiting>();
  readonly #running = new Map<string, number>();
  readonly #slotsPerOwner: number;
  #free: number;

  constructor(private readonly limits: GateLimits) {
    this.#free = limits.slots;
    this.#slotsPerOwner = limits.slotsPerOwner ?? Math.max(1, limits.slots - 1);
  }

  /**
   * Runs work when it is its owner's turn. A signal that aborts later is for the work.
   * @throws the error of `busy` if the work is refused
   * @throws the reason of `signal` if it aborts before the work begins, or what the work throws
   */
  async run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(owner, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Resolves when it is an owner's turn.
   * @returns the function that gives the slot back; a second call does nothing
   * @throws the error of `busy`, or the reason of `signal` if it aborts before
   */
  async enter(owner: string, signal: AbortSignal): Promise<() => void> {
    await this.#wait(owner, signal);
    let hasLeft = false;
    return () => {
      if (!hasLeft) this.#leave(owner);
      hasLeft = true;
    };
  }

  async #wait(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { maxWaiting, maxWaitingInAll, maxWaitMs, busy } = this.limits;
    if (this.#mayStart(owner)) {
      this.#start(owner);
      return;
    }
    const isFull = maxWaitingInAll !== undefined && this.#waiting.size >= maxWaitingInAll;
    if (isFull || this.#waiting.sizeOf(owner) >= maxWaiting) throw busy();
    await new Promise<void>((resolve, reject) => {
      const leaveQueue = (reason: unknown) => {
        this.#waiting.remove(owner, waiting);
        settle();
        reject(reason);
      };
      const abort = () => leaveQueue(signal.reason);
      const timer =
        maxWaitMs === undefined ? undefined : setTimeout(() => leaveQueue(busy()), maxWaitMs);
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      const start = () => {
        settle();
        resolve();
      };
      const waiting = { owner, start };
      signal.addEventListener('abort', abort);
      this.#waiting.add(owner, waiting);
    });
  }

  #leave(owner: string): void {
    this.#free += 1;
    const running = this.#runningOf(owner) - 1;
    if (running === 0) this.#running.delete(owner);
    else this.#running.set(owner, running);
    const next = this.#waiting.take((owner) => this.#mayStart(owner));
    if (!next) return;
    this.#start(next.owner);
    next.start();
  }

  #start(owner: string): void {
    this.#free -= 1;
    this.#running.set(owner, this.#runningOf(owner) + 1);
  }

  #mayStart(owner: string): boolean {
    return this.#free > 0 && this.#runningOf(owner) < this.#slotsPerOwner;
  }

  #runningOf(owner: string): number {
    return this.#running.get(owner) ?? 0;
  }
}
