import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { KEY_HEADERS, keyHeader } from '../auth/identify-caller.js';

/** A request from a page, or the request that a preflight announces. */
interface CrossOriginRequest {
  readonly origin: string | undefined;
  readonly method: string;
  /** True if it carries a key: `Authorization` or `X-Api-Key`. */
  readonly hasKey: boolean;
}

/** Returns the `Access-Control-Allow-Origin` of an answer; undefined where its page may not read it. */
type OriginRule = (request: CrossOriginRequest) => string | undefined;

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
  return { origin: headers.origin, method: announced, hasKey: KEY_HEADERS.some((name) => names.includes(name)) };
}

/** Allows what is asked for: a method or a header that the contract does not have gets a problem that the page can read. */
function answerPreflight({ headers }: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Methods', headers['access-control-request-method'] ?? '');
  // `*` would leave out Authorization.
  res.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*');
  res.setHeader('Access-Control-Max-Age', MAX_AGE);
  res.writeHead(204).end();
}
