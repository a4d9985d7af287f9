import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { atClose } from './at-close.js';
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
  else if (body instanceof JsonText) await sendPieces(res, body);
  else if (body instanceof PlainText) res.type(body.mediaType).send(body.text);
  else res.json(body);
}

/** A caller who takes nothing of an answer for so long is given up, in milliseconds; and whoever takes it in sips. */
const STALLED = 30_000;
const LONGEST = 600_000;

/** How many characters go out at once. A shorter answer is sent whole, and so with its length. */
const PORTION = 64 * 1024;

async function sendPieces(res: Response, { pieces }: JsonText<unknown>): Promise<void> {
  const gone = new AbortController();
  const patience = setTimeout(() => res.destroy(), LONGEST);
  atClose(res.req, res, () => {
    clearTimeout(patience);
    gone.abort();
  });
  res.setTimeout(STALLED, () => res.destroy());
  res.type('application/json');
  let held = '';
  for await (const portion of portionsOf(pieces)) {
    if (held !== '') {
      if (!res.write(held)) await drained(res, gone.signal);
      await nextTurn();
      if (gone.signal.aborted) return;
    }
    held = portion;
  }
  if (res.headersSent) res.end(held);
  else res.send(held);
}

function portionsOf(pieces: JsonText<unknown>['pieces']) {
  return Symbol.asyncIterator in pieces ? portionsAsTheyCome(pieces) : portions(pieces);
}

function* portions(pieces: Iterable<string>): Generator<string> {
  let portion = '';
  for (const piece of pieces) {
    portion += piece;
    if (portion.length < PORTION) continue;
    yield portion;
    portion = '';
  }
  yield portion;
}

async function* portionsAsTheyCome(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let portion = '';
  for await (const piece of pieces) {
    portion += piece;
    if (portion.length < PORTION) continue;
    yield portion;
    portion = '';
  }
  yield portion;
}

/** Emitted by a response whose answer has waited for its reader for a while: nothing is worked on until it goes on. */
export const WAITS_FOR_READER = 'roster:waits-for-reader';

/** A reader who takes longer is slow, in milliseconds. */
const PROMPT = 100;

/** Waits until the caller has taken what was written, or is gone. */
async function drained(res: Response, gone: AbortSignal): Promise<void> {
  const slow = setTimeout(() => res.emit(WAITS_FOR_READER), PROMPT);
  try {
    await once(res, 'drain', { signal: gone });
  } catch (error) {
    if (!gone.aborted) throw error;
  } finally {
    clearTimeout(slow);
  }
}
