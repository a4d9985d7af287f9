import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import type { Operation } from './document.js';
import { LimitedStream } from './limited-stream.js';
import { invalidRequest, problem } from './problems.js';

const JSON_TYPE = 'application/json';
const MAX_NESTING = 100;

/**
 * Makes what reads the body of an operation: JSON is parsed into `req.body`, another media type that
 * the operation takes becomes a stream of at most `maxBody` bytes there.
 * @param maxBody the service's own limit, in bytes
 */
export function readBody(operation: Operation, maxBody: number): RequestHandler[] {
  if (operation.consumes.length === 0) return [];
  const limit = Math.min(maxBody, operation.maxBody);
  return [
    refuseOtherMediaTypes(operation),
    // Not strict: a body such as `1` is JSON, and validation has the better words for it.
    express.json({ limit, strict: false, type: (req) => mediaType(req) === JSON_TYPE }),
    openStream(limit),
    refuseDeepNesting,
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
    refuseEncodings(req);
    if (Number(req.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
    req.body = req.pipe(new LimitedStream(limit, () => bodyTooLarge(limit)));
    req.once('error', (error) => req.body.destroy(error));
    next();
  };
}

/** The media type of the body, without its parameters and in lower case (RFC 9110, section 8.3.1). */
function mediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}

function refuseEncodings(req: Request): void {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  const charset = /charset="?([^";\s]+)/i.exec(req.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (encoding.toLowerCase() !== 'identity') {
    throw problem(
      '/problems/unsupported-media-type',
      `The Content-Encoding "${encoding}" is not taken here; send the body as it is.`,
    );
  }
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw problem(
      '/problems/unsupported-media-type',
      `The charset "${charset}" is not taken here; send the body in UTF-8.`,
    );
  }
}

export function bodyTooLarge(limit: number) {
  return problem(
    '/problems/body-too-large',
    `The body has more than ${limit} bytes; send less at a time, or have MAX_BODY raised where the service is run.`,
  );
}

/** What nests deeper than this could not be written again without overflowing the stack. */
const refuseDeepNesting: RequestHandler = (req, _res, next) => {
  if (nestsDeeperThan(MAX_NESTING, req.body)) {
    throw invalidRequest([
      { pointer: '/body', message: `must not nest deeper than ${MAX_NESTING} levels` },
    ]);
  }
  next();
};

function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    if (nestsDeeperThan(levels - 1, child)) return true;
  }
  return false;
}
