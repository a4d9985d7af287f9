import type { IncomingMessage } from 'node:http';
import { type Duplex, PassThrough, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import type { Operation } from '../../contract/document.js';
import { isRowStream } from '../../edge/request.js';
import { ChunkMeter } from '../../edge/request-body.js';
import { bodyTooLarge, malformedBody, ProblemError, problem } from '../../problems/problem.js';
import { ByteLimitStream } from './byte-limit.js';
import { zstdDecoder } from './decode-zstd.js';
import { ZstdError, ZstdFrames } from './zstd-frames.js';

/** The encodings of compressed bodies (RFC 9110, section 8.4.1; RFC 8878). */
type Encoding = 'gzip' | 'zstd';

/** The most bytes of content for one byte of a compressed body, beyond the first mebibyte. */
const MAX_RATIO = 200;
const MEBIBYTE = 1024 * 1024;

/** Returns the encoding of a body; undefined if it is sent as it is. */
function encodingOf({ headers }: IncomingMessage): Encoding | 'other' | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return undefined;
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip';
  return encoding === 'zstd' ? 'zstd' : 'other';
}

/**
 * Returns the middleware that refuses bodies with an encoding that the operation does not take: all
 * but tables and rows are small, and come as they are.
 */
export function refuseOtherEncodings({ consumes }: Operation): RequestHandler {
  const takesCompressed = consumes.some(isRowStream);
  return (req, _res, next) => {
    const encoding = encodingOf(req);
    if (encoding === undefined || (takesCompressed && encoding !== 'other')) return next();
    const remedy = takesCompressed
      ? 'compress it with gzip or zstd, or send it as it is'
      : 'send the body as it is';
    throw problem(
      '/problems/unsupported-media-type',
      `The Content-Encoding "${req.headers['content-encoding']}" is not taken here; ${remedy}.`,
      {},
      { 'Accept-Encoding': takesCompressed ? 'gzip, zstd' : 'identity' },
    );
  };
}

/**
 * Refuses a part of a body, which would be taken for the whole (RFC 9110, section 14.5).
 */
export const refuseParts: RequestHandler = (req, _res, next) => {
  if (req.headers['content-range'] === undefined) return next();
  throw malformedBody('The body is a part, as its Content-Range says; send the whole.');
};

/**
 * Returns the bytes of a compressed body as they are decoded; undefined if the body is sent as it is.
 * The stream fails with the problem of a body that is damaged, cut off or too large.
 * @param limit the most bytes of content
 */
export function decodedBody(req: IncomingMessage, limit: number): Readable | undefined {
  const encoding = encodingOf(req);
  if (encoding !== 'gzip' && encoding !== 'zstd') return undefined;
  const raw = new ByteLimitStream(limit, () => bodyTooLarge(limit), new ChunkMeter(req));
  const content = new ContentLimit(encoding, limit, raw);
  const fail = (error: unknown) => content.destroy(problemOf(error, encoding, raw.seen));
  const pipe = (stages: readonly Duplex[]) => {
    let last: Duplex = raw;
    for (const stage of stages) {
      stage.on('error', fail);
      last = last.pipe(stage);
    }
    last.pipe(content);
    content.once('close', () => {
      for (const stage of [raw, ...stages]) stage.destroy();
    });
  };
  raw.on('error', fail);
  req.once('error', () => fail(malformedBody('The body broke off before its end.')));
  req.pipe(raw);
  if (encoding === 'gzip') pipe([createGunzip()]);
  else {
    const frames = new ZstdFrames();
    zstdDecoder(frames).then((decoder) => pipe([frames, decoder]), fail);
  }
  // If the request is refused first, nobody reads the stream, and its error would end the process.
  content.on('error', () => {});
  return content;
}

/** Passes the content of a compressed body through, within the limits of its size and ratio. */
class ContentLimit extends PassThrough {
  #seen = 0;

  constructor(
    private readonly encoding: Encoding,
    private readonly limit: number,
    private readonly raw: { readonly seen: number },
  ) {
    super();
  }

  override _transform(
    chunk: Buffer,
    encoding: BufferEncoding,
    done: Parameters<PassThrough['_transform']>[2],
  ): void {
    this.#seen += chunk.length;
    if (this.#seen > this.limit) done(bodyTooLarge(this.limit));
    else if (this.#seen > MEBIBYTE + MAX_RATIO * this.raw.seen) done(this.#bomb());
    else super._transform(chunk, encoding, done);
  }

  #bomb(): ProblemError {
    return problem(
      '/problems/body-too-large',
      `The ${this.encoding} body expands to more than ${MAX_RATIO} times its size; send it as it is, in parts.`,
    );
  }
}

/** @param at the bytes of the body that have arrived */
function problemOf(error: unknown, encoding: Encoding, at: number): Error {
  if (error instanceof ProblemError) return error;
  const reason = error instanceof ZstdError ? error.message : gzipFault(error);
  return malformedBody(
    `The ${encoding} body cannot be decoded: ${reason}, at byte ${at} or before.`,
  );
}

function gzipFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return 'it is cut off';
  return error instanceof Error ? error.message : 'it is damaged';
}
