import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
import type { Contract, Operation } from '../../contract/document.js';
import { mayTakeItsTime } from '../../http/body-timeout.js';
import { ChunkMeter } from '../../http/chunk-size.js';
import { JSON_TYPE, LINES_TYPE, mediaType } from '../../http/media-type.js';
import { announcedLength } from '../../http/message-body.js';
import { atClose } from '../../http/on-response-close.js';
import { MalformedJsonError, parseWhole } from '../../json/json-parts.js';
import { OutOfBoundsError, parseSliced, type RowsPlace } from '../../json/sliced-json.js';
import { bodyTooLarge, invalidRequest, malformedBody, problem } from '../../problems/problem.js';
import { watchKey } from '../watch-key.js';
import { pauseWork } from '../work-turn.js';
import { refuseDeepNesting, refuserOfBounds, rowsPlace } from './body-limits.js';
import { type BodyBudget, bufferBody, type RefuseMissingTarget } from './buffer-body.js';
import { LimitedStream } from './byte-limit.js';
import { unreadBody } from './deferred-body.js';

/** The service's own limits of bodies, in bytes. */
export interface BodyLimits {
  readonly maxBody: number;
  /** Of a table that is not JSON. */
  readonly maxTable: number;
}

/** The checks before a body is read, and while it is. */
export interface BodyGuards {
  readonly budget: BodyBudget;
  readonly refuseMissingTarget: RefuseMissingTarget;
}

/**
 * Returns the middleware that reads the body of an operation: JSON is read into `req.body` as bytes, for `parseBody`;
 * another media type that the operation takes becomes a stream of at most `maxBody` bytes there, and lines
 * of JSON one of any number of bytes. A body that is read by the handler becomes a `DeferredBody`.
 * @param isStillGood tells whether the caller's key is still good while that is read
 */
export function readBody(
  operation: Operation,
  { maxBody, maxTable }: BodyLimits,
  isStillGood: (caller: Caller) => boolean | Promise<boolean>,
  guards: BodyGuards,
): RequestHandler[] {
  if (operation.consumes.length === 0) return [];
  const limit = Math.min(maxBody, operation.maxBody);
  const refusals = [refuseOtherMediaTypes(operation), refuseOtherCharsets, refuseCompression];
  if (operation.defersBody) return [...refusals, deferBody({ maxBody, maxTable }, isStillGood)];
  return [...refusals, bufferBody({ limit, ...guards }), openStream(limit)];
}

/**
 * Returns the middleware that parses the bytes of JSON in `req.body`. What JSON holds is bounded before anyone looks at
 * it closely; a stream is not looked into.
 */
export function parseBody(contract: Contract, operation: Operation): RequestHandler[] {
  if (operation.consumes.length === 0 || operation.defersBody) return [];
  const place = rowsPlace(contract, operation);
  const refuse = refuserOfBounds(contract, operation);
  return [
    (req, res, next) => {
      const { body } = req;
      if (!Buffer.isBuffer(body)) return next();
      if (body.length <= SHORT) {
        req.body = jsonOf(body);
        refuseDeepNesting(req.body);
        refuse(req.body);
        return next();
      }
      return parseLong(body, place, res).then(
        async (parsed) => {
          req.body = parsed;
          refuse(parsed);
          // Validating and storing it take their own time.
          await pauseWork(res);
          next();
        },
        (error) => {
          if (!(error instanceof HungUpError)) throw error;
        },
      );
    },
  ];
}

/** Bytes that JSON.parse takes at most a few milliseconds for, whatever they are. */
const SHORT = 16 * 1024;

function isJson(req: IncomingMessage): boolean {
  return mediaType(req) === JSON_TYPE;
}

function jsonOf(bytes: Buffer): unknown {
  // An empty body is a body of nothing; validation tells what is missing.
  if (bytes.length === 0) return {};
  try {
    return parseWhole(bytes);
  } catch (error) {
    throw error instanceof MalformedJsonError ? malformedBody(error.message) : error;
  }
}

/** For so long a body is parsed without a pause, in milliseconds. */
const BETWEEN_PAUSES = 4;

/** The caller left, and nobody is to be answered. */
class HungUpError extends Error {}

/** Parses a body without keeping others waiting. */
async function parseLong(
  bytes: Buffer,
  place: RowsPlace | undefined,
  res: Response,
): Promise<unknown> {
  let since = performance.now();
  const pause = async () => {
    if (performance.now() - since < BETWEEN_PAUSES) return;
    await pauseWork(res);
    since = performance.now();
    if (res.req.socket.destroyed) throw new HungUpError();
  };
  try {
    return await parseSliced(bytes, place, pause);
  } catch (error) {
    if (error instanceof MalformedJsonError) throw malformedBody(error.message);
    if (!(error instanceof OutOfBoundsError)) throw error;
    throw invalidRequest([{ pointer: `/body${error.path}`, message: error.message }]);
  }
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
    const stream = limited(req, areLines ? Number.POSITIVE_INFINITY : maxBody);
    // Lines may be answered for the last time before their end; who reads on would wait for ever.
    if (areLines) atClose(req, res, () => stream.destroy());
    req.body = stream;
    next();
  };
}

function deferBody(
  { maxBody, maxTable }: BodyLimits,
  isStillGood: (caller: Caller) => boolean | Promise<boolean>,
): RequestHandler {
  return (req, res, next) => {
    // Whoever reads it is patient in ways of its own.
    mayTakeItsTime(req);
    const { caller } = res.locals;
    const stream = limited(req, isJson(req) ? maxBody : maxTable);
    if (caller) {
      const leaveKey = watchKey(
        () => isStillGood(caller),
        (reason) => stream.destroy(reason),
      );
      req.once('close', leaveKey);
    }
    req.body = unreadBody(mediaType(req), stream);
    next();
  };
}

/** The bytes of a body, which fail with the problem of what is wrong with them. */
function limited(req: IncomingMessage, limit: number): LimitedStream {
  if ((announcedLength(req) ?? 0) > limit) throw bodyTooLarge(limit);
  const stream = new LimitedStream(limit, () => bodyTooLarge(limit), new ChunkMeter(req));
  req.once('error', () => stream.destroy(malformedBody('The body broke off before its end.')));
  // Whoever reads the stream meets its error. If the request is refused before, nobody does, and an
  // error that nobody listens for would end the process.
  stream.on('error', () => {});
  return req.pipe(stream);
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
