import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
import type { Operation } from '../../contract/document.js';
import { onResponseClose } from '../../edge/connections.js';
import {
  announcedLength,
  hasBody,
  isEndless,
  isRowStream,
  isText,
  JSON_TYPE,
  mediaType,
} from '../../edge/request.js';
import { disableBodyTimeout } from '../../edge/request-body.js';
import { bodyTooLarge, malformedBody, ProblemError, problem } from '../../problems/problem.js';
import type { BodyMemory } from '../limits/body-memory.js';
import type { Step } from '../request-context.js';
import { watchKey } from '../request-signal.js';
import { BodyBounds, decodeBody, encodingOf, passWithin } from './decode-body.js';

/** The service's own limits for bodies, in bytes. */
export interface BodyLimits {
  readonly maxBody: number;
  /** The limit for a table that is not JSON. */
  readonly maxTable: number;
}

/**
 * Throws the problem of a request whose target does not exist, as far as its address and caller
 * show.
 */
export type RefuseMissingTarget = (res: Response) => Promise<void>;

/** The checks before and while a body is read. */
export interface BodyGuards {
  readonly budget: BodyMemory;
  readonly refuseMissingTarget?: RefuseMissingTarget;
}

type IsKeyValid = (caller: Caller) => boolean | Promise<boolean>;

/**
 * Returns the step that reads the body of an operation. JSON and text are read into `req.body`
 * as bytes, for `parseBody`. Any other media type of the operation becomes a stream of at most
 * `maxBody` bytes; one that is read from its begin on may have any number. A body that the handler reads becomes a
 * `DeferredBody`.
 * @param isKeyValid returns whether the caller's key is still valid while a deferred body is read
 */
export function readBody(
  operation: Operation,
  limits: BodyLimits,
  isKeyValid: IsKeyValid,
  guards: BodyGuards,
): Step {
  const refuseForm = refuseOtherForms(operation);
  const limit = Math.min(limits.maxBody, operation.maxBody);
  const buffer = bufferBody(limit, guards);
  return (req, res) => {
    refuseForm(req);
    const type = mediaType(req);
    if (operation.defersBody) deferBody(req, res, limits, isKeyValid);
    else if (type === JSON_TYPE || isText(type)) return buffer(req, res);
    else openStream(req, res, limit);
  };
}

/**
 * Refuses bodies whose head shows that they are not taken: another media type, charset or encoding
 * than those of the operation, or a part. All but tables and rows are small, and come as they are.
 */
function refuseOtherForms({ consumes }: Operation): (req: Request) => void {
  const takesCompressed = consumes.some(isRowStream);
  return (req) => {
    const sent = req.headers['content-type'];
    if (!consumes.includes(mediaType(req))) {
      const what = sent === undefined ? 'There is no Content-Type' : `The Content-Type "${sent}"`;
      const verdict = sent === undefined ? '' : ' is not taken here';
      throw unsupported(`${what}${verdict}; send ${consumes.join(' or ')}.`);
    }
    const charset = /charset="?([^";\s]+)/i.exec(sent ?? '')?.[1] ?? 'utf-8';
    if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
      throw unsupported(`The charset "${charset}" is not taken here; send the body in UTF-8.`);
    }
    const encoding = encodingOf(req);
    if (encoding !== undefined && (!takesCompressed || encoding === 'other')) {
      const remedy = takesCompressed
        ? 'compress it with gzip or zstd, or send it as it is'
        : 'send the body as it is';
      throw unsupported(
        `The Content-Encoding "${req.headers['content-encoding']}" is not taken here; ${remedy}.`,
        { 'Accept-Encoding': takesCompressed ? 'gzip, zstd' : 'identity' },
      );
    }
    // A part would be taken for the whole (RFC 9110, section 14.5).
    if (req.headers['content-range'] !== undefined) {
      throw malformedBody('The body is a part, as its Content-Range says; send the whole.');
    }
  };
}

function unsupported(detail: string, headers: Record<string, string> = {}): ProblemError {
  return problem('/problems/unsupported-media-type', detail, {}, headers);
}

/**
 * The largest body that is read before its target is looked up. For a larger body, or one of
 * unknown length, the look-up costs less.
 */
const SMALL = 256 * 1024;

/**
 * Reads a body of JSON or text into `req.body` as bytes. A body whose declared length exceeds the limit is
 * refused before any of it is read, and so is a large body whose target does not exist.
 */
export function bufferBody(limit: number, { budget, refuseMissingTarget }: BodyGuards): Step {
  return (req, res) => {
    if (!hasBody(req)) return;
    const length = announcedLength(req);
    if (length !== undefined && length > limit) throw bodyTooLarge(limit);
    const collectBody = () =>
      new Promise<void>((resolve, reject) => {
        // A caller who disconnected during the look-up gets no response and sends nothing more.
        if (!req.destroyed) collect(req, res, { limit, budget, resolve, reject });
      });
    const isSmall = length !== undefined && length <= SMALL;
    if (isSmall || !refuseMissingTarget) return collectBody();
    return refuseMissingTarget(res).then(collectBody);
  };
}

