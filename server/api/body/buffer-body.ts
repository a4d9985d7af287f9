import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
import { announcedLength, hasBody, isText, JSON_TYPE, mediaType } from '../../edge/request.js';
import { ChunkMeter } from '../../edge/request-body.js';
import { onResponseClose } from '../../edge/responses.js';
import { bodyTooLarge, malformedBody, ProblemError } from '../../problems/problem.js';
import { decodedBody } from './decode-body.js';

/** Limits the bytes of all bodies that are in memory at once. */
export interface BodyBudget {
  /**
   * Starts to count a body.
   * @param giveUp called at most once, and only while the body arrives, if its memory is needed for
   *   others
   */
  begin(caller: Caller | undefined, giveUp: (reason: ProblemError) => void): BodyShare;
}

/** The share of one body in the budget. */
export interface BodyShare {
  /** Counts bytes that have arrived. */
  add(bytes: number): void;
  /** Marks the body as complete. It is being processed and cannot be given up. */
  complete(): void;
  /** Allows the body to be given up again, because its response waits for a slow reader. */
  awaitReader(giveUp: () => void): void;
  /** Returns the memory to the budget. */
  release(): void;
}

/**
 * Throws the problem of a request whose target does not exist, as far as its address and caller
 * show.
 */
export type RefuseMissingTarget = (res: Response) => Promise<void>;

/** The options for reading the bodies of an operation. */
export interface BufferOptions {
  /** The largest body, in bytes. */
  readonly limit: number;
  readonly budget: BodyBudget;
  readonly refuseMissingTarget?: RefuseMissingTarget;
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
export function bufferBody(options: BufferOptions): RequestHandler {
  const { limit, refuseMissingTarget } = options;
  return (req, res, next) => {
    const type = mediaType(req);
    if (!hasBody(req) || !(type === JSON_TYPE || isText(type))) return next();
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
  // A caller who disconnected during the look-up gets no response and sends nothing more.
  if (req.destroyed) return;
  const meter = new ChunkMeter(req);
  const chunks: Buffer[] = [];
  let length = 0;
  const source = decodedBody(req, limit) ?? req;
  const stop = () => {
    source.off('data', onData).off('end', onEnd).off('error', onError);
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
  const onError = (error: unknown) =>
    refuse(
      error instanceof ProblemError ? error : malformedBody('The body broke off before its end.'),
    );
  res.locals.bodyShare = share;
  onResponseClose(req, res, () => share.release());
  source.on('data', onData).on('end', onEnd).on('error', onError);
}
