import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Contract } from '../../../contract/document.js';
import type { components } from '../../../generated/openapi.js';
import { endWith, onResponseClose } from '../../edge/connections.js';
import { disableBodyTimeout, drainAndClose, endAndDiscard, hasBody } from '../../edge/request.js';
import { ProblemError, render } from '../../problems/problem.js';
import { pauseWork } from '../limits/request-gate.js';
import type { IsValid } from '../request-signal.js';
import { asProblem, type NoteFailure } from './error-handler.js';
import {
  CHUNK_SIZE,
  type Chunk,
  corkForTurn,
  STALLED_TIMEOUT_MS,
  type StreamPolicy,
  type StreamTimes,
  writeStream,
} from './write-stream.js';

/**
 * Serialized JSON, in pieces that together form one document of type `T`. For responses that are
 * too large to be built as objects, or that are read while they are written. Other requests are
 * served between two portions. A piece of bytes is UTF-8 and a portion of its own, and must not be
 * changed any more.
 */
export class JsonText<T> {
  declare readonly content: T;

  constructor(readonly pieces: Pieces) {}
}

type Pieces = Iterable<Chunk> | AsyncIterable<string>;

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
 * Bytes of any media type, sent as they are produced, and then freed: nobody else may use them. An
 * error before the first piece is answered with its problem. After that, it is the last line if the bytes are lines; else the connection is closed, so
 * that nobody takes a part for the whole.
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
  req: Request,
  res: Response,
  { status, body, headers }: AnyReply,
  context: ReplyContext,
  isValid: IsValid,
): Promise<void> | void {
  res.statusCode = status;
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
  if (body === undefined) res.end();
  else if (body instanceof JsonText) {
    res.setHeader('Content-Type', JSON_TYPE);
    return sendPieces(req, res, body.pieces);
  } else if (body instanceof PlainText) {
    const { mediaType, text } = body;
    if (typeof text === 'string') res.type(mediaType).send(text);
    else {
      res.setHeader('Content-Type', mediaType);
      return sendPieces(req, res, text);
    }
  } else if (body instanceof ByteStream) return sendBytes(req, res, body, context, isValid);
  else if (body instanceof EventStream) return sendEvents(req, res, body);
  else {
    res.setHeader('Content-Type', JSON_TYPE);
    const json = JSON.stringify(body);
    // The handler may have needed only the beginning of the body.
    if (hasBody(req) && !req.complete) {
      res.setHeader('Content-Length', Buffer.byteLength(json));
      drainAndClose(req, res, json);
    } else sendWhole(res, json);
  }
}

/** The longest time to send an answer whose source does not stall, in milliseconds. */
const SENDING_TIMEOUT_MS = 600_000;