interface Collection {
  readonly limit: number;
  readonly budget: BodyMemory;
  readonly resolve: () => void;
  readonly reject: (reason: ProblemError) => void;
}

function collect(
  req: Request,
  res: Response,
  { limit, budget, resolve, reject }: Collection,
): void {
  const bounds = new BodyBounds(req, limit);
  const chunks: Buffer[] = [];
  const source = decodeBody(req, limit) ?? req;
  const stop = () => {
    source.off('data', onData).off('end', onEnd).off('error', onError);
  };
  const refuse = (reason: ProblemError) => {
    stop();
    chunks.length = 0;
    share.release();
    reject(reason);
  };
  const share = budget.begin(res.locals.caller, refuse);
  const onData = (chunk: Buffer) => {
    const fault = bounds.add(chunk.length);
    if (fault) return refuse(fault);
    chunks.push(chunk);
    share.add(chunk.length);
  };
  const onEnd = () => {
    stop();
    share.complete();
    const [first] = chunks;
    req.body = first && chunks.length === 1 ? first : Buffer.concat(chunks, bounds.seen);
    resolve();
  };
  const onError = (error: unknown) => refuse(error instanceof ProblemError ? error : brokenOff());
  res.locals.bodyShare = share;
  onResponseClose(req, res, () => share.release());
  source.on('data', onData).on('end', onEnd).on('error', onError);
}

function openStream(req: Request, res: Response, limit: number): void {
  const stream = openBody(req, isEndless(mediaType(req)) ? Number.POSITIVE_INFINITY : limit);
  // The response may end before the body does; a handler that reads on would wait forever.
  onResponseClose(req, res, () => stream.destroy());
  req.body = stream;
}

function deferBody(
  req: Request,
  res: Response,
  { maxBody, maxTable }: BodyLimits,
  isKeyValid: IsKeyValid,
): void {
  // The reader of the body applies timeouts of its own.
  disableBodyTimeout(req);
  const { caller } = res.locals;
  const type = mediaType(req);
  const stream = openBody(req, type === JSON_TYPE ? maxBody : maxTable);
  if (caller) {
    const leaveKey = watchKey(
      () => isKeyValid(caller),
      (reason) => stream.destroy(reason),
    );
    req.once('close', leaveKey);
  }
  req.body = deferredBody(type, stream);
}

/** Returns the bytes of a body as a stream, which fails with the problem of an invalid body. */
function openBody(req: IncomingMessage, limit: number): Readable {
  if ((announcedLength(req) ?? 0) > limit) throw bodyTooLarge(limit);
  const decoded = decodeBody(req, limit);
  if (decoded) return decoded;
  const bounds = new BodyBounds(req, limit);
  const stream = passWithin((bytes) => bounds.add(bytes));
  req.once('error', () => stream.destroy(brokenOff()));
  // The reader of the stream gets its error. If the request is refused first, there is no reader,
  // and an error without a listener would end the process.
  stream.on('error', () => {});
  return req.pipe(stream);
}

function brokenOff(): ProblemError {
  return malformedBody('The body broke off before its end.');
}

/** A body that the handler reads itself (`x-roster-deferred-body`). */
export interface DeferredBody<MediaType extends string = string> {
  readonly mediaType: MediaType;
  /**
   * The bytes as they arrive, to be read once and to the end.
   * @throws {ProblemError} if there are too many bytes, if the body breaks off, if the sender is
   *   silent for too long, or if the sender's key is revoked or expires
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The longest silence of a sender, and the longest time for a whole body, in milliseconds. */
const TIMEOUT_MS = { silence: 30_000, whole: 60 * 60 * 1000 };

export function deferredBody(
  mediaType: string,
  stream: Readable,
  timeouts = TIMEOUT_MS,
): DeferredBody {
  return { mediaType, bytes: readInTime(stream, timeouts) };
}

/** Times the sender only while a reader waits, since otherwise the reader causes the delay. */
async function* readInTime(
  stream: Readable,
  { silence, whole }: typeof TIMEOUT_MS,
): AsyncGenerator<Uint8Array> {
  const end = performance.now() + whole;
  const chunks = stream[Symbol.asyncIterator]();
  for (;;) {
    const wait = Math.max(Math.min(silence, end - performance.now()), 0);
    const timer = setTimeout(() => stream.destroy(tooSlow()), wait);
    const next = await chunks.next().finally(() => clearTimeout(timer));
    if (next.done) return;
    yield next.value;
  }
}

function tooSlow(): ProblemError {
  return problem(
    '/problems/request-timeout',
    'The request took too long to arrive; send it again, all at once.',
    {},
    { Connection: 'close' },
  );
}
