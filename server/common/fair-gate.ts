import { Deadlines } from './deadlines.js';
import { unlessAborted } from './unless-aborted.js';

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

/** The limits of a gate whose work has a time, for {@link FairGate.runInTime}. */
export interface TimedLimits extends GateLimits {
  /** The longest time of a piece of work, its wait included, in milliseconds. */
  readonly timeoutMs: number;
  /** Creates the error for work that takes longer. */
  readonly late: (timeoutMs: number) => Error;
  /** Creates the error for work that the stop ends, or that comes after it. */
  readonly stopped: () => Error;
}

/** The pieces of work at a gate. */
export interface QueueLength {
  readonly running: number;
  readonly waiting: number;
}

/**
 * The longest time that a {@link Slot} is kept, in milliseconds. Longer work usually waits for a slow sender or reader,
 * and does not use the processor.
 */
const MAX_WORK_MS = 1_000;

/** The time for which room is reserved for work that is to come, in milliseconds. */
const RESERVATION_MS = 250;

/** Room for a piece of work that is to come. */
export interface Reservation {
  readonly owner: string;
}

/**
 * Limits the work that runs at once. Owners who wait take turns, and by default no owner gets the
 * last slot while it has all others: slow work of one owner does not use up the time of the others.
 */
export class FairGate<Limits extends GateLimits = GateLimits> {
  /** Callbacks that start work which already has its slot. */
  readonly #waiting = new FairQueue<() => void>();
  readonly #running = new Map<string, number>();
  readonly #slotsPerOwner: number;
  /** The most pieces of work that run, wait, or have a reservation, where the last are used. */
  readonly #room: number;
  /** The work of `runInTime` that has not ended, whether or not somebody waits for it. */
  readonly #timed = new Map<AbortController, Promise<unknown>>();
  /** The slots whose work goes on; those that take too long pause. */
  readonly working = new Deadlines<Slot>(MAX_WORK_MS, (slot) => slot.pause());
  /** The work that has room reserved, in the order in which it came, and the number by owner. */
  readonly #reservations = new Set<Reservation>();
  readonly #reserved = new Map<string, number>();
  readonly #arriving = new Deadlines<Reservation>(RESERVATION_MS, (reservation) => this.giveUp(reservation));
  #taken = 0;
  #isStopped = false;

  constructor(private readonly limits: Limits) {
    this.#slotsPerOwner = limits.slotsPerOwner ?? Math.max(1, limits.slots - 1);
    this.#room = limits.slots + limits.maxWaiting;
  }

