import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { KEY_HEADERS, keyHeader } from '../auth/callers.js';

/** A request from a page, or the request that a preflight announces. */
export interface CrossOriginRequest {
  readonly origin: string | undefined;
  readonly method: string;
  /** Whether it carries a key: `Authorization` or `X-Api-Key`. */
  readonly hasKey: boolean;
}

/** Returns the `Access-Control-Allow-Origin` of an answer; undefined where its page may not read it. */
export type OriginRule = (request: CrossOriginRequest) => string | undefined;

/**
 * Allows exact origins everything. With `*`, pages of any origin may read with a key: GET and HEAD with
 * `Authorization` or `X-Api-Key`. A page that knows no key reads nothing, so a service without keys stays closed to other pages.
 * @param allowed origins such as `https://app.example.com`, or `*`
 */
export function createOriginRule(allowed: readonly string[]): OriginRule {
  return ({ origin, method, hasKey }) => {
    if (origin !== undefined && allowed.includes(origin)) return origin;
    const isRead = method === 'GET' || method === 'HEAD';
    return allowed.includes('*') && isRead && hasKey ? '*' : undefined;
  };
}

/** The time that a browser may keep the answer to a preflight, in seconds: the most that Chromium allows. */
const MAX_AGE = '7200';

/**
 * Adds the headers of CORS (Fetch Standard, section 3.3) to every answer, problems included, and answers the
 * preflights that the rule allows. Without cookies, `*` exposes every header of an answer, such as ETag and Link.
 */
export function allowOrigins(rule: OriginRule, listener: RequestListener): RequestListener {
  return (req, res) => {
    const { headers, method = '' } = req;
    const preflight = readPreflight(req);
    const hasKey = keyHeader(headers) !== undefined;
    const allowed = rule(preflight ?? { origin: headers.origin, method, hasKey });
    if (allowed !== '*') res.appendHeader('Vary', 'Origin');
    if (allowed !== undefined) {
      res.setHeader('Access-Control-Allow-Origin', allowed);
      res.setHeader('Access-Control-Expose-Headers', '*');
      if (preflight) return answerPreflight(req, res);
    }
    listener(req, res);
  };
}

function readPreflight({ method, headers }: IncomingMessage): CrossOriginRequest | undefined {
  const announced = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || announced === undefined) return undefined;
  const names = headers['access-control-request-headers']?.toLowerCase().split(/[ ,]+/) ?? [];
  return {
    origin: headers.origin,
    method: announced,
    hasKey: KEY_HEADERS.some((name) => names.includes(name)),
  };
}

/** Allows what is asked for: a method or a header that the contract does not have gets a problem that the page can read. */
function answerPreflight({ headers }: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Methods', headers['access-control-request-method'] ?? '');
  // `*` would leave out Authorization.
  res.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*');
  res.setHeader('Access-Control-Max-Age', MAX_AGE);
  res.writeHead(204).end();
}

/** The headers in which a browser tells where a request comes from. */
export const ORIGIN_HEADERS = ['origin', 'sec-fetch-site'] as const;

/**
 * Returns whether a request comes from a page of another origin, as far as its browser tells. A page
 * can set neither of the headers that are read here. Programs send neither.
 * @param allowed the exact origins that count as the service's own; `*` counts for nothing
 */
export function isFromOtherOrigin(
  { headers }: IncomingMessage,
  allowed: readonly string[],
): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && allowed.includes(origin)) return false;
  // Browsers since 2023 tell it themselves (Fetch Metadata, W3C), whatever a proxy makes of the host.
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !isOwnOrigin(origin, host);
}

/**
 * Returns whether an origin is that of the service's pages. A proxy may end TLS in front of it, so
 * the scheme is the origin's. The origin of a sandboxed page or a file, `null`, is nobody's own.
 */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  const scheme = /^https?:/.exec(origin)?.[0];
  const own = `${scheme}//${host}`;
  return scheme !== undefined && URL.canParse(own) && new URL(own).origin === origin;
}
