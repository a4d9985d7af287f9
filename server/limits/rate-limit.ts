import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { problem } from '../contract/problems.js';
import { holdBack } from './hold-back.js';

/** In seconds. */
const WINDOW = 60;

/** The minute in which the requests of a key are counted. It begins with a request. */
interface Window {
  requests: number;
  /** When it ends, by `performance.now()`. */
  readonly end: number;
  /** The value of `RateLimit-Policy`. */
  readonly policy: string;
}

/**
 * Bounds the requests that a key sends to this instance in a minute, and tells how many are left in the
 * headers `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-08). Without keys
 * there is one local caller, who is not limited.
 * @param most how many; 0 for no limit
 */
export function limitRate(most: number): RequestHandler[] {
  if (most === 0) return [];
  const windowOf = countWindows(most);
  return [
    (req, res, next) => {
      const keyId = res.locals.caller?.keyId;
      if (!keyId) return next();
      const now = performance.now();
      const window = windowOf(keyId, now);
      window.requests += 1;
      const seconds = Math.ceil((window.end - now) / 1000);
      const left = Math.max(most - window.requests, 0);
      res.setHeader('RateLimit', `"key"; r=${left}; t=${seconds}`);
      res.setHeader('RateLimit-Policy', window.policy);
      if (window.requests <= most) return next();
      res.setHeader('Retry-After', String(seconds));
      holdBack(req);
      throw problem(
        '/problems/too-many-requests',
        `The key has sent ${most} requests within ${WINDOW} seconds, the most that it may; try again in ${seconds} seconds.`,
      );
    },
  ];
}

/** Returns the function that finds the window of a key, or begins one. A window is forgotten when it has ended. */
function countWindows(most: number): (keyId: string, now: number) => Window {
  const windows = new Map<string, Window>();
  return (keyId, now) => {
    const known = windows.get(keyId);
    if (known && now < known.end) return known;
    const window = { requests: 0, end: now + WINDOW * 1000, policy: policyOf(keyId, most) };
    windows.set(keyId, window);
    const forget = () => {
      if (windows.get(keyId) === window) windows.delete(keyId);
    };
    setTimeout(forget, WINDOW * 1000).unref();
    return window;
  };
}

/** The partition key stands for the key, and tells nothing of it; it is a byte sequence (RFC 8941, section 3.3.5). */
function policyOf(keyId: string, most: number): string {
  const partition = Buffer.from(hash('sha256', keyId).slice(0, 12)).toString('base64');
  return `"key"; q=${most}; w=${WINDOW}; pk=:${partition}:`;
}
