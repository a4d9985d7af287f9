import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
import { ChunkMeter } from '../../http/chunk-size.js';
import { JSON_TYPE, mediaType } from '../../http/media-type.js';
import { announcedLength, hasBody } from '../../http/message-body.js';
import { atClose } from '../../http/on-response-close.js';
import { bodyTooLarge, malformedBody, type ProblemError } from '../../problems/problem.js';

/** Bounds the bytes of all bodies that are in memory at once. */
export interface BodyBudget {
  /**
   * Begins to count a body.
   * @param giveUp called at most once, and only while the body arrives, if its memory is needed for others
   */
  begin(caller: Caller | undefined, giveUp: (reason: ProblemError) => void): BodyShare;
}

/** The share of one body in the budget. */
export interface BodyShare {
  /** Counts bytes that have arrived. */
  add(bytes: number): void;
  /** Ends the arrival: the body is worked on now, and cannot be given up. */
  complete(): void;
  /** Allows the body to be given up again, as its answer waits for a slow reader. */
  awaitReader(giveUp: () => void): void;
  /** Gives the memory back. */
  release(): void;
}

/** Throws the problem of a request to something that does not exist, as far as its address and its caller tell. */
export type RefuseMissingTarget = (res: Response) => Promise<void>;

/** How the bodies of an operation are read. */
export interface BufferOptions {
  /** In bytes. */
  readonly limit: number;
  readonly budget: BodyBudget;
  readonly refuseMissingTarget?: RefuseMissingTarget;
}

/** A body of more bytes, or of an unknown number, is read only for a target that exists: looking it up costs less. */
const SMALL = 256 * 1024;

/**
 * Reads a JSON body into `req.body` as bytes. A body whose announced length exceeds the limit is refused
 * before any of it is read, and a large one if its target does not exist.
 */
export function bufferBody(options: BufferOptions): RequestHandler {
  const { limit, refuseMissingTarget } = options;
  return (req, res, next) => {
    if (!hasBody(req) || mediaType(req) !== JSON_TYPE) return next();
    const length = announcedLength(req);
    if (length !== undefined && length > limit) throw bodyTooLarge(limit);
    const isSmall = length !== undefined && length <= SMALL;
    if (isSmall || !refuseMissingTarget) return collect(req, res, options, next);
    return refuseMissingTarget(res).then(() => collect(req, res, options, next));
  };
}

function collect(
  req: Request,
  res: Response,
  { limit, budget }: BufferOptions,
  next: NextFunction,
): void {
  // A caller who left during a look-up cannot be answered, and sends nothing more.
  if (req.destroyed) return;
  const meter = new ChunkMeter(req);
  const chunks: Buffer[] = [];
  let length = 0;
  const stop = () => {
    req.off('data', onData).off('end', onEnd).off('error', onError);
  };
  const refuse = (reason: ProblemError) => {
    stop();
    chunks.length = 0;
    share.release();
    next(reason);
  };
  const share = budget.begin(res.locals.caller, refuse);
  const onData = (chunk: Buffer) => {
    length += chunk.length;
    if (length > limit) return refuse(bodyTooLarge(limit));
    const tooSmall = meter.add(chunk.length);
    if (tooSmall) return refuse(tooSmall);
    chunks.push(chunk);
    share.add(chunk.length);
  };
  const onEnd = () => {
    stop();
    share.complete();
    const [first] = chunks;
    req.body = first && chunks.length === 1 ? first : Buffer.concat(chunks, length);
    next();
  };
  const onError = () => refuse(malformedBody('The body broke off before its end.'));
  res.locals.bodyShare = share;
  atClose(req, res, () => share.release());
  req.on('data', onData).on('end', onEnd).on('error', onError);
}
