import type { RequestHandler } from 'express';
import { atClose } from '../contract/at-close.js';
import { hasBody } from '../contract/has-body.js';
import { unavailable } from '../contract/problems.js';
import { holdBack } from './hold-back.js';

/**
 * Bounds the bytes of bodies that are held in memory at once, whoever sends them and however slowly. What
 * has arrived counts, not what was announced: a connection that sends nothing takes no room from others.
 * @param most in bytes
 */
export function boundBodyMemory(most: number): RequestHandler {
  let held = 0;
  return (req, res, next) => {
    if (!hasBody(req)) return next();
    let own = 0;
    const refuse = () => {
      holdBack(req);
      next(
        unavailable(
          'The service holds as many bodies as it takes on at once; try again in a moment.',
        ),
      );
    };
    const count = ({ length }: Buffer) => {
      own += length;
      held += length;
      if (held <= most) return;
      req.off('data', count);
      refuse();
    };
    atClose(req, res, () => {
      req.off('data', count);
      held -= own;
    });
    if (held > most) return refuse();
    next();
    // After whoever reads the body has begun to: listening earlier would let the first bytes pass by them.
    req.on('data', count);
  };
}
