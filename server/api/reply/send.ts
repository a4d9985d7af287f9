import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Contract } from '../../contract/document.js';
import { LINES_TYPE } from '../../edge/request.js';
import { disableBodyTimeout, hasSmallChunks } from '../../edge/request-body.js';
import { ProblemError, render } from '../../problems/problem.js';
import { ByteStream, EventStream, JsonLines, JsonText, PlainText } from '../handlers.js';
import type { IsKeyValid } from '../request-signal.js';
import { pauseWork } from '../work-slot.js';
import { asProblem, type NoteFailure } from './error-handler.js';
import {
  CHUNK_SIZE,
  type Chunk,
  corkForTurn,
  limitWait,
  SENDING_TIMEOUT_MS,
  STALLED_TIMEOUT_MS,
  type StreamPolicy,
  type StreamTimes,
  sendWhole,
  writeStream,
} from './write-stream.js';

/** A reply whose type is checked by `reply()` only. */
export interface AnyReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What all replies share. */
export interface ReplyContext {
  readonly contract: Contract;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  readonly noteFailure: NoteFailure;
  /** The timeouts of streams. */
  readonly times?: StreamTimes;
}

const STREAM_TIMES: StreamTimes = {
  stalled: STALLED_TIMEOUT_MS,
  longest: 60 * 60 * 1000,
  discarding: 5_000,
};

/** Writes a reply to the connection; returns a promise if it cannot be written at once. */
export function send(
  req: Request,
  res: Response,
  { status, body, headers }: AnyReply,
  context: ReplyContext,
  isKeyValid: IsKeyValid,
): Promise<void> | void {
  res.statusCode = status;
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
  if (body === undefined) res.end();
  else if (body instanceof JsonText) {
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    return sendPieces(req, res, body.pieces);
  } else if (body instanceof PlainText) return sendPlainText(req, res, body);
  else if (body instanceof JsonLines) return sendLines(req, res, body, context, isKeyValid);
  else if (body instanceof ByteStream) return sendBytes(req, res, body, context, isKeyValid);
  else if (body instanceof EventStream) return sendEvents(req, res, body);
  else {
    res.json(body);
    limitWait(res);
  }
}

function sendPlainText(
  req: Request,
  res: Response,
  { mediaType, text }: PlainText,
): Promise<void> | void {
  if (typeof text !== 'string') {
    res.setHeader('Content-Type', mediaType);
    return sendPieces(req, res, text);
  }
  res.type(mediaType).send(text);
}

/** Most answers are one short chunk, for which nothing needs to wait. */
function sendPieces(
  req: Request,
  res: Response,
  pieces: JsonText<unknown>['pieces'],
): Promise<void> | void {
  if (Array.isArray(pieces) && pieces.length === 1 && pieces[0].length < CHUNK_SIZE) {
    return sendWhole(res, pieces[0]);
  }
  const policy: StreamPolicy<Chunk> = {
    encode: (chunk) => chunk,
    times: { longest: SENDING_TIMEOUT_MS },
    readAhead: 2,
    pause: () => pauseWork(res),
  };
  if (Symbol.asyncIterator in pieces) {
    return writeStream(req, res, joinAsTheyCome(pieces), policy);
  }
  const chunks = joinPieces(pieces);
  const first = chunks.next();
  if (first.done) return sendWhole(res, '');
  if (first.value.length >= CHUNK_SIZE) {
    return writeStream(req, res, prepend([first.value], chunks), policy);
  }
  const second = chunks.next();
  if (second.done) return sendWhole(res, first.value);
  return writeStream(req, res, prepend([first.value, second.value], chunks), policy);
}

function* prepend(first: readonly Chunk[], rest: Iterable<Chunk>): Generator<Chunk> {
  yield* first;
  yield* rest;
}

function* joinPieces(pieces: Iterable<Chunk>): Generator<Chunk, undefined> {
  let text = '';
  for (const piece of pieces) {
    const isText = typeof piece === 'string';
    if (isText) text += piece;
    if (text.length >= CHUNK_SIZE || (!isText && text !== '')) {
      yield text;
      text = '';
    }
    if (!isText) yield piece;
  }
  if (text !== '') yield text;
  return undefined;
}

