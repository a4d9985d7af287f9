import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Operation } from '../../../contract/document.js';
import { FORM_TYPE } from '../../../contract/operations.js';
import type { Callers } from '../../auth/callers.js';
import { joinWords } from '../../common/join-words.js';
import { Exchange } from '../../edge/exchange.js';
import {
  announcedLength,
  BodyMeter,
  CSV_CHARSETS,
  CSV_TYPE,
  charsetLabel,
  findCharset,
  hasBody,
  isEndless,
  isRowStream,
  isText,
  JSON_TYPE,
  mediaType,
} from '../../edge/request.js';
import { bodyTooLarge, malformedBody, ProblemError, problem } from '../../problems/problem.js';
import type { BodyMemory } from '../limits/memory.js';
import type { Step } from '../request-context.js';
import { watchCaller } from '../request-signal.js';
import { brokenOff, decodeBody, type Encoding, passWithin } from './decode-body.js';

/** The service's own limits for bodies, in bytes. */
export interface BodyLimits {
  readonly maxBody: number;
  /** The limit for a table that is not JSON. */
  readonly maxTable: number;
}

/** The checks before and while a body is read. */
interface BodyGuards {
  readonly budget: BodyMemory;
  /** Throws the problem of a request whose target does not exist, as far as its address and caller show. */
  readonly refuseMissingTarget?: (res: Response) => Promise<void>;
}

/**
 * Returns the step that reads the body of an operation. JSON and text are read into `req.body` as bytes, for
 * `parseBody`. Any other media type of the operation becomes a stream of at most `maxBody` bytes; one that is read from
 * its begin on may have any number. A body that the handler reads becomes a `DeferredBody`.
 * @param isValid returns whether the caller is still valid while a deferred body is read
 */
export function readBody(
  operation: Operation,
  limits: BodyLimits,
  isValid: Callers['isValid'],
  guards: BodyGuards,
): Step {
  const refuseForm = refuseOtherForms(operation);
  const limit = Math.min(limits.maxBody, operation.maxBody);
  const buffer = bufferBody(limit, guards);
  return (req, res) => {
    refuseForm(req);
    const type = mediaType(req);
    if (operation.defersBody) deferBody(req, res, limits, isValid);
    else if (type === JSON_TYPE || type === FORM_TYPE || isText(type)) return buffer(req, res);
    else {
      const stream = openBody(req, isEndless(type) ? Number.POSITIVE_INFINITY : limit);
      // The response may end before the body does; a handler that reads on would wait forever.
      Exchange.of(res).onClose(() => stream.destroy());
      req.body = stream;
    }
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
      throw unsupported(`${what}${verdict}; send ${joinWords(consumes, 'or')}.`);
    }
    // Most are JSON, without parameters, as it is.
    if (sent !== JSON_TYPE) refuseCharset(req);
    const encoding = req.headers['content-encoding'] && readEncoding(req);
    if (encoding && (!takesCompressed || encoding === 'other')) {
      const remedy = takesCompressed ? 'compress it with gzip or zstd, or send it as it is' : 'send the body as it is';
      throw unsupported(`The Content-Encoding "${req.headers['content-encoding']}" is not taken here; ${remedy}.`, {
        'Accept-Encoding': takesCompressed ? 'gzip, zstd' : 'identity',
      });
    }
    // A part would be taken for the whole (RFC 9110, section 14.5).
    if (req.headers['content-range'] !== undefined) {
      throw malformedBody('The body is a part, as its Content-Range says; send the whole.');
    }
  };
}

/** Refuses encodings that are not read: all but CSV is UTF-8. */
function refuseCharset(req: Request): void {
  const charset = findCharset(req);
  const isCsv = mediaType(req) === CSV_TYPE;
  if (charset === 'utf-8' || (isCsv && charset !== undefined)) return;
  const remedy = isCsv ? `name ${joinWords(CSV_CHARSETS, 'or')}, or send the rows in UTF-8` : 'send the body in UTF-8';
  throw unsupported(`The charset "${charsetLabel(req)}" is not taken here; ${remedy}.`);
}

