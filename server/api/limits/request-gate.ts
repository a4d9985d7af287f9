import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
import { Deadlines } from '../../common/deadlines.js';
import { FairGate, type QueueLength } from '../../common/fair-gate.js';
import { onResponseClose, SendBufferLimit, type Throttle } from '../../edge/connections.js';
import { hasBody } from '../../edge/request.js';
import { type ProblemError, unavailable } from '../../problems/problem.js';

export interface Capacity {
  /** The plural name of the requests, for the detail of a refusal, such as "predictions". */
  readonly what: string;
  readonly atOnce: number;
  /** The most requests that wait for a slot. */
  readonly waiting: number;
}

/** The time for which room is reserved for a request whose body is arriving, in milliseconds. */
const RESERVATION_MS = 250;

/**
 * The longest time that a request keeps its slot, in milliseconds. A longer one usually waits for
 * a slow sender or reader, and does not use the processor.
 */
const MAX_WORK_MS = 1_000;

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
  /** The owners of requests whose bodies are arriving. */
  readonly #reservations = new Map<Request, string>();
  readonly #arriving = new Deadlines<Request>(RESERVATION_MS, (req) => this.#giveUp(req));
  readonly #working = new Deadlines<WorkSlot>(MAX_WORK_MS, (slot) => slot.pause());
  /** The number of reservations, by owner. */
  readonly #reserved = new Map<string, number>();

  constructor(
    private readonly capacity: Capacity,
    private readonly throttle: Throttle,
    private readonly unread = new SendBufferLimit(),
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
    this.#reserved.set(owner, (this.#reserved.get(owner) ?? 0) + 1);
    this.#reservations.set(req, owner);
    this.#arriving.begin(req);
    onResponseClose(req, res, () => this.#giveUp(req));
  }

  /** Gives up a reservation, if there is one. */
  #giveUp(req: Request): void {
    const owner = this.#reservations.get(req);
    if (owner === undefined) return;
    this.#reservations.delete(req);
    this.#arriving.end(req);
    const left = (this.#reserved.get(owner) ?? 0) - 1;
    if (left === 0) this.#reserved.delete(owner);
    else this.#reserved.set(owner, left);
  }

  /**
   * Takes a slot for a request, until its response is sent or waits for its reader, or a time limit
   * is reached.
   * @returns undefined if there is a slot, else a promise of one; a caller who disconnects waits forever
   * @throws {ProblemError} if there is no room
   */
  enter(req: Request, res: Response, caller: Caller): Promise<void> | undefined {
    this.#giveUp(req);
    this.#refuseWithoutRoom(req, res, caller);
    const slot = new WorkSlot(this.#gate, this.#working, caller.owner, this.unread);
    res.locals.slot = slot;
    onResponseClose(req, res, () => slot.end());
    // Do not work for a caller who disconnected while the body was read, or while waiting.
    const begin = () => {
      if (req.socket.destroyed) slot.end();
      return slot.begin();
    };
    if (this.#gate.tryEnter(caller.owner)) return begin() ? undefined : new Promise(() => {});
    return new Promise((resolve) => {
      this.#gate.enqueue(
        caller.owner,
        soon(() => {
          if (begin()) resolve();
        }),
      );
    });
  }

  get length(): QueueLength {
    return this.#gate.length;
  }

  /** The problem of a request that arrives while there is no room for any owner. */
  get overloadProblem(): ProblemError | undefined {
    return this.#isFull && !this.#mayYield ? this.#problem() : undefined;
  }

  get #isFull(): boolean {
    return this.#gate.size + this.#reservations.size >= this.#room;
  }

  /** True if there is a reservation, and another owner to whom it may yield. */
  get #mayYield(): boolean {
    const [owner] = this.#reserved.keys();
    return owner !== undefined && this.#countRequests(owner) < this.#gate.size + this.#reservations.size;
  }

  /** Returns the number of requests of an owner: running, waiting, and reserved. */
  #countRequests(owner: string): number {
    return this.#gate.countWork(owner) + (this.#reserved.get(owner) ?? 0);
  }

  #refuseWithoutRoom(req: Request, res: Response, caller: Caller): void {
    if (this.#hasRoomFor(caller)) return;
    this.throttle(req, res, caller);
    throw this.#problem();
  }

  #hasRoomFor(caller: Caller): boolean {
    // Without keys there is only one owner, and no room to reserve for others.
    if (caller.id === null) return !this.#isFull;
    const taken = this.#countRequests(caller.owner);
    if (taken >= this.#room / 2) return false;
    const largest = this.#isFull ? this.#findLargestReservation(taken) : undefined;
    if (largest) this.#giveUp(largest);
    return !this.#isFull;
  }

  /** Returns the oldest reservation of the owner who takes the most, if that is more than `taken`. */
  #findLargestReservation(taken: number): Request | undefined {
    let max = taken;
    let largest: Request | undefined;
    for (const [req, owner] of this.#reservations) {
      const others = this.#countRequests(owner);
      if (others <= max) continue;
      max = others;
      largest = req;
    }
    return largest;
  }

  #problem(): ProblemError {
    return unavailable(
      `The service has as many ${this.capacity.what} to do as it takes on at once; try again in a moment.`,
    );
  }
}

/**
 * The slot of a request. The work on it proceeds only with one, which it has until it ends, waits for
 * its reader, or exceeds the time limit.
 */
export class WorkSlot {
  #hasEnded = false;

  constructor(
    private readonly gate: FairGate,
    /** The slots that work; those that take too long pause. */
    private readonly working: Deadlines<WorkSlot>,
    readonly owner: string,
    readonly unread: SendBufferLimit,
  ) {}

  /** Takes the slot that the gate offers; returns whether the work continues. */
  begin(): boolean {
    if (this.#hasEnded) this.gate.leave(this.owner);
    else this.working.begin(this);
    return !this.#hasEnded;
  }

  /** Gives the slot to other requests, until `letOthersWork` is called again. */
  pause(): void {
    if (this.working.end(this)) this.gate.leave(this.owner);
  }

  end(): void {
    this.#hasEnded = true;
    this.pause();
  }

  /**
   * Lets other requests work. Returns a promise of the next slot, or undefined if this request may
   * continue.
   */
  letOthersWork(): Promise<void> | undefined {
    const { gate, owner } = this;
    const hadSlot = this.working.has(this);
    if (this.#hasEnded || (hadSlot && !gate.othersWait(owner))) return undefined;
    return new Promise((resolve) => {
      const goOn = () => {
        this.begin();
        resolve();
      };
      this.working.end(this);
      if (hadSlot) gate.requeue(owner, soon(goOn));
      else if (gate.tryEnter(owner)) goOn();
      else gate.enqueue(owner, soon(goOn));
    });
  }
}

/**
 * Yields to the event loop before the next request begins, so that new connections are accepted however many
 * wait.
 */
function soon(begin: () => void): () => void {
  return () => void setImmediate(begin);
}

/** Yields between two slices of the work on a request, to the event loop and to other requests. */
export async function pauseWork({ locals }: Response): Promise<void> {
  await nextTurn();
  await locals.slot?.letOthersWork();
}
