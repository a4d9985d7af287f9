import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Caller } from '../callers/caller.js';
import { atClose } from '../contract/at-close.js';
import { hasBody } from '../contract/has-body.js';
import { type ProblemError, unavailable } from '../contract/problems.js';
import { holdBack } from './hold-back.js';

/** How much is taken on at once. */
export interface Capacity {
  /** What is taken on, for the words of a refusal, such as "predictions". */
  readonly what: string;
  /** How many are worked on at once. */
  readonly atOnce: number;
  /** How many more may wait for their turn. */
  readonly waiting: number;
}

/** For how long a request has its place, in milliseconds. Longer takes, most often, only who sends slowly, which is no work. */
const LONGEST_WORK = 1_000;

/** How long a place is kept for a request whose body is on its way, in milliseconds. */
const SHORTEST_SENDING = 250;

/**
 * Room for a bounded number of requests at work and a bounded number that wait, in the order in which they
 * came; what comes beyond is told at once to come back. With several owners, none has more than half of it.
 */
export class Room {
  /** Those that wait for their turn. */
  readonly #waiting: (() => void)[] = [];
  #working = 0;
  readonly #capacity: Capacity;
  readonly #inside = new Map<string, number>();
  /** Gives up the place that is kept for a request until its body is there. */
  readonly #expected = new Map<Request, () => void>();

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
  }

  /**
   * Sends requests away while there is no room, before anything is read of their body. For one that may come
   * in a place is kept, for as long as a body takes that is sent at once.
   */
  readonly door: RequestHandler = (req, res, next) => {
    if (this.#isFullFor(res.locals.caller)) throw this.#sendAway(req);
    if (hasBody(req)) this.#expect(req, res);
    next();
  };

  /** Lets a request in when it is its turn; it leaves when its answer is out or waits for its reader, or after a time. */
  readonly enter: RequestHandler = (req, res, next) => {
    const { caller } = res.locals;
    this.#expected.get(req)?.();
    if (this.#isFullFor(caller)) throw this.#sendAway(req);
    const owner = caller?.owner ?? '';
    this.#count(owner, 1);
    const leave = () => {
      this.#count(owner, -1);
      this.#working -= 1;
      this.#waiting.shift()?.();
    };
    const begin = () => {
      this.#working += 1;
      // Whoever hung up while waiting for their turn has none.
      if (res.closed || req.socket.destroyed) leave();
      else work(req, res, next, leave);
    };
    if (this.#working < this.#capacity.atOnce) begin();
    else this.#waiting.push(begin);
  };

  /** The problem of a request that comes while there is no room for anyone. */
  get refusal(): ProblemError | undefined {
    return this.#isFull ? this.#problem() : undefined;
  }

  get #isFull(): boolean {
    const { atOnce, waiting } = this.#capacity;
    const taken = this.#working + this.#waiting.length + this.#expected.size;
    return taken >= atOnce + waiting;
  }

  #isFullFor(caller: Caller | undefined): boolean {
    if (this.#isFull) return true;
    // Without keys there is nobody else to leave room for.
    if (!caller?.keyId) return false;
    const { atOnce, waiting } = this.#capacity;
    return (this.#inside.get(caller.owner) ?? 0) >= (atOnce + waiting) / 2;
  }

  #expect(req: Request, res: Response): void {
    const giveUp = () => {
      clearTimeout(patience);
      this.#expected.delete(req);
    };
    const patience = setTimeout(giveUp, SHORTEST_SENDING);
    this.#expected.set(req, giveUp);
    atClose(req, res, giveUp);
  }

  #count(owner: string, by: 1 | -1): void {
    const inside = (this.#inside.get(owner) ?? 0) + by;
    if (inside === 0) this.#inside.delete(owner);
    else this.#inside.set(owner, inside);
  }

  #sendAway(req: Request): ProblemError {
    holdBack(req);
    return this.#problem();
  }

  #problem(): ProblemError {
    return unavailable(
      `The service has as many ${this.#capacity.what} to do as it takes on at once; try again in a moment.`,
    );
  }
}

/** Lets a request be worked on, until its answer is out, waits for its reader, or takes long. */
function work(req: Request, res: Response, next: NextFunction, leave: () => void): void {
  let isInside = true;
  const done = () => {
    if (!isInside) return;
    isInside = false;
    clearTimeout(patience);
    leave();
  };
  const patience = setTimeout(done, LONGEST_WORK);
  res.locals.onWaitingForReader = done;
  atClose(req, res, done);
  next();
}
