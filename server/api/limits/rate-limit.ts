import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
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
 */
export class RateLimit {
  /** By the id of the key. A window is deleted after its end. */
  readonly #windows = new Map<string, Window>();

  /** @param max the most requests; 0 for no limit */
  constructor(
    private readonly max: number,
    private readonly throttle: Throttle,
  ) {}

  /** @throws {ProblemError} if the key has sent too many requests */
  count(req: Request, res: Response, caller: Caller): void {
    const { max } = this;
    const keyId = caller.key?.id;
    if (max === 0 || !keyId) return;
    const now = performance.now();
    const window = this.#findWindow(keyId, now);
    window.requests += 1;
    const seconds = Math.ceil((window.end - now) / 1000);
    const left = Math.max(max - window.requests, 0);
    res.setHeader('RateLimit', `"key"; r=${left}; t=${seconds}`);
    res.setHeader('RateLimit-Policy', window.policy);
    if (window.requests <= max) return;
    res.setHeader('Retry-After', String(seconds));
    this.throttle(req, res, caller);
    throw problem(
      '/problems/too-many-requests',
      `The key has sent ${max} requests within ${WINDOW_SECONDS} seconds, the most that it may; try again in ${seconds} seconds.`,
    );
  }

  #findWindow(keyId: string, now: number): Window {
    const known = this.#windows.get(keyId);
    if (known && now < known.end) return known;
    const policy = formatPolicy(keyId, this.max);
    const window = { requests: 0, end: now + WINDOW_SECONDS * 1000, policy };
    this.#windows.set(keyId, window);
    const forget = () => {
      if (this.#windows.get(keyId) === window) this.#windows.delete(keyId);
    };
    setTimeout(forget, WINDOW_SECONDS * 1000).unref();
    return window;
  }
}

/** The partition key identifies the key without disclosing it, as a byte sequence (RFC 8941, section 3.3.5). */
function formatPolicy(keyId: string, max: number): string {
  const partition = Buffer.from(hash('sha256', keyId).slice(0, 12)).toString('base64');
  return `"key"; q=${max}; w=${WINDOW_SECONDS}; pk=:${partition}:`;
}
