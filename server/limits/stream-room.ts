import type { RequestHandler } from 'express';
import { atClose } from '../contract/at-close.js';
import { unavailable } from '../contract/problems.js';
import { holdBack } from './hold-back.js';

/** In seconds: a stream takes longer than a prediction. */
const RETRY_AFTER = 5;

/**
 * Room for a bounded number of streams. Each keeps its place for as long as it lasts, and nobody waits:
 * how long that would take, nobody knows. With several owners, none has more than half of it.
 */
export function roomForStreams(atOnce: number): RequestHandler {
  const inside = new Map<string, number>();
  let taken = 0;
  return (req, res, next) => {
    const { caller } = res.locals;
    const owner = caller?.owner ?? '';
    const own = inside.get(owner) ?? 0;
    // Without keys there is nobody else to leave room for.
    const isFull = taken >= atOnce || (caller?.keyId && own >= atOnce / 2);
    if (isFull) {
      holdBack(req);
      throw unavailable(
        'The service answers as many streams as it takes on at once; try again in a moment.',
        RETRY_AFTER,
      );
    }
    const count = (by: 1 | -1) => {
      taken += by;
      const left = (inside.get(owner) ?? 0) + by;
      if (left === 0) inside.delete(owner);
      else inside.set(owner, left);
    };
    count(1);
    atClose(req, res, () => count(-1));
    next();
  };
}
