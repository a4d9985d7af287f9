import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { problem } from '../contract/problems.js';
import { holdBack } from './hold-back.js';

/** In seconds. */
const WINDOW = 60;

/**
 * Bounds the requests that a key sends to this instance in a minute, and tells how many are left in the
 * headers `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-08). Without keys
 * there is one local caller, who is not limited.
 * @param most how many; 0 for no limit
 */
export function limitRate(most: number): RequestHandler[] {
  if (most === 0) return [];
  return [
    rateLimit({
      windowMs: WINDOW * 1000,
      limit: most,
      standardHeaders: 'draft-8',
      legacyHeaders: false,
      identifier: 'key',
      keyGenerator: (_req, res) => res.locals.caller?.keyId ?? '',
      skip: (_req, res) => !res.locals.caller?.keyId,
      handler: (req, res, next) => {
        holdBack(req);
        const seconds = Number(res.get('Retry-After') ?? WINDOW);
        next(
          problem(
            '/problems/too-many-requests',
            `The key has sent ${most} requests within ${WINDOW} seconds, the most that it may; try again in ${seconds} seconds.`,
          ),
        );
      },
    }),
  ];
}
