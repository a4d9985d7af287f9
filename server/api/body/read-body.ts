import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { RequestHandler, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
import { MalformedJsonError, parseWhole } from '../../common/json-parts.js';
import { OutOfBoundsError, parseSliced, type RowsPlace } from '../../common/sliced-json.js';
import type { Contract, Operation } from '../../contract/document.js';
import { announcedLength, isEndless, isText, JSON_TYPE, mediaType } from '../../edge/request.js';
import { ChunkMeter, disableBodyTimeout } from '../../edge/request-body.js';
import { onResponseClose } from '../../edge/responses.js';
import { bodyTooLarge, invalidRequest, malformedBody, problem } from '../../problems/problem.js';
import { watchKey } from '../watch-key.js';
import { pauseWork } from '../work-turn.js';
import { refuseDeepNesting, refuserOfBounds, rowsPlace } from './body-limits.js';
import { type BodyBudget, bufferBody, type RefuseMissingTarget } from './buffer-body.js';
import { ByteLimitStream } from './byte-limit.js';
import { decodedBody, refuseOtherEncodings, refuseParts } from './decode-body.js';
import { deferredBody } from './deferred-body.js';
import { textBody } from './text-body.js';

/** The service's own limits for bodies, in bytes. */
export interface BodyLimits {
  readonly maxBody: number;
  /** The limit for a table that is not JSON. */
  readonly maxTable: number;
}

/** The checks before and while a body is read. */
export interface BodyGuards {
  readonly budget: BodyBudget;
  readonly refuseMissingTarget: RefuseMissingTarget;
}

/**
 * Returns the middleware that reads the body of an operation. JSON and text are read into `req.body`
 * as bytes, for `parseBody`. Any other media type of the operation becomes a stream of at most
 * `maxBody` bytes; one that is read from its begin on may have any number. A body that the handler reads becomes a
 * `DeferredBody`.
 * @param isKeyValid returns whether the caller's key is still valid while a deferred body is read
 */
export function readBody(
  operation: Operation,
  { maxBody, maxTable }: BodyLimits,
  isKeyValid: (caller: Caller) => boolean | Promise<boolean>,
  guards: BodyGuards,
): RequestHandler[] {
  if (operation.consumes.length === 0) return [];
  const limit = Math.min(maxBody, operation.maxBody);
  const refusals = [
    refuseOtherMediaTypes(operation),
    refuseOtherCharsets,
    refuseOtherEncodings(operation),
    refuseParts,
  ];
  if (operation.defersBody) return [...refusals, deferBody({ maxBody, maxTable }, isKeyValid)];
  return [...refusals, bufferBody({ limit, ...guards }), openStream(limit)];
}

/**
 * Returns the middleware that parses the bytes of JSON in `req.body`, and checks its bounds before
 * anything else visits it. Text is decoded. Streams are left alone.
 */
export function parseBody(contract: Contract, operation: Operation): RequestHandler[] {
  if (operation.consumes.length === 0 || operation.defersBody) return [];
  const place = rowsPlace(contract, operation);
  const refuse = refuserOfBounds(contract, operation);
  return [
    (req, res, next) => {
      const { body } = req;
      const type = mediaType(req);
      if (isText(type)) {
        req.body = textBody(type, Buffer.isBuffer(body) ? body : Buffer.alloc(0));
        return next();
      }
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
          // Yields, because validating and storing the body take time of their own.
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

/** The size up to which JSON.parse takes at most a few milliseconds for any content, in bytes. */
const SHORT = 16 * 1024;

function isJson(req: IncomingMessage): boolean {
  return mediaType(req) === JSON_TYPE;
}

function jsonOf(bytes: Buffer): unknown {
  // An empty body counts as an empty object; validation reports the missing fields.
  if (bytes.length === 0) return {};
  try {
    return parseWhole(bytes);
  } catch (error) {
    throw error instanceof MalformedJsonError ? malformedBody(error.message) : error;
  }
}

/** The longest time that a body is parsed without a pause, in milliseconds. */
const YIELD_INTERVAL_MS = 4;

/** Thrown if the caller disconnected, so that nobody gets a response. */
class HungUpError extends Error {}

/** Parses a large body, and yields to other requests meanwhile. */
async function parseLong(
  bytes: Buffer,
  place: RowsPlace | undefined,
  res: Response,
): Promise<unknown> {
  let since = performance.now();
  const pause = async () => {
    if (performance.now() - since < YIELD_INTERVAL_MS) return;
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
    const type = mediaType(req);
    if (type === JSON_TYPE || isText(type)) return next();
    const stream = limited(req, isEndless(type) ? Number.POSITIVE_INFINITY : maxBody);
    // The response may end before the body does; a handler that reads on would wait forever.
    onResponseClose(req, res, () => stream.destroy());
    req.body = stream;
    next();
  };
}

function deferBody(
  { maxBody, maxTable }: BodyLimits,
  isKeyValid: (caller: Caller) => boolean | Promise<boolean>,
): RequestHandler {
  return (req, res, next) => {
    // The reader of the body applies timeouts of its own.
    disableBodyTimeout(req);
    const { caller } = res.locals;
    const stream = limited(req, isJson(req) ? maxBody : maxTable);
    if (caller) {
      const leaveKey = watchKey(
        () => isKeyValid(caller),
        (reason) => stream.destroy(reason),
      );
      req.once('close', leaveKey);
    }
    req.body = deferredBody(mediaType(req), stream);
    next();
  };
}

/** Returns the bytes of a body as a stream, which fails with the problem of an invalid body. */
function limited(req: IncomingMessage, limit: number): Readable {
  if ((announcedLength(req) ?? 0) > limit) throw bodyTooLarge(limit);
  const decoded = decodedBody(req, limit);
  if (decoded) return decoded;
  const stream = new ByteLimitStream(limit, () => bodyTooLarge(limit), new ChunkMeter(req));
  req.once('error', () => stream.destroy(malformedBody('The body broke off before its end.')));
  // The reader of the stream gets its error. If the request is refused first, there is no reader,
  // and an error without a listener would end the process.
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
