import { once } from 'node:events';
import type { Response } from 'express';
import { onResponseClose } from '../../edge/responses.js';
import { JsonText, PlainText } from '../handlers.js';
import { pauseWork } from '../work-turn.js';

/** A reply whose type is checked by `reply()` only. */
export interface AnyReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes a reply to the connection; returns a promise if it cannot be written at once. */
export function send(res: Response, { status, body, headers }: AnyReply): Promise<void> | void {
  res.statusCode = status;
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
  if (body === undefined) res.end();
  else if (body instanceof JsonText) return sendText(res, body);
  else if (body instanceof PlainText) return sendPlainText(res, body);
  else {
    res.json(body);
    boundWait(res);
  }
}

/**
 * The longest time in which a caller may read nothing of a response, and the longest for all of it,
 * in milliseconds.
 */
const STALLED_TIMEOUT_MS = 30_000;
const SENDING_TIMEOUT_MS = 600_000;

/**
 * The number of characters that are sent at once. A shorter response is sent whole, with its
 * length.
 */
const PORTION = 64 * 1024;

/** Bytes, or text of about the same size. */
type Portion = string | Uint8Array;

function sendPlainText(res: Response, { mediaType, text }: PlainText): Promise<void> | void {
  if (typeof text === 'string') res.type(mediaType).send(text);
  else {
    res.setHeader('Content-Type', mediaType);
    return sendPieces(res, text);
  }
}

function sendText(res: Response, { pieces }: JsonText<unknown>): Promise<void> | void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  if (Array.isArray(pieces) && pieces.length === 1 && pieces[0].length < PORTION) {
    sendWhole(res, pieces[0]);
  } else {
    return sendPieces(res, pieces);
  }
}

function sendPieces(res: Response, pieces: JsonText<unknown>['pieces']): Promise<void> | void {
  if (Symbol.asyncIterator in pieces) return sendEach(res, portionsAsTheyCome(pieces));
  // Most responses are one short portion, for which nothing needs to wait.
  const portions = portionsOf(pieces);
  const first = portions.next();
  const held: Portion = first.done ? '' : first.value;
  if (held.length >= PORTION) return sendEach(res, portions, held);
  const second = portions.next();
  if (!second.done) return sendPortions(res, held, second.value, portions);
  sendWhole(res, held);
}

/** @param first the portion that was taken already */
async function sendEach(res: Response, portions: Portions, first?: Portion): Promise<void> {
  const held = first ?? (await nextPortion(portions)) ?? '';
  if (held.length >= PORTION) await pauseWork(res);
  const second = await nextPortion(portions);
  if (second === undefined) sendWhole(res, held);
  else await sendPortions(res, held, second, portions);
}

async function nextPortion(portions: Portions): Promise<Portion | undefined> {
  const next = await portions.next();
  return next.done ? undefined : next.value;
}

function sendWhole(res: Response, text: Portion): void {
  res.setHeader('Content-Length', Buffer.byteLength(text));
  // Node writes text together with the headers, but bytes by themselves. In Latin-1 each byte is a character, so
  // that few bytes become text at little cost.
  if (typeof text === 'string' || text.length >= PORTION) res.end(text);
  else res.end(bufferOf(text).toString('latin1'), 'latin1');
  boundWait(res);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/**
 * Limits the time for which a complete response waits for its reader, and the memory that it takes.
 */
function boundWait(res: Response): void {
  // Usually the network has taken all of it by now, and no timeout is needed.
  if (res.socket?.writableLength === 0) return;
  releaseBody(res);
  onResponseClose(res.req, res, armSendTimeout(res));
  countUnread(res);
}

/** Counts the memory of a complete response until its reader has taken it. */
function countUnread(res: Response): void {
  const endWait = res.locals.turn?.awaitReader(res.writableLength, () => res.destroy());
  if (endWait) onResponseClose(res.req, res, endWait);
}

/** Releases the memory of the request's body, which the response no longer needs. */
function releaseBody(res: Response): void {
  res.req.body = undefined;
  res.locals.bodyShare?.release();
}

/** Created once: the default reason would capture a stack for each response. */
const GONE = new Error('The answer has ended');

async function sendPortions(
  res: Response,
  first: Portion,
  second: Portion,
  rest: Portions,
): Promise<void> {
  const gone = new AbortController();
  const keepPatience = armSendTimeout(res);
  onResponseClose(res.req, res, () => {
    keepPatience();
    gone.abort(GONE);
  });
  let held = second;
  try {
    if (!res.write(first)) await drained(res, held.length, gone.signal);
    for (;;) {
      await pauseWork(res);
      if (gone.signal.aborted) return;
      const next = await rest.next();
      if (next.done) break;
      const written = held;
      held = next.value;
      if (!res.write(written)) await drained(res, held.length, gone.signal);
    }
  } finally {
    await rest.return?.();
  }
  releaseBody(res);
  res.end(held);
  if (res.writableLength > 0) countUnread(res);
}

/**
 * Ends the connection of a caller who reads nothing, or too slowly. Returns a function that cancels
 * the timeout.
 */
function armSendTimeout(res: Response): () => void {
  const patience = setTimeout(() => res.destroy(), SENDING_TIMEOUT_MS);
  res.setTimeout(STALLED_TIMEOUT_MS, () => res.destroy());
  return () => clearTimeout(patience);
}

type Portions = Iterator<Portion> | AsyncIterator<Portion>;

function* portionsOf(pieces: Iterable<Portion>): Generator<Portion, undefined> {
  let portion = '';
  for (const piece of pieces) {
    const isText = typeof piece === 'string';
    if (isText) portion += piece;
    if (portion.length >= PORTION || (!isText && portion !== '')) {
      yield portion;
      portion = '';
    }
    if (!isText) yield piece;
  }
  if (portion !== '') yield portion;
  return undefined;
}

async function* portionsAsTheyCome(pieces: AsyncIterable<string>): AsyncGenerator<Portion> {
  let portion = '';
  for await (const piece of pieces) {
    portion += piece;
    if (portion.length < PORTION) continue;
    yield portion;
    portion = '';
  }
  if (portion !== '') yield portion;
}

/** The longest time that a prompt reader takes, in milliseconds. */
const SLOW_READER_MS = 100;

/**
 * Waits until the caller has taken the written bytes, or has disconnected.
 * @param held the number of the next bytes, which are already in memory
 */
async function drained(res: Response, held: number, gone: AbortSignal): Promise<void> {
  let endWait: (() => void) | undefined;
  const slow = setTimeout(() => {
    const { turn } = res.locals;
    turn?.pause();
    endWait = turn?.awaitReader(res.writableLength + held, () => res.destroy());
    res.locals.bodyShare?.awaitReader(() => res.destroy());
  }, SLOW_READER_MS);
  try {
    await once(res, 'drain', { signal: gone });
  } catch (error) {
    if (!gone.aborted) throw error;
  } finally {
    clearTimeout(slow);
    endWait?.();
  }
}