async function* joinAsTheyCome(pieces: AsyncIterable<string>): AsyncGenerator<Chunk> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK_SIZE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** A stream that ends early ends with a line that states the reason, if the connection still exists. */
function sendLines(
  req: Request,
  res: Response,
  { blocks }: JsonLines,
  context: ReplyContext,
  isKeyValid: IsKeyValid,
): Promise<void> {
  disableBodyTimeout(req);
  res.type(LINES_TYPE);
  const line = (part: Uint8Array | ProblemError) =>
    part instanceof ProblemError ? problemLine(context.contract, part, req, res) : part;
  return writeStream(req, res, blocks[Symbol.asyncIterator](), {
    encode: (block) => {
      const [first] = block;
      return first && block.length === 1 ? line(first) : Buffer.concat(block.map(line));
    },
    times: context.times ?? STREAM_TIMES,
    mayStall: true,
    watch: { stopping: context.stopping, isKeyValid },
    readAhead: 0,
    // Senders that wait for the head of the response before they send lines need it now.
    onBegin: () => res.flushHeaders(),
    pause: nextTurn,
    endEarly: (error) => endWithLine(req, res, error, context),
  });
}

/** Nothing is sent before the first bytes, so that an error before them is answered with its problem. */
function sendBytes(
  req: Request,
  res: Response,
  { mediaType, pieces, options: { isStream, areLines, trailer } }: ByteStream,
  context: ReplyContext,
  isKeyValid: IsKeyValid,
): Promise<void> {
  if (isStream) disableBodyTimeout(req);
  // HTTP/1.0 has no chunks, which trailers follow.
  const hasTrailer = trailer !== undefined && req.httpVersion !== '1.0';
  res.setHeader('Content-Type', mediaType);
  return writeStream(req, res, pieces[Symbol.asyncIterator](), {
    encode: (piece) => {
      if (piece instanceof Uint8Array) return piece;
      if (piece !== 'progress') {
        if (hasTrailer) res.addTrailers(piece.fields);
        else if (!res.headersSent) res.set(piece.fields);
      }
      return '';
    },
    times: context.times ?? STREAM_TIMES,
    mayStall: true,
    // Another request may finish when the service stops, and its key was checked.
    watch: isStream ? { stopping: context.stopping, isKeyValid } : undefined,
    // A body that has arrived is soon answered or refused. The end of another may be far.
    readAhead: isStream && !req.complete ? 1 : 2,
    isEndless: isStream,
    onBegin: () => {
      if (hasTrailer) res.setHeader('Trailer', trailer);
    },
    pause: nextTurn,
    endEarly: areLines ? (error) => endWithLine(req, res, error, context) : undefined,
    freesBytes: true,
  });
}

/** The time between two comments that keep an idle connection alive, in milliseconds. */
const PING_INTERVAL_MS = 15_000;

/** Sends server-sent events, as the HTML standard defines them. */
function sendEvents(req: Request, res: Response, { events }: EventStream): Promise<void> {
  disableBodyTimeout(req);
  res.type('text/event-stream');
  // A proxy that buffers would hold events back.
  res.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  const pings = setInterval(() => {
    corkForTurn(res);
    res.write(': ping\n\n');
  }, PING_INTERVAL_MS);
  return writeStream(req, res, events[Symbol.asyncIterator](), {
    encode: (event) => `data: ${JSON.stringify(event)}\n\n`,
    times: {},
    readAhead: 0,
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
  const error = asProblem(thrown, () => undefined);
  if (error.cause) noteFailure(req, res, error.cause, 'a stream failed');
  const line = problemLine(contract, error, req, res);
  req.unpipe();
  if (hasSmallChunks(req)) {
    req.pause();
    res.end(line, () => socket.destroy());
    return;
  }
  res.end(line);
  req.resume();
  const timer = setTimeout(() => socket.destroy(), times.discarding);
  const left = () => clearTimeout(timer);
  req.once('end', left);
  socket.once('close', left);
}

function problemLine(
  contract: Contract,
  error: ProblemError,
  { originalUrl }: Request,
  { locals }: Response,
): Buffer {
  const at = { instance: originalUrl, requestId: locals.requestId ?? '' };
  return Buffer.from(`${JSON.stringify({ problem: render(contract, error, at) })}\n`);
}