/** Sends a complete answer, with its length. */
function sendWhole(res: Response, body: Chunk): void {
  res.setHeader('Content-Length', Buffer.byteLength(body));
  // Node writes text together with the headers, but bytes by themselves. In Latin-1 each byte is a
  // character, so that few bytes become text at little cost.
  if (typeof body === 'string') endWith(res, body);
  else if (body.length >= CHUNK_SIZE) res.end(body);
  else endWith(res, Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'), 'latin1');
  limitWait(res);
}

/** Limits the time for which a complete answer waits for its reader, and its memory. */
function limitWait(res: Response): void {
  // Usually the network has taken all of it by now, and no timeout is needed.
  if (!res.socket || res.socket.writableLength === 0) return;
  // The answer no longer needs the body of the request.
  res.req.body = undefined;
  res.locals.bodyShare?.release();
  const patience = setTimeout(() => res.destroy(), SENDING_TIMEOUT_MS);
  onResponseClose(res.req, res, () => clearTimeout(patience));
  // Without a listener, Node closes a connection that times out.
  res.setTimeout(STALLED_TIMEOUT_MS);
  const { slot } = res.locals;
  const endWait = slot?.unread.add(slot.owner, res.writableLength, () => res.destroy());
  if (endWait) onResponseClose(res.req, res, endWait);
}

async function stream<T>(
  req: Request,
  res: Response,
  source: Iterator<T> | AsyncIterator<T>,
  policy: StreamPolicy<T>,
): Promise<void> {
  const whole = await writeStream(req, res, source, policy);
  if (whole === undefined) limitWait(res);
  else sendWhole(res, whole);
}

/** Most answers are short, and nothing needs to wait for them. */
function sendPieces(req: Request, res: Response, pieces: Pieces): Promise<void> | void {
  if (Array.isArray(pieces)) {
    const [first = ''] = pieces;
    if (pieces.length <= 1 && first.length < CHUNK_SIZE) return sendWhole(res, first);
  }
  return stream(req, res, joinPieces(pieces), {
    encode: (chunk) => chunk,
    times: { longest: SENDING_TIMEOUT_MS },
    readAhead: () => 2,
    pause: () => pauseWork(res),
  });
}

/** Joins texts to chunks of at least CHUNK_SIZE, but for the last. */
async function* joinPieces(pieces: Pieces): AsyncGenerator<Chunk, undefined> {
  let text = '';
  for await (const piece of pieces) {
    const isText = typeof piece === 'string';
    if (isText) text += piece;
    if (text.length >= CHUNK_SIZE || (!isText && text !== '')) {
      yield text;
      text = '';
    }
    if (!isText) yield piece;
  }
  if (text !== '') yield text;
}

/**
 * Unless it begins at once, nothing is sent before the first bytes, so that an error before them is
 * answered with its problem.
 */
function sendBytes(
  req: Request,
  res: Response,
  { mediaType, pieces, options: { isStream, areLines, beginsAtOnce, trailer } }: ByteStream,
  context: ReplyContext,
  isValid: IsValid,
): Promise<void> {
  const { contract, stopping, times = STREAM_TIMES } = context;
  if (isStream) disableBodyTimeout(req);
  // HTTP/1.0 has no chunks, which trailers follow.
  const hasTrailer = trailer !== undefined && req.httpVersion !== '1.0';
  res.setHeader('Content-Type', mediaType);
  return stream(req, res, pieces[Symbol.asyncIterator](), {
    encode: (piece) => {
      if (piece instanceof Uint8Array) return piece;
      if (piece instanceof ProblemError) return problemLine(contract, piece, req, res);
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
    endEarly: areLines ? (error) => endWithLine(req, res, error, context) : undefined,
    freesBytes: true,
  });
}

/** The time between two comments that keep an idle connection alive, in milliseconds. */
const PING_INTERVAL_MS = 15_000;

/** Sends server-sent events, as the HTML standard defines them. */
function sendEvents(req: Request, res: Response, { events, isNamed }: EventStream): Promise<void> {
  disableBodyTimeout(req);
  res.type('text/event-stream');
  // A proxy that buffers would hold events back.
  res.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  const pings = setInterval(() => {
    corkForTurn(res);
    res.write(': ping\n\n');
  }, PING_INTERVAL_MS);
  return stream(req, res, events[Symbol.asyncIterator](), {
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
  req: Request,
  res: Response,
  thrown: unknown,
  { contract, noteFailure, times = STREAM_TIMES }: ReplyContext,
): void {
  const { socket } = req;
  if (socket.destroyed) {
    res.destroy();
    return;
  }
  const error = asProblem(thrown);
  if (error.cause) noteFailure(req, res, error.cause, 'a stream failed');
  endAndDiscard(req, res, problemLine(contract, error, req, res), times.discarding);
}

function problemLine(contract: Contract, error: ProblemError, { originalUrl }: Request, { locals }: Response): string {
  const at = { instance: originalUrl, requestId: locals.requestId ?? '' };
  return `${JSON.stringify({ problem: render(contract, error, at) })}\n`;
}
