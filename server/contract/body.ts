import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { refuseOutOfBounds } from './bounds.js';
import type { Contract, Operation } from './document.js';
import { LimitedStream } from './limited-stream.js';
import { problem } from './problems.js';

const JSON_TYPE = 'application/json';

/**
 * Makes what reads the body of an operation: JSON is parsed into `req.body`, another media type that
 * the operation takes becomes a stream of at most `maxBody` bytes there. What JSON holds is bounded
 * before anyone looks at it closely; a stream is not looked into.
 * @param maxBody the service's own limit, in bytes
 */
export function readBody(
  contract: Contract,
  operation: Operation,
  maxBody: number,
): RequestHandler[] {
  if (operation.consumes.length === 0) return [];
  const limit = Math.min(maxBody, operation.maxBody);
  return [
    refuseOtherMediaTypes(operation),
    refuseOtherCharsets,
    express.json({
      limit,
      // A body such as `1` is JSON, and validation has the better words for it.
      strict: false,
      type: (req) => mediaType(req) === JSON_TYPE,
      verify: refuseBrokenUtf8,
    }),
    refuseOutOfBounds(contract, operation),
    openStream(limit),
  ];
}

function refuseOtherMediaTypes({ consumes }: Operation): RequestHandler {
  return (req, _res, next) => {
    const sent = req.headers['content-type'];
    if (consumes.includes(mediaType(req))) return next();
    const what = sent === undefined ? 'There is no Content-Type' : `The Content-Type "${sent}"`;
    const verdict = sent === undefined ? '' : ' is not taken here';
    throw problem(
      '/problems/unsupported-media-type',
      `${what}${verdict}; send ${consumes.join(' or ')}.`,
    );
  };
}

function openStream(limit: number): RequestHandler {
  return (req, _res, next) => {
    if (mediaType(req) === JSON_TYPE) return next();
    refuseCompression(req);
    if (Number(req.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
    const stream = new LimitedStream(limit, () => bodyTooLarge(limit));
    req.once('error', (error) => stream.destroy(error));
    // Whoever reads the stream meets its error. If the request is refused before, nobody does, and an
    // error that nobody listens for would end the process.
    stream.on('error', () => {});
    req.body = req.pipe(stream);
    next();
  };
}

/** The media type of the body, without its parameters and in lower case (RFC 9110, section 8.3.1). */
function mediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}

const refuseOtherCharsets: RequestHandler = (req, _res, next) => {
  const contentType = req.headers['content-type'] ?? '';
  const charset = /charset="?([^";\s]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw problem(
      '/problems/unsupported-media-type',
      `The charset "${charset}" is not taken here; send the body in UTF-8.`,
    );
  }
  // The JSON parser knows UTF-8 by one of its names only.
  req.headers['content-type'] = contentType.replace(/charset="?[^";\s]+"?/i, 'charset=utf-8');
  next();
};

function refuseBrokenUtf8(_req: unknown, _res: unknown, bytes: Buffer): void {
  if (isUtf8(bytes)) return;
  throw problem(
    '/problems/malformed-body',
    'The body is not UTF-8. Encode it as UTF-8, and send it again.',
  );
}

function refuseCompression(req: Request): void {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw problem(
    '/problems/unsupported-media-type',
    `The Content-Encoding "${encoding}" is not taken here; send the body as it is.`,
  );
}

export function bodyTooLarge(limit: number) {
  return problem(
    '/problems/body-too-large',
    `The body has more than ${limit} bytes, the most that this operation takes; send less at a time.`,
  );
}
