import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { Contract } from '../../../contract/document.js';
import type { components } from '../../../generated/openapi.js';
import { pausing } from '../../common/pausing.js';
import { Exchange } from '../../edge/exchange.js';
import { hasBody } from '../../edge/request.js';
import { ProblemError, render } from '../../problems/problem.js';
import type { JsonChunks } from '../../store/rows.js';
import type { IsValid } from '../request-signal.js';
import { asProblem, type NoteFailure } from './error-handler.js';
import {
  CHUNK_SIZE,
  type Chunk,
  corkForTurn,
  limitWait,
  type Pieces,
  STALLED_TIMEOUT_MS,
  type StreamTimes,
  writePieces,
  writeStream,
} from './write-stream.js';

/**
 * Serialized JSON, in pieces that together form one document of type `T`. For responses that are too large to be built
 * as objects, or that are read while they are written. Other requests are served between two portions. A piece of bytes
 * is UTF-8 and a separate portion, and must not be changed any more.
 */
export class JsonText<T> {
  declare readonly content: T;
  /** The only piece of a short text, as most are: nothing needs to wait for it. */
  readonly whole: Chunk | undefined;

  constructor(readonly pieces: Pieces) {
    if (!Array.isArray(pieces) || pieces.length > 1) return;
    const [only = '']: readonly Chunk[] = pieces;
    if (only.length < CHUNK_SIZE) this.whole = only;
  }
}

/** A response that shows a resource, with its entity tag. */
export interface Tagged<T> {
  readonly body: JsonText<T>;
  readonly headers: { readonly ETag: string };
}

/**
 * Returns the body and the strong entity tag (RFC 9110, section 8.8.3) of a response that shows a
 * resource. The tag is a digest of the body; other requests are served while it is computed.
 */
export async function withEtag<T>(chunks: JsonChunks): Promise<Tagged<T>> {
  return { body: new JsonText<T>(chunks), headers: { ETag: await entityTag(chunks) } };
}

export async function entityTag(chunks: JsonChunks): Promise<string> {
  const [first = ''] = chunks;
  if (chunks.length <= 1) return quoteTag(hash('sha256', first, 'base64url'));
  return quoteTag(await hashPieces(chunks, 'base64url'));
}

/** Computes the SHA-256 of a text in pieces, and yields to other requests meanwhile. */
export async function hashPieces(pieces: Iterable<string>, encoding: 'base64url' | 'hex'): Promise<string> {
  const pause = pausing();
  const digest = createHash('sha256');
  for (const piece of pieces) {
    digest.update(piece);
    await pause();
  }
  return digest.digest(encoding);
}

export function quoteTag(digest: string): string {
  // 132 bits suffice: nobody gains anything from a collision with their own resource.
  return `"${digest.slice(0, 22)}"`;
}

export type StreamPiece =
  | Uint8Array
  /** Input was read that gives no bytes yet. */
  | 'progress'
  /** Becomes the line `{"problem": …}`, and further lines may follow. */
  | ProblemError
  /** Fields for the header if no bytes came before, else for the trailer. */
  | { readonly fields: Readonly<Record<string, string>> };

export interface ByteStreamOptions {
  /** True if the body is a stream, too, with its time limits. */
  readonly isStream: boolean;
  /** True if the bytes are lines of JSON, so that the last one can tell of a fault. */
  readonly areLines: boolean;
  /** True if the head is sent before the first line: senders wait for it before they send lines. */
  readonly beginsAtOnce?: boolean;
  /** The field that may come after the bytes (RFC 9110, section 6.6.2). */
  readonly trailer?: string | undefined;
}

/**
 * Bytes of any media type. They are sent as they are produced, and then freed, so nothing else may use them. An error
 * before the first piece is answered with its problem. A later error becomes the last line if the bytes are lines;
 * otherwise the connection is closed, so that no client mistakes a part for the whole.
 */
export class ByteStream {
  constructor(
    readonly mediaType: string,
    readonly pieces: AsyncIterable<StreamPiece>,
    readonly options: ByteStreamOptions,
  ) {}
}

export type AgentEvent = components['schemas']['AgentEvent'];

/** The event that ends a stream for clients of OpenAI's API. */
export const DONE = '[DONE]';

export type ServerEvent =
  | AgentEvent
  | components['schemas']['ChatCompletionEvent']
  | components['schemas']['OpenaiResponseEvent']
  | components['schemas']['McpEvent']
  | typeof DONE;

/**
 * Server-sent events, each sent as it is produced. The source reports its own failures as events;
 * it ends early when the request's `signal` is aborted.
 */
export class EventStream {
  /** @param isNamed true if each event has its `type` as its name, too */
  constructor(
    readonly events: AsyncIterable<ServerEvent>,
    readonly isNamed = false,
  ) {}
}

/**
 * Text of a media type other than JSON, with its parameters, such as `text/plain; version=0.0.4`.
 * A text in pieces may be large: other requests are served between two portions of it.
 */
export class PlainText {
  constructor(
    readonly mediaType: string,
    readonly text: string | readonly string[],
  ) {}
}

