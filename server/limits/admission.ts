import type { RequestHandler } from 'express';
import pLimit from 'p-limit';
import { type ProblemError, problem } from '../contract/problems.js';

/** How much is taken on at once. */
export interface Room {
  /** What is taken on, for the words of a refusal, such as "predictions". */
  readonly what: string;
  /** How many are worked on at once. */
  readonly atOnce: number;
  /** How many more may wait for their turn. */
  readonly waiting: number;
}

/** Who comes in, and whether there is room. */
export interface Admission {
  readonly admit: RequestHandler;
  isFull(): boolean;
  /** What those are told for whom there is none. */
  refusal(): ProblemError;
}

/**
 * Lets a bounded number of requests work at once and a bounded number wait, in the order in which they
 * came; what comes beyond is told at once to come back, which costs next to nothing.
 */
export function admission({ what, atOnce, waiting }: Room): Admission {
  const limit = pLimit(atOnce);
  const isFull = () => limit.activeCount >= atOnce && limit.pendingCount >= waiting;
  const refusal = () =>
    problem(
      '/problems/service-unavailable',
      `The service has as many ${what} to do as it takes on at once; try again in a moment.`,
      {},
      { 'Retry-After': '1' },
    );
  const admit: RequestHandler = (_req, res, next) => {
    if (isFull()) throw refusal();
    limit(
      () =>
        new Promise<void>((done) => {
          // Whoever left while waiting for their turn has none.
          if (res.closed) return done();
          res.once('close', done);
          next();
        }),
    );
  };
  return { admit, isFull, refusal };
}
