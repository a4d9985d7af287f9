import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { JsonText } from './handlers.js';

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
  else res.json(body);
}

async function sendPieces(res: Response, pieces: Iterable<string>): Promise<void> {
  res.type('application/json');
  for (const piece of pieces) {
    if (res.closed) return;
    if (!res.write(piece)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
    await nextTurn();
  }
  res.end();
}