function readEncoding({ headers }: IncomingMessage): Encoding | 'other' | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return undefined;
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip';
  return encoding === 'zstd' ? 'zstd' : 'other';
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
    if (!hasBody(req)) {
      // Every operation that takes a body requires one: a missing body has the faults of an empty one.
      req.body = Buffer.alloc(0);
      return;
    }
    const length = announcedLength(req);
    if (length !== undefined && length > limit) throw bodyTooLarge(limit);
    const isSmall = length !== undefined && length <= SMALL;
    if (isSmall || !refuseMissingTarget) return collectBody(req, res, limit, budget);
    return refuseMissingTarget(res).then(() => collectBody(req, res, limit, budget));
  };
}

function collectBody(req: Request, res: Response, limit: number, budget: BodyMemory): Promise<void> {
  return new Promise((resolve, reject) => {
    // A caller who disconnected during the look-up gets no response and sends nothing more.
    if (req.destroyed) return;
    const meter = new BodyMeter(req, limit);
    const chunks: Buffer[] = [];
    const source = (req.headers['content-encoding'] && openEncoded(req, limit)) || req;
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
      const fault = meter.add(chunk.length);
      if (fault) return refuse(fault);
      chunks.push(chunk);
      share.add(chunk.length);
    };
    const onEnd = () => {
      stop();
      share.complete();
      const [first] = chunks;
      req.body = first && chunks.length === 1 ? first : Buffer.concat(chunks, meter.seen);
      resolve();
    };
    const onError = (error: unknown) => refuse(error instanceof ProblemError ? error : brokenOff());
    res.locals.bodyShare = share;
    Exchange.of(res).onClose(() => share.release());
    source.on('data', onData).on('end', onEnd).on('error', onError);
  });
}

/** Returns the decoded bytes of a compressed body; undefined if the body is sent as it is. */
function openEncoded(req: Request, limit: number): Readable | undefined {
  const encoding = readEncoding(req);
  if (encoding === undefined || encoding === 'other') return undefined;
  return decodeBody(req, encoding, limit);
}

function deferBody(req: Request, res: Response, { maxBody, maxTable }: BodyLimits, isValid: Callers['isValid']): void {
  // The reader of the body applies its own timeouts.
  Exchange.of(res).disableBodyTimeout();
  const { caller } = res.locals;
  const type = mediaType(req);
  const stream = openBody(req, type === JSON_TYPE ? maxBody : maxTable);
  if (caller) {
    const leave = watchCaller(
      caller,
      () => isValid(caller),
      (reason) => stream.destroy(reason),
    );
    req.once('close', leave);
  }
  req.body = { mediaType: type, bytes: readInTime(stream) } satisfies DeferredBody;
}

/** Returns the bytes of a body as a stream, which fails with the problem of an invalid body. */
function openBody(req: Request, limit: number): Readable {
  if ((announcedLength(req) ?? 0) > limit) throw bodyTooLarge(limit);
  const decoded = openEncoded(req, limit);
  if (decoded) return decoded;
  const meter = new BodyMeter(req, limit);
  const stream = passWithin((bytes) => meter.add(bytes));
  req.once('error', () => stream.destroy(brokenOff()));
  return req.pipe(stream);
}

/** A body that the handler reads itself (`x-roster-deferred-body`). */
export interface DeferredBody<MediaType extends string = string> {
  readonly mediaType: MediaType;
  /**
   * The bytes as they arrive, to be read once. The rest of those that are not read to the end is discarded.
   * @throws {ProblemError} if there are too many bytes, if the body breaks off, if the sender is
   *   silent for too long, or if the sender's key is revoked or expires
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The longest silence of a sender, and the longest time for a whole body, in milliseconds. */
const TIMEOUT_MS = { silence: 30_000, whole: 60 * 60 * 1000 };

/** Times the sender only while a reader waits, since otherwise the reader causes the delay. */
export async function* readInTime(stream: Readable, { silence, whole } = TIMEOUT_MS): AsyncGenerator<Uint8Array> {
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
