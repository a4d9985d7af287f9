import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/**
 * Lets everyone in, as the other mock does: with any key or with none, and from pages of any origin. The
 * service behind it has no keys, and so takes everyone who shows none for the one local caller.
 */
export function openDoor(app: RequestListener): RequestListener {
  return (req, res) => {
    allowAnyOrigin(res);
    if (isPreflight(req)) return answerPreflight(req, res);
    forgetKey(req);
    app(req, res);
  };
}

/** Frontends send the key that they will have later; what it looks like is nobody's concern here. */
function forgetKey(req: IncomingMessage): void {
  delete req.headers.authorization;
}

/** Fetch Standard, section 3.3.3. A star takes in every header of an answer, such as Location, Link and ETag. */
function allowAnyOrigin(res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Expose-Headers', '*');
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Whatever is wanted may be sent: what the contract does not have, the service refuses in words that the page can read. */
function answerPreflight({ headers }: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Methods', headers['access-control-request-method'] ?? '');
  // A star would leave out Authorization.
  res.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*');
  res.writeHead(204).end();
}
