import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { problem } from '../contract/problems.js';
import { holdBack } from './hold-back.js';

/** In seconds. */
const WINDOW = 60;

/** How many keys' names are remembered at the same time. */
const MOST_KEYS = 10_000;

/**
 * Bounds the requests that a key sends to this instance in a minute, and tells how many are left in the
 * headers `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-08). Without keys
 * there is one local caller, who is not limited.
 * @param most how many; 0 for no limit
 */
export function limitRate(most: number): RequestHandler[] {
  if (most === 0) return [];
  const limiter = new RateLimiterMemory({ points: most, duration: WINDOW });
  const policies = new LRUCache<string, string>({ max: MOST_KEYS, memoMethod: policyOf(most) });
  return [
    async (req, res, next) => {
      const keyId = res.locals.caller?.keyId;
      if (!keyId) return next();
      // One point is taken, be there any left or not.
      const { consumedPoints, remainingPoints, msBeforeNext } = await limiter.penalty(keyId);
      const seconds = Math.ceil(msBeforeNext / 1000);
      res.setHeader('RateLimit', `"key"; r=${remainingPoints}; t=${seconds}`);
      res.setHeader('RateLimit-Policy', policies.memo(keyId));
      if (consumedPoints <= most) return next();
      res.setHeader('Retry-After', String(seconds));
      holdBack(req);
      throw problem(
        '/problems/too-many-requests',
        `The key has sent ${most} requests within ${WINDOW} seconds, the most that it may; try again in ${seconds} seconds.`,
      );
    },
  ];
}

/** The partition key stands for the key, and tells nothing of it; it is a byte sequence (RFC 8941, section 3.3.5). */
function policyOf(most: number): (keyId: string) => string {
  return (keyId) => {
    const partition = Buffer.from(hash('sha256', keyId).slice(0, 12)).toString('base64');
    return `"key"; q=${most}; w=${WINDOW}; pk=:${partition}:`;
  };
}
