import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Throttle } from '../../edge/connections.js';
import { problem } from '../../problems/problem.js';

const WINDOW_SECONDS = 60;

/** The minute in which a key's requests are counted. It begins with a request. */
interface Window {
  requests: number;
  /** The end of the window, as given by `performance.now()`. */
  readonly end: number;
  /** The value of `RateLimit-Policy`. */
  readonly policy: string;
}

/**
 * Limits the requests of a key to this instance per minute, and reports the rest in the headers
 * `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-08). Without keys there
 * is one local caller, who is not limited.
 * @param max the most requests; 0 for no limit
 */
export function limitRate(max: number, throttle: Throttle): RequestHandler[] {
  if (max === 0) return [];
  const windowOf = countWindows(max);
  return [
    (req, res, next) => {
      const { caller } = res.locals;
      const keyId = caller?.key?.id;
      if (!keyId) return next();
      const now = performance.now();
      const window = windowOf(keyId, now);
      window.requests += 1;
      const seconds = Math.ceil((window.end - now) / 1000);
      const left = Math.max(max - window.requests, 0);
      res.setHeader('RateLimit', `"key"; r=${left}; t=${seconds}`);
      res.setHeader('RateLimit-Policy', window.policy);
      if (window.requests <= max) return next();
      res.setHeader('Retry-After', String(seconds));
      throttle(req, res, caller);
      throw problem(
        '/problems/too-many-requests',
        `The key has sent ${max} requests within ${WINDOW_SECONDS} seconds, the most that it may; try again in ${seconds} seconds.`,
      );
    },
  ];
}

/**
 * Returns a function that finds or creates the window of a key. Windows are deleted after their
 * end.
 */
function countWindows(max: number): (keyId: string, now: number) => Window {
  const windows = new Map<string, Window>();
  return (keyId, now) => {
    const known = windows.get(keyId);
    if (known && now < known.end) return known;
    const window = { requests: 0, end: now + WINDOW_SECONDS * 1000, policy: policyOf(keyId, max) };
    windows.set(keyId, window);
    const forget = () => {
      if (windows.get(keyId) === window) windows.delete(keyId);
    };
    setTimeout(forget, WINDOW_SECONDS * 1000).unref();
    return window;
  };
}

/**
 * Returns the policy. Its partition key identifies the key without disclosing it, as a byte
 * compose (RFC 8941, section 3.3.5).
 */
function policyOf(keyId: string, max: number): string {
  const partition = Buffer.from(hash('sha256', keyId).slice(0, 12)).toString('base64');
  return `"key"; q=${max}; w=${WINDOW_SECONDS}; pk=:${partition}:`;
}
