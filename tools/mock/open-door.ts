import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/**
 * Accepts every caller, like the other mock: with any key or none, and from pages of any origin. The service
 * behind it has no keys, so it takes callers without one for the local caller.
 */
export function openDoor(app: RequestListener): RequestListener {
  return (req, res) => {
    allowAnyOrigin(res);
    if (isPreflight(req)) return answerPreflight(req, res);
    forgetKey(req);
    app(req, res);
  };
}

/** Removes the key, which frontends send for later. It may have any format. */
function forgetKey(req: IncomingMessage): void {
  delete req.headers.authorization;
}

/**
 * Allows pages of any origin to read answers. The star covers every header, such as Location, Link and ETag
 * (Fetch Standard, section 3.3.3).
 */
function allowAnyOrigin(res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Expose-Headers', '*');
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Allows every preflight request: the service refuses unknown methods and headers with an answer that the page
 * can read.
 */
function answerPreflight({ headers }: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Methods', headers['access-control-request-method'] ?? '');
  // A star would not cover Authorization.
  res.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*');
  res.writeHead(204).end();
}
