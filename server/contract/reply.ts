import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { JsonText, PlainText } from './handlers.js';

/** A reply as `reply()` took it; which ones there are, the types of the contract say. */
export interface AnyReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes a reply to the wire. */
export async function send(res: Response, { status, body, headers }: AnyReply): Promise<void> {
  res.status(status);
  if (headers) res.set(headers);
  if (body === undefined) res.end();
  else if (body instanceof JsonText) await sendPieces(res, body.pieces);
  else if (body instanceof PlainText) res.type(body.mediaType).send(body.text);
  else res.json(body);
}

/** A caller who takes nothing of an answer for so long, in milliseconds, is given up. */
const STALLED = 60_000;

/** How many characters go out at once. A shorter answer is sent whole, and so with its length. */
const PORTION = 64 * 1024;

async function sendPieces(res: Response, pieces: Iterable<string>): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  res.setTimeout(STALLED, () => res.destroy());
  res.type('application/json');
  let portion = '';
  for (const piece of pieces) {
    portion += piece;
    if (portion.length < PORTION) continue;
    if (!res.write(portion)) await drained(res, gone.signal);
    portion = '';
    await nextTurn();
    if (gone.signal.aborted) return;
  }
  if (res.headersSent) res.end(portion);
  else res.send(portion);
}

/** Waits until the caller has taken what was written, or is gone. */
async function drained(res: Response, gone: AbortSignal): Promise<void> {
  try {
    await once(res, 'drain', { signal: gone });
  } catch (error) {
    if (!gone.aborted) throw error;
  }
}
