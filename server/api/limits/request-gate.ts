import type { Request, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
import { FairGate } from '../../common/fair-gate.js';
import { onResponseClose, SendBufferLimit, type Throttle } from '../../edge/connections.js';
import { hasBody } from '../../edge/request.js';
import { type ProblemError, unavailable } from '../../problems/problem.js';
import type { WorkSlot } from '../work-slot.js';

/** The number of requests that run or wait at once. */
export interface Capacity {
  /** The plural name of the requests, for the detail of a refusal, such as "predictions". */
  readonly what: string;
  /** The most requests that run at once. */
  readonly atOnce: number;
  /** The most requests that wait for a slot. */
  readonly waiting: number;
}

/**
 * The longest time that a request keeps its slot, in milliseconds. A longer one usually waits for
 * a slow sender or reader, and does not use the processor.
 */
const MAX_WORK_MS = 1_000;

/** The time for which room is reserved for a request whose body is arriving, in milliseconds. */
const RESERVATION_MS = 250;

/** Room that is reserved for a request until its body has arrived. */
interface Reservation {
  readonly owner: string;
  readonly giveUp: () => void;
}

/**
 * Limits the requests that run and wait; refuses all others at once. Owners take turns, and the
 * requests of one owner run in the order in which they came. A request that works in slices lets
 * other owners run between them. With several owners, none has more than half of the room,
 * including what is reserved for arriving bodies. If there is no room, a reservation of the owner
 * who takes the most yields to an owner who takes less, so that nobody can block others by sending
 * only headers.
 */
export class RequestGate {
  readonly #gate: FairGate;
  readonly #room: number;
  /** The requests of each owner: running, waiting, and reserved. */
  readonly #taken = new Map<string, number>();
  readonly #reservations = new Map<Request, Reservation>();

  constructor(
    private readonly capacity: Capacity,
    private readonly throttle: Throttle,
    readonly unread = new SendBufferLimit(),
  ) {
    const { atOnce, waiting } = capacity;
    const busy = () => this.#problem();
    this.#gate = new FairGate({ slots: atOnce, slotsPerOwner: atOnce, maxWaiting: waiting, busy });
    this.#room = atOnce + waiting;
  }

  /**
   * Refuses a request for which there is no room, before its body is read. A request whose body is
   * arriving gets a reservation, which lasts as long as a body takes that is sent at once.
   * @throws {ProblemError}
   */
  reserve(req: Request, res: Response, caller: Caller): void {
    this.#refuseWithoutRoom(req, res, caller);
    if (!hasBody(req)) return;
    const { owner } = caller;
    const giveUp = () => {
      clearTimeout(clock);
      if (this.#reservations.delete(req)) this.#count(owner, -1);
    };
    const clock = setTimeout(giveUp, RESERVATION_MS);
    this.#count(owner, 1);
    this.#reservations.set(req, { owner, giveUp });
    onResponseClose(req, res, giveUp);
  }

  /**
   * Takes a slot for a request, until its response is sent or waits for its reader, or a time limit
   * is reached.
   * @returns undefined if there is a slot, else a promise of one; a caller who disconnects waits forever
   * @throws {ProblemError} if there is no room
   */
  enter(req: Request, res: Response, caller: Caller): Promise<void> | undefined {
    this.#reservations.get(req)?.giveUp();
    this.#refuseWithoutRoom(req, res, caller);
    const slot = new Slot(this, caller.owner);
    res.locals.slot = slot;
    onResponseClose(req, res, () => slot.end());
    if (this.take(caller.owner)) {
      // Do not work for a caller who disconnected while the body was read.
      if (req.socket.destroyed) slot.end();
      return slot.begin() ? undefined : new Promise(() => {});
    }
    return new Promise((resolve) => {
      this.enqueue(caller.owner, () => {
        if (req.socket.destroyed) slot.end();
        if (slot.begin()) resolve();
      });
    });
  }

  /** Takes a slot, if one is free. */
  take(owner: string): boolean {
    const isFree = this.#gate.tryEnter(owner);
    if (isFree) this.#count(owner, 1);
    return isFree;
  }

  /** Calls back with a slot, at the owner's turn. */
  enqueue(owner: string, begin: () => void): void {
    this.#count(owner, 1);
    this.#gate.enqueue(owner, soon(begin));
  }

  /** Passes the slot to the next waiting request, and calls back at the owner's next turn. */
  requeue(owner: string, goOn: () => void): void {
    this.#gate.requeue(owner, soon(goOn));
  }

  leave(owner: string): void {
    this.#count(owner, -1);
    this.#gate.leave(owner);
  }

  othersWait(owner: string): boolean {
    return this.#gate.othersWait(owner);
  }

  /** The problem of a request that arrives while there is no room for any owner. */
  get overloadProblem(): ProblemError | undefined {
    const mayYield = this.#reservations.size > 0 && this.#taken.size > 1;
    return this.#isFull && !mayYield ? this.#problem() : undefined;
  }

  get #isFull(): boolean {
    return this.#gate.size + this.#reservations.size >= this.#room;
  }

  #refuseWithoutRoom(req: Request, res: Response, caller: Caller): void {
    if (this.#hasRoomFor(caller)) return;
    this.throttle(req, res, caller);
    throw this.#problem();
  }

  #hasRoomFor({ owner, key }: Caller): boolean {
    // Without keys there is only one owner, and no room to reserve for others.
    if (!key) return !this.#isFull;
    const taken = this.#taken.get(owner) ?? 0;
    if (taken >= this.#room / 2) return false;
    if (this.#isFull) this.#largestReservation(taken)?.giveUp();
    return !this.#isFull;
  }

  /** Returns the oldest reservation of the owner who takes the most, if that is more than `taken`. */
  #largestReservation(taken: number): Reservation | undefined {
    let max = taken;
    let largest: Reservation | undefined;
    for (const reservation of this.#reservations.values()) {
      const others = this.#taken.get(reservation.owner) ?? 0;
      if (others <= max) continue;
      max = others;
      largest = reservation;
    }
    return largest;
  }

  #count(owner: string, by: 1 | -1): void {
    const taken = (this.#taken.get(owner) ?? 0) + by;
    if (taken === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, taken);
  }

  #problem(): ProblemError {
    return unavailable(
      `The service has as many ${this.capacity.what} to do as it takes on at once; try again in a moment.`,
    );
  }
}

