import type { RequestHandler } from 'express';
import pLimit from 'p-limit';
import { problem } from '../contract/problems.js';

/** How much is taken on at once. */
export interface Room {
  /** What is taken on, for the words of a refusal, such as "predictions". */
  readonly what: string;
  /** How many are worked on at once. */
  readonly atOnce: number;
  /** How many more may wait for their turn. */
  readonly waiting: number;
}

/**
 * Lets a bounded number of requests work at once and a bounded number wait, in the order in which they
 * came; what comes beyond is told at once to come back, which costs next to nothing.
 */
export function admission({ what, atOnce, waiting }: Room): RequestHandler {
  const limit = pLimit(atOnce);
  return (_req, res, next) => {
    if (limit.activeCount >= atOnce && limit.pendingCount >= waiting) {
      throw problem(
        '/problems/service-unavailable',
        `The service has as many ${what} to do as it takes on at once; try again in a moment.`,
        {},
        { 'Retry-After': '1' },
      );
    }
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
}
