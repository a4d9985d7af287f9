import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
import { FairQueue } from '../../common/fair-queue.js';
import type { Throttle } from '../../edge/connections.js';
import { hasBody } from '../../edge/request.js';
import { onResponseClose, SendBufferLimit } from '../../edge/responses.js';
import { type ProblemError, unavailable } from '../../problems/problem.js';
import type { WorkTurn } from '../work-turn.js';

/** The number of requests that run or wait at once. */
export interface Capacity {
  /** The plural name of the requests, for the detail of a refusal, such as "predictions". */
  readonly what: string;
  /** The most requests that run at once. */
  readonly atOnce: number;
  /** The most requests that wait for their turn. */
  readonly waiting: number;
}

/**
 * The longest time that a request keeps its place, in milliseconds. A longer one usually waits for
 * a slow sender or reader, and does not use the processor.
 */
const MAX_WORK_MS = 1_000;

/** The time for which a place is reserved for a request whose body is arriving, in milliseconds. */
const RESERVATION_MS = 250;

/** A place that is reserved for a request until its body has arrived. */
interface Reservation {
  readonly owner: string;
  readonly giveUp: () => void;
}

/**
 * Limits the requests that run and wait; refuses all others at once. Owners take turns, and the
 * requests of one owner run in the order in which they came. A request that works in slices lets
 * other owners run between them. With several owners, none has more than half of the places,
 * including those reserved for arriving bodies. If all places are taken, a reservation of the owner
 * with the most places yields to an owner with fewer, so that nobody can block others by sending
 * only headers.
 */
export class ConcurrencyLimit {
  /** Callbacks that start or continue waiting requests. */
  readonly #waiting = new FairQueue<() => void>();
  #working = 0;
  readonly #places: number;
  /** The places of each owner: running, waiting, and reserved. */
  readonly #taken = new Map<string, number>();
  readonly #reservations = new Map<Request, Reservation>();

  constructor(
    private readonly capacity: Capacity,
    private readonly throttle: Throttle,
    readonly unread = new SendBufferLimit(),
  ) {
    this.#places = capacity.atOnce + capacity.waiting;
  }

  /**
   * Refuses a request without a free place, before its body is read. A request whose body is
   * arriving gets a reservation, which lasts as long as a body takes that is sent at once.
   */
  readonly reserve: RequestHandler = (req, res, next) => {
    this.#refuseWithoutPlace(req, res);
    if (hasBody(req)) this.#reserve(req, res);
    next();
  };

  /**
   * Runs a request when it is its turn. Its place is released when its response is sent or waits
   * for its reader, or after a time limit.
   */
  readonly run: RequestHandler = (req, res, next) => {
    this.#reservations.get(req)?.giveUp();
    this.#refuseWithoutPlace(req, res);
    const turn = new Turn(this, ownerOf(res.locals.caller));
    res.locals.turn = turn;
    onResponseClose(req, res, () => turn.end());
    this.enter(turn.owner, () => {
      // Do not work for a caller who disconnected while waiting.
      if (req.socket.destroyed) turn.end();
      if (turn.begin()) next();
    });
  };

  /** Calls back when a place is free. */
  enter(owner: string, begin: () => void): void {
    this.#count(owner, 1);
    if (this.#working >= this.capacity.atOnce) {
      this.#waiting.add(owner, begin);
      return;
    }
    this.#working += 1;
    begin();
  }

  /** Passes the place to the next waiting request, and calls back at the owner's next turn. */
  yieldPlace(owner: string, goOn: () => void): void {
    this.#count(owner, 1);
    this.#waiting.putBack(owner, goOn);
    this.leave(owner);
  }

  /** Releases a place, and passes it to the next waiting request. */
  leave(owner: string): void {
    this.#count(owner, -1);
    this.#working -= 1;
    const next = this.#waiting.take();
    if (!next) return;
    this.#working += 1;
    // Yields to the event loop between two requests, so that new connections are accepted however
    // many wait.
    setImmediate(next);
  }

  /** Returns whether another owner waits. */
  othersWait(owner: string): boolean {
    return this.#waiting.hasOthers(owner);
  }

  /** The problem of a request that arrives while no owner can get a place. */
  get refusal(): ProblemError | undefined {
    const mayYield = this.#reservations.size > 0 && this.#taken.size > 1;
    return this.#isFull && !mayYield ? this.#problem() : undefined;
  }

  get #isFull(): boolean {
    return this.#working + this.#waiting.size + this.#reservations.size >= this.#places;
  }

  #refuseWithoutPlace(req: Request, res: Response): void {
    const { caller } = res.locals;
    if (!this.#hasPlaceFor(caller)) {
      this.throttle(req, res, caller);
      throw this.#problem();
    }
  }

  #hasPlaceFor(caller: Caller | undefined): boolean {
    // Without keys there is only one owner, and no places to reserve for others.
    if (!caller?.key) return !this.#isFull;
    const taken = this.#taken.get(caller.owner) ?? 0;
    if (taken >= this.#places / 2) return false;
    if (this.#isFull) this.#largestReservation(taken)?.giveUp();
    return !this.#isFull;
  }

  /**
   * Returns the oldest reservation of the owner with the most places, if these are more than
   * `taken`.
   */
  #largestReservation(taken: number): Reservation | undefined {
    let most = taken;
    let largest: Reservation | undefined;
    for (const reservation of this.#reservations.values()) {
      const others = this.#taken.get(reservation.owner) ?? 0;
      if (others <= most) continue;
      most = others;
      largest = reservation;
    }
    return largest;
  }

  #reserve(req: Request, res: Response): void {
    const owner = ownerOf(res.locals.caller);
    const giveUp = () => {
      clearTimeout(clock);
      if (this.#reservations.delete(req)) this.#count(owner, -1);
    };
    const clock = setTimeout(giveUp, RESERVATION_MS);
    this.#count(owner, 1);
    this.#reservations.set(req, { owner, giveUp });
    onResponseClose(req, res, giveUp);
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

function ownerOf(caller: Caller | undefined): string {
  return caller?.owner ?? '';
}

/**
 * The work on a request. It proceeds only with a place, which it has until it ends, waits for its
 * reader, or exceeds the time limit.
 */
class Turn implements WorkTurn {
  #clock: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(
    private readonly limit: ConcurrencyLimit,
    readonly owner: string,
  ) {}

  /** Takes the place that the limit offers. Returns whether the work continues. */
  begin(): boolean {
    if (this.#hasEnded) this.limit.leave(this.owner);
    else this.#clock = setTimeout(() => this.pause(), MAX_WORK_MS);
    return !this.#hasEnded;
  }

  pause(): void {
    if (!this.#clock) return;
    clearTimeout(this.#clock);
    this.#clock = undefined;
    this.limit.leave(this.owner);
  }

  awaitReader(bytes: number, cutOff: () => void): () => void {
    return this.limit.unread.add(this.owner, bytes, cutOff);
  }

  end(): void {
    this.#hasEnded = true;
    this.pause();
  }

  letOthersWork(): Promise<void> | undefined {
    const hadPlace = this.#clock !== undefined;
    if (this.#hasEnded || (hadPlace && !this.limit.othersWait(this.owner))) return undefined;
    return new Promise((resolve) => {
      const goOn = () => {
        this.begin();
        resolve();
      };
      clearTimeout(this.#clock);
      this.#clock = undefined;
      if (hadPlace) this.limit.yieldPlace(this.owner, goOn);
      else this.limit.enter(this.owner, goOn);
    });
  }
}
