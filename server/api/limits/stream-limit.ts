import type { RequestHandler } from 'express';
import type { Throttle } from '../../edge/connections.js';
import { onResponseClose } from '../../edge/responses.js';
import { unavailable } from '../../problems/problem.js';

/** The wait before a retry, in seconds: a stream takes longer than a prediction. */
const RETRY_AFTER = 5;

/**
 * Limits the streams at once. A stream keeps its place until it ends, and no stream waits for one,
 * because nobody knows for how long. With several owners, none has more than half of the places.
 */
export function limitStreams(what: string, atOnce: number, throttle: Throttle): RequestHandler {
  const byOwner = new Map<string, number>();
  let taken = 0;
  return (req, res, next) => {
    const { caller } = res.locals;
    const owner = caller?.owner ?? '';
    const own = byOwner.get(owner) ?? 0;
    // Without keys there is only one owner, and no places to reserve for others.
    const isFull = taken >= atOnce || (caller?.key && own >= atOnce / 2);
    if (isFull) {
      throttle(req, res, caller);
      throw unavailable(
        `The service has as many ${what} as it takes on at once; try again in a moment.`,
        RETRY_AFTER,
      );
    }
    const count = (by: 1 | -1) => {
      taken += by;
      const left = (byOwner.get(owner) ?? 0) + by;
      if (left === 0) byOwner.delete(owner);
      else byOwner.set(owner, left);
    };
    count(1);
    onResponseClose(req, res, () => count(-1));
    next();
  };
}
