import type { Request, RequestHandler, Response } from 'express';
import pLimit from 'p-limit';
import { problem } from '../contract/problems.js';
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

/**
 * Room for a bounded number of requests at work and a bounded number that wait, in the order in which they
 * came; what comes beyond is told at once to come back.
 */
export class Room {
  readonly #limit;
  readonly #capacity: Capacity;

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
    this.#limit = pLimit(capacity.atOnce);
  }

  /** Sends requests away while there is no room, before anything is read of their body. */
  readonly door: RequestHandler = (req, res, next) => {
    if (this.#isFull) throw this.#refusal(req, res);
    next();
  };

  /** Lets a request in when it is its turn; it leaves when its answer has closed. */
  readonly enter: RequestHandler = (req, res, next) => {
    if (this.#isFull) throw this.#refusal(req, res);
    this.#limit(
      () =>
        new Promise<void>((leave) => {
          // Whoever hung up while waiting for their turn has none.
          if (res.closed) return leave();
          res.once('close', leave);
          next();
        }),
    );
  };

  get #isFull(): boolean {
    const { atOnce, waiting } = this.#capacity;
    return this.#limit.activeCount >= atOnce && this.#limit.pendingCount >= waiting;
  }

  #refusal(req: Request, res: Response) {
    holdBack(req, res);
    return problem(
      '/problems/service-unavailable',
      `The service has as many ${this.#capacity.what} to do as it takes on at once; try again in a moment.`,
      {},
      { 'Retry-After': '1' },
    );
  }
}
