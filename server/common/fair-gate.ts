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
  /** Creates the error for refused work: too much of its owner waits, or it waited for so long. */
  readonly busy: (waitedMs?: number) => Error;
}

/** The pieces of work at a gate. */
export interface QueueLength {
  readonly running: number;
  readonly waiting: number;
}

/**
 * Limits the work that runs at once. Owners who wait take turns, and by default no owner gets the
 * last slot while it has all others: slow work of one owner does not use up the time of the others.
 */
export class FairGate {
  /** Callbacks that start work which already has its slot. */
  readonly #waiting = new FairQueue<() => void>();
  readonly #running = new Map<string, number>();
  readonly #slotsPerOwner: number;
  #taken = 0;

  constructor(private readonly limits: GateLimits) {
    this.#slotsPerOwner = limits.slotsPerOwner ?? Math.max(1, limits.slots - 1);
  }

  get length(): QueueLength {
    return { running: this.#taken, waiting: this.#waiting.size };
  }

  /** The number of pieces of work that run or wait. */
  get size(): number {
    return this.#taken + this.#waiting.size;
  }

  /**
   * Runs work when it is its owner's turn. A signal that aborts later is for the work.
   * @throws the error of `busy` if the work is refused
   * @throws the reason of `signal` if it aborts before the work begins, or what the work throws
   */
  async run<T>(owner: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
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
  async enter(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (!this.tryEnter(owner)) await this.#wait(owner, signal);
    let hasLeft = false;
    return () => {
      if (!hasLeft) this.leave(owner);
      hasLeft = true;
    };
  }

  async #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, maxWaitingInAll, maxWaitMs, busy } = this.limits;
    const isFull = maxWaitingInAll !== undefined && this.#waiting.size >= maxWaitingInAll;
    if (isFull || this.#waiting.countWaiting(owner) >= maxWaiting) throw busy();
    await new Promise<void>((resolve, reject) => {
      const leaveQueue = (reason: unknown) => {
        this.#waiting.remove(owner, start);
        settle();
        reject(reason);
      };
      const abort = () => leaveQueue(signal?.reason);
      const giveUp = () => leaveQueue(busy(maxWaitMs));
      const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const start = () => {
        settle();
        resolve();
      };
      signal?.addEventListener('abort', abort);
      this.enqueue(owner, start);
    });
  }

  /**
   * Takes a slot, if one is free for the owner. `leave` gives it back.
   * @param most the most slots of the owner
   */
  tryEnter(owner: string, most = this.#slotsPerOwner): boolean {
    const running = this.#running.get(owner) ?? 0;
    if (this.#taken >= this.limits.slots || running >= most) return false;
    this.#taken += 1;
    this.#running.set(owner, running + 1);
    return true;
  }

  /** Waits in the queue without a bound, after `tryEnter` has found no slot. Then calls back with a slot. */
  enqueue(owner: string, start: () => void): void {
    this.#waiting.add(owner, start);
  }

  /** Gives a slot to the next owner, and calls back with one at the owner's next turn. */
  requeue(owner: string, start: () => void): void {
    this.#waiting.requeue(owner, start);
    this.leave(owner);
  }

  /** Gives a slot back, and starts the work of the next owner. */
  leave(owner: string): void {
    this.#taken -= 1;
    const running = (this.#running.get(owner) ?? 0) - 1;
    if (running === 0) this.#running.delete(owner);
    else this.#running.set(owner, running);
    this.#waiting.take((next) => this.tryEnter(next))?.();
  }

  countWork(owner: string): number {
    return (this.#running.get(owner) ?? 0) + this.#waiting.countWaiting(owner);
  }

  othersWait(owner: string): boolean {
    return this.#waiting.hasOthers(owner);
  }
}

/**
 * A queue in which owners take turns, in the order in which they came; so do the items of each
 * owner.
 */
export class FairQueue<T> {
  readonly #byOwner = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: string, item: T): void {
    this.#size += 1;
    const items = this.#byOwner.get(owner);
    if (items) items.push(item);
    else this.#byOwner.set(owner, [item]);
  }

  /**
   * Returns an item to the queue after its turn: behind all other owners, and before its owner's
   * other items.
   */
  requeue(owner: string, item: T): void {
    this.#size += 1;
    const items = this.#byOwner.get(owner) ?? [];
    items.unshift(item);
    this.#byOwner.delete(owner);
    this.#byOwner.set(owner, items);
  }

  /**
   * Removes the next item; its owner's next item waits until all other owners have had a turn.
   * @param mayTake skips the owners for whom it returns false
   */
  take(mayTake: (owner: string) => boolean = () => true): T | undefined {
    for (const [owner, items] of this.#byOwner) {
      if (!mayTake(owner)) continue;
      this.#byOwner.delete(owner);
      const item = items.shift();
      if (items.length > 0) this.#byOwner.set(owner, items);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  remove(owner: string, item: T): void {
    const items = this.#byOwner.get(owner) ?? [];
    const index = items.indexOf(item);
    if (index === -1) return;
    items.splice(index, 1);
    if (items.length === 0) this.#byOwner.delete(owner);
    this.#size -= 1;
  }

  countWaiting(owner: string): number {
    return this.#byOwner.get(owner)?.length ?? 0;
  }

  hasOthers(owner: string): boolean {
    return this.#byOwner.size > (this.#byOwner.has(owner) ? 1 : 0);
  }
}