/** A reply whose type is checked by `reply()` only. */
export interface AnyReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ReplyContext {
  readonly contract: Contract;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  readonly noteFailure: NoteFailure;
  readonly times?: StreamTimes;
}

const STREAM_TIMES: StreamTimes = { stalled: STALLED_TIMEOUT_MS, longest: 60 * 60 * 1000, discarding: 5_000 };

const JSON_TYPE = 'application/json; charset=utf-8';

/** Writes a reply to the connection; returns a promise if it cannot be written at once. */
export function send(
  res: Response,
  { status, body, headers }: AnyReply,
  context: ReplyContext,
  isValid: IsValid,
): Promise<void> | void {
  const { req } = res;
  res.statusCode = status;
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
  if (body === undefined) return void res.end();
  if (body instanceof ByteStream) return sendBytes(res, body, context, isValid);
  if (body instanceof EventStream) return sendEvents(res, body);
  if (body instanceof PlainText) {
    const { mediaType, text } = body;
    if (typeof text === 'string') return void res.type(mediaType).send(text);
    res.setHeader('Content-Type', mediaType);
    return writePieces(res, text);
  }
  res.setHeader('Content-Type', JSON_TYPE);
  let whole: Chunk;
  if (!(body instanceof JsonText)) {
    whole = JSON.stringify(body);
    // The handler may have needed only the beginning of the body.
    if (hasBody(req) && !req.complete) return Exchange.of(res).endUnread(whole);
  } else if (body.whole === undefined) return writePieces(res, body.pieces);
  else ({ whole } = body);
  Exchange.of(res).end(whole);
  // Usually the network has taken all of it by now, and no timeout is needed.
  if (res.socket?.writableLength) limitWait(res);
}

/**
 * Unless it begins at once, nothing is sent before the first bytes, so that an error before them is
 * answered with its problem.
 */
function sendBytes(
  res: Response,
  { mediaType, pieces, options: { isStream, areLines, beginsAtOnce, trailer } }: ByteStream,
  context: ReplyContext,
  isValid: IsValid,
): Promise<void> {
  const { contract, stopping, times = STREAM_TIMES } = context;
  const { req } = res;
  if (isStream) Exchange.of(res).disableBodyTimeout();
  // HTTP/1.0 has no chunks, which trailers follow.
  const hasTrailer = trailer !== undefined && req.httpVersion !== '1.0';
  res.setHeader('Content-Type', mediaType);
  return writeStream(res, pieces[Symbol.asyncIterator](), {
    encode: (piece) => {
      if (piece instanceof Uint8Array) return piece;
      if (piece instanceof ProblemError) return problemLine(contract, piece, res);
      if (piece !== 'progress') {
        if (hasTrailer) res.addTrailers(piece.fields);
        else if (!res.headersSent) res.set(piece.fields);
      }
      return '';
    },
    times,
    isLive: true,
    mayStall: true,
    // Another request may finish when the service stops, and its key was checked.
    watch: isStream ? { stopping, isValid, advice: 'send the rest' } : undefined,
    // A body that has arrived is soon answered or refused. The end of another may be far.
    readAhead: () => {
      if (beginsAtOnce) return 0;
      return isStream && !req.complete ? 1 : 2;
    },
    isEndless: isStream,
    onBegin: () => {
      if (hasTrailer) res.setHeader('Trailer', trailer);
      if (beginsAtOnce) res.flushHeaders();
    },
    pause: nextTurn,
    endEarly: areLines ? (error) => endWithLine(res, error, context) : undefined,
    freesBytes: true,
  });
}

/** The time between two comments that keep an idle connection alive, in milliseconds. */
const PING_INTERVAL_MS = 15_000;

/** Sends server-sent events, as the HTML standard defines them. */
function sendEvents(res: Response, { events, isNamed }: EventStream): Promise<void> {
  Exchange.of(res).disableBodyTimeout();
  res.type('text/event-stream');
  // A proxy that buffers would hold events back.
  res.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  const pings = setInterval(() => {
    corkForTurn(res);
    res.write(': ping\n\n');
  }, PING_INTERVAL_MS);
  return writeStream(res, events[Symbol.asyncIterator](), {
    encode: (event) => {
      if (event === DONE) return `data: ${DONE}\n\n`;
      const name = isNamed && 'type' in event ? `event: ${event.type}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    },
    times: {},
    isLive: true,
    readAhead: () => 0,
  }).finally(() => clearInterval(pings));
}

/** Sends a last line with the reason for the early end of lines, and discards further input for a while. */
function endWithLine(
  res: Response,
  thrown: unknown,
  { contract, noteFailure, times = STREAM_TIMES }: ReplyContext,
): void {
  const { req } = res;
  if (req.socket.destroyed) {
    res.destroy();
    return;
  }
  const error = asProblem(thrown);
  if (error.cause) noteFailure(req, res, error.cause, 'a stream failed');
  Exchange.of(res).endEarly(problemLine(contract, error, res), times.discarding);
}

function problemLine(contract: Contract, error: ProblemError, { req, locals }: Response): string {
  const at = { instance: req.originalUrl, requestId: locals.requestId ?? '' };
  return `${JSON.stringify({ problem: render(contract, error, at) })}\n`;
}