/**
 * Yields to the event loop before the next request begins, so that new connections are accepted however many
 * wait.
 */
function soon(begin: () => void): () => void {
  return () => void setImmediate(begin);
}

/**
 * The slot of a request. The work on it proceeds only with one, which it has until it ends, waits for
 * its reader, or exceeds the time limit.
 */
class Slot implements WorkSlot {
  #clock: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(
    private readonly gate: RequestGate,
    readonly owner: string,
  ) {}

  /** Takes the slot that the gate offers. Returns whether the work continues. */
  begin(): boolean {
    if (this.#hasEnded) this.gate.leave(this.owner);
    else this.#clock = setTimeout(pauseSlot, MAX_WORK_MS, this);
    return !this.#hasEnded;
  }

  pause(): void {
    if (!this.#clock) return;
    clearTimeout(this.#clock);
    this.#clock = undefined;
    this.gate.leave(this.owner);
  }

  trackBackpressure(bytes: number, cutOff: () => void): () => void {
    return this.gate.unread.add(this.owner, bytes, cutOff);
  }

  end(): void {
    this.#hasEnded = true;
    this.pause();
  }

  letOthersWork(): Promise<void> | undefined {
    const hadSlot = this.#clock !== undefined;
    if (this.#hasEnded || (hadSlot && !this.gate.othersWait(this.owner))) return undefined;
    return new Promise((resolve) => {
      const goOn = () => {
        this.begin();
        resolve();
      };
      clearTimeout(this.#clock);
      this.#clock = undefined;
      if (hadSlot) this.gate.requeue(this.owner, goOn);
      else if (this.gate.take(this.owner)) goOn();
      else this.gate.enqueue(this.owner, goOn);
    });
  }
}

function pauseSlot(slot: Slot): void {
  slot.pause();
}
