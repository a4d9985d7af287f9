import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { atClose } from './at-close.js';
import { refuseOutOfBounds } from './bounds.js';
import type { Contract, Operation } from './document.js';
import { LimitedStream } from './limited-stream.js';
import { JSON_TYPE, LINES_TYPE, mediaType } from './media-type.js';
import { problem } from './problems.js';

/**
 * Makes what reads the body of an operation: JSON is read into `req.body` as bytes, for `parseBody`;
 * another media type that the operation takes becomes a stream of at most `maxBody` bytes there, and lines
 * of JSON one of any number of bytes.
 * @param maxBody the service's own limit, in bytes
 */
export function readBody(operation: Operation, maxBody: number): RequestHandler[] {
  if (operation.consumes.length === 0) return [];
  const limit = Math.min(maxBody, operation.maxBody);
  return [
    refuseOtherMediaTypes(operation),
    refuseOtherCharsets,
    refuseCompression,
    express.raw({ limit, type: isJson, inflate: false }),
    openStream(limit),
  ];
}

/**
 * Makes what parses the bytes of JSON in `req.body`. What JSON holds is bounded before anyone looks at
 * it closely; a stream is not looked into.
 */
export function parseBody(contract: Contract, operation: Operation): RequestHandler[] {
  if (operation.consumes.length === 0) return [];
  return [parseJson, refuseOutOfBounds(contract, operation)];
}

function isJson(req: IncomingMessage): boolean {
  return mediaType(req) === JSON_TYPE;
}

const parseJson: RequestHandler = (req, _res, next) => {
  const { body } = req;
  if (Buffer.isBuffer(body)) req.body = jsonOf(body);
  next();
};

function jsonOf(bytes: Buffer): unknown {
  // An empty body is a body of nothing; validation tells what is missing.
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw malformedBody('The body is not UTF-8.');
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw malformedBody(
      `The body is not valid JSON: ${reason.replace(/ is not valid JSON$/, '')}.`,
    );
  }
}

export function malformedBody(reason: string) {
  return problem(
    '/problems/malformed-body',
    `${reason} Mend the text, or check that the client sends all of it.`,
  );
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

function openStream(maxBody: number): RequestHandler {
  return (req, res, next) => {
    if (isJson(req)) return next();
    const areLines = mediaType(req) === LINES_TYPE;
    const limit = areLines ? Number.POSITIVE_INFINITY : maxBody;
    if (Number(req.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
    const stream = new LimitedStream(limit, () => bodyTooLarge(limit));
    req.once('error', () => stream.destroy(malformedBody('The body broke off before its end.')));
    // Whoever reads the stream meets its error. If the request is refused before, nobody does, and an
    // error that nobody listens for would end the process.
    stream.on('error', () => {});
    // Lines may be answered for the last time before their end; who reads on would wait for ever.
    if (areLines) atClose(req, res, () => stream.destroy());
    req.body = req.pipe(stream);
    next();
  };
}

const refuseOtherCharsets: RequestHandler = (req, _res, next) => {
  const charset = /charset="?([^";\s]+)/i.exec(req.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (/^(utf-?8|us-ascii)$/i.test(charset)) return next();
  throw problem(
    '/problems/unsupported-media-type',
    `The charset "${charset}" is not taken here; send the body in UTF-8.`,
  );
};

/** A few bytes may unfold to all the memory there is. */
const refuseCompression: RequestHandler = (req, _res, next) => {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return next();
  throw problem(
    '/problems/unsupported-media-type',
    `The Content-Encoding "${encoding}" is not taken here; send the body as it is.`,
  );
};

export function bodyTooLarge(limit: number) {
  return problem(
    '/problems/body-too-large',
    `The body has more than ${limit} bytes, the most that this operation takes; send less at a time.`,
  );
}
