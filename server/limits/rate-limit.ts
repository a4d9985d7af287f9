import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { problem } from '../contract/problems.js';
import type { Throttle } from './throttle-connection.js';

const WINDOW_SECONDS = 60;

/** How many keys' policies are remembered at the same time. */
const MAX_KEYS = 10_000;

/**
 * Limits the requests that a key sends to this instance in a minute, and says how many are left in the
 * headers `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-08). Without keys
 * there is one local caller, who is not limited.
 * @param max how many requests; 0 for no limit
 */
export function limitRate(max: number, throttle: Throttle): RequestHandler[] {
  if (max === 0) return [];
  const limiter = new RateLimiterMemory({ points: max, duration: WINDOW_SECONDS });
  const policies = new LRUCache<string, string>({ max: MAX_KEYS, memoMethod: policyOf(max) });
  return [
    async (req, res, next) => {
      const { caller } = res.locals;
      const keyId = caller?.keyId;
      if (!keyId) return next();
      // It takes a point even if none is left.
      const { consumedPoints, remainingPoints, msBeforeNext } = await limiter.penalty(keyId);
      const seconds = Math.ceil(msBeforeNext / 1000);
      res.setHeader('RateLimit', `"key"; r=${remainingPoints}; t=${seconds}`);
      res.setHeader('RateLimit-Policy', policies.memo(keyId));
      if (consumedPoints <= max) return next();
      res.setHeader('Retry-After', String(seconds));
      throttle(req, res, caller);
      throw problem(
        '/problems/too-many-requests',
        `The key has sent ${max} requests within ${WINDOW_SECONDS} seconds, the most that it may; try again in ${seconds} seconds.`,
      );
    },
  ];
}

/** The partition key stands for the key without disclosing it; it is a byte sequence (RFC 8941, section 3.3.5). */
function policyOf(max: number): (keyId: string) => string {
  return (keyId) => {
    const partition = Buffer.from(hash('sha256', keyId).slice(0, 12)).toString('base64');
    return `"key"; q=${max}; w=${WINDOW_SECONDS}; pk=:${partition}:`;
  };
}