  get length(): QueueLength {
    return { running: this.#taken, waiting: this.#waiting.size };
  }

  /**
   * Runs work when it is its owner's turn. A signal that aborts later is for the work.
   * @throws the error of `busy` if the work is refused
   * @throws the reason of `signal` if it aborts before the work begins, or what the work throws
   */
  async run<T>(owner: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    if (!this.tryEnter(owner)) await this.#wait(owner, signal);
    try {
      return await work();
    } finally {
      this.leave(owner);
    }
  }

  /**
   * Runs work as `run` does, for a limited time. It keeps its slot until it has ended, but nobody waits
   * for a database that is silent.
   * @param work gets a signal that aborts with the caller's, when the time is up, or at the stop
   * @param timeoutMs the longest time of this work
   * @throws the error of `busy`, `late` or `stopped`, the reason of `signal`, or what `work` throws
   */
  async runInTime<T>(
    this: FairGate<TimedLimits>,
    owner: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
    timeoutMs = this.limits.timeoutMs,
  ): Promise<T> {
    const { late, stopped } = this.limits;
    if (this.#isStopped) throw stopped();
    signal.throwIfAborted();
    const running = new AbortController();
    const timer = setTimeout(() => running.abort(late(timeoutMs)), timeoutMs);
    const forward = () => running.abort(signal.reason);
    // `AbortSignal.any` would do, but keeps what it made for as long as a source lives.
    signal.addEventListener('abort', forward);
    const result = this.run(owner, running.signal, () => work(running.signal));
    this.#timed.set(running, result);
    const end = () => this.#timed.delete(running);
    result.then(end, end);
    try {
      return await unlessAborted(result, running.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', forward);
    }
  }

  /** Ends the work of `runInTime`, and refuses other; resolves when all has ended. */
  async stop(this: FairGate<TimedLimits>): Promise<void> {
    this.#isStopped = true;
    for (const running of this.#timed.keys()) running.abort(this.limits.stopped());
    await Promise.allSettled(this.#timed.values());
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
    if (this.#waiting.size > 0) this.#waiting.take((next) => this.tryEnter(next))?.();
  }

  othersWait(owner: string): boolean {
    return this.#waiting.hasOthers(owner);
  }

  /** Reserves room for work that is to come, for a short time. */
  reserve(owner: string): Reservation {
    const reservation = { owner };
    this.#reserved.set(owner, (this.#reserved.get(owner) ?? 0) + 1);
    this.#reservations.add(reservation);
    this.#arriving.begin(reservation);
    return reservation;
  }

  /** Gives up a reservation, if it still holds. */
  giveUp(reservation: Reservation): void {
    if (!this.#reservations.delete(reservation)) return;
    this.#arriving.end(reservation);
    const { owner } = reservation;
    const left = (this.#reserved.get(owner) ?? 0) - 1;
    if (left === 0) this.#reserved.delete(owner);
    else this.#reserved.set(owner, left);
  }

  /**
   * Returns whether there is room for more work of an owner. The room is as many pieces as may run and wait, those with
   * a reservation included, and half of it for one owner. If there is none, a reservation of the owner who takes the
   * most yields to an owner who takes less, so that nobody can block others by announcing work.
   * @param isAlone true if there is no other owner, and no room to keep for others
   */
  makeRoom(owner: string, isAlone: boolean): boolean {
    if (isAlone) return this.#size < this.#room;
    const taken = this.#countWork(owner);
    if (taken >= this.#room / 2) return false;
    if (this.#size >= this.#room) {
      const largest = this.#findLargestReservation(taken);
      if (largest) this.giveUp(largest);
    }
    return this.#size < this.#room;
  }

  /** True if there is no room for any owner: no reservation may yield to another owner. */
  get isFull(): boolean {
    const [owner] = this.#reserved.keys();
    return this.#size >= this.#room && (owner === undefined || this.#countWork(owner) === this.#size);
  }

  /** Returns the oldest reservation of the owner who takes the most, if that is more than `taken`. */
  #findLargestReservation(taken: number): Reservation | undefined {
    let max = taken;
    let largest: Reservation | undefined;
    for (const reservation of this.#reservations) {
      const others = this.#countWork(reservation.owner);
      if (others <= max) continue;
      max = others;
      largest = reservation;
    }
    return largest;
  }

  /** The pieces of work that run, wait, or have a reservation. */
  get #size(): number {
    return this.#taken + this.#waiting.size + this.#reservations.size;
  }

  #countWork(owner: string): number {
    return (this.#running.get(owner) ?? 0) + this.#waiting.countWaiting(owner) + (this.#reserved.get(owner) ?? 0);
  }
}

/**
 * The slot of a piece of work, which can be given to others and taken again. The work has it until it ends, pauses, or
 * takes too long.
 */
export class Slot {
  #hasEnded = false;

  constructor(
    private readonly gate: FairGate,
    readonly owner: string,
  ) {}

  /** Takes the slot if one is free for the owner. */
  tryEnter(): boolean {
    const isFree = this.gate.tryEnter(this.owner);
    if (isFree) this.gate.working.begin(this);
    return isFree;
  }

  /** Resolves with the slot at the owner's turn, after `tryEnter` has found none; never if the work ends before. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.gate.enqueue(
        this.owner,
        soon(() => {
          this.#begin();
          if (!this.#hasEnded) resolve();
        }),
      );
    });
  }

  /** Takes the slot that the gate offers. */
  #begin(): void {
    if (this.#hasEnded) this.gate.leave(this.owner);
    else this.gate.working.begin(this);
  }

  /** Gives the slot to other work, until `letOthersWork` is called again. */
  pause(): void {
    if (this.gate.working.end(this)) this.gate.leave(this.owner);
  }

  end(): void {
    this.#hasEnded = true;
    this.pause();
  }

  /** Lets other work run. Returns a promise of the next slot, or undefined if this work may continue. */
  letOthersWork(): Promise<void> | undefined {
    const { gate, owner } = this;
    const hadSlot = this.gate.working.has(this);
    if (this.#hasEnded || (hadSlot && !gate.othersWait(owner))) return undefined;
    return new Promise((resolve) => {
      const goOn = () => {
        this.#begin();
        resolve();
      };
      this.gate.working.end(this);
      if (hadSlot) gate.requeue(owner, soon(goOn));
      else if (gate.tryEnter(owner)) goOn();
      else gate.enqueue(owner, soon(goOn));
    });
  }
}

/** Yields to the event loop before the next work begins, so that new connections are accepted however much waits. */
function soon(begin: () => void): () => void {
  return () => void setImmediate(begin);
}

/** A queue in which owners take turns, in the order in which they came; so do the items of each owner. */
export class FairQueue<T> {
  /** The number of items; nobody else sets it. */
  size = 0;
  readonly #byOwner = new Map<string, T[]>();

  add(owner: string, item: T): void {
    this.size += 1;
    const items = this.#byOwner.get(owner);
    if (items) items.push(item);
    else this.#byOwner.set(owner, [item]);
  }

  /** Returns an item to the queue after its turn: behind all other owners, and before its owner's other items. */
  requeue(owner: string, item: T): void {
    this.size += 1;
    const items = this.#byOwner.get(owner) ?? [];
    items.unshift(item);
    this.#byOwner.delete(owner);
    this.#byOwner.set(owner, items);
  }

  /**
   * Removes the next item; its owner's next item waits until all other owners have had a turn.
   * @param mayTake skips the owners for which it returns false
   */
  take(mayTake: (owner: string) => boolean = () => true): T | undefined {
    for (const [owner, items] of this.#byOwner) {
      if (!mayTake(owner)) continue;
      this.#byOwner.delete(owner);
      const item = items.shift();
      if (items.length > 0) this.#byOwner.set(owner, items);
      this.size -= 1;
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
    this.size -= 1;
  }

  countWaiting(owner: string): number {
    return this.#byOwner.get(owner)?.length ?? 0;
  }

  hasOthers(owner: string): boolean {
    return this.#byOwner.size > (this.#byOwner.has(owner) ? 1 : 0);
  }
}
