import { once } from 'node:events';
import type { Request, Response } from 'express';
import { responsesBegun } from '../../edge/malformed-request.js';
import { disableBodyTimeout } from '../../edge/request-body.js';
import type { EventStream } from '../handlers.js';

/** The time between two comments that keep an idle connection alive, in milliseconds. */
const PING_INTERVAL_MS = 15_000;

/** The longest time in which a reader takes nothing, in milliseconds. */
const STALLED_TIMEOUT_MS = 30_000;

/**
 * Sends events as they are produced (server-sent events, as the HTML standard defines them), and
 * requests the next one only when the reader has taken the last one.
 * @param signal aborted when the response closes
 */
export async function sendEvents(
  req: Request,
  res: Response,
  { events }: EventStream,
  signal: AbortSignal,
): Promise<void> {
  disableBodyTimeout(req);
  responsesBegun.add(req.socket);
  res.status(200).type('text/event-stream');
  // A proxy that buffers would hold events back.
  res.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  const write = inBlocks(res);
  const pings = setInterval(() => write(': ping\n\n'), PING_INTERVAL_MS);
  try {
    for await (const event of events) {
      if (write(`data: ${JSON.stringify(event)}\n\n`)) continue;
      await drained(res, signal);
      if (res.destroyed) return;
    }
    res.end();
  } finally {
    clearInterval(pings);
    responsesBegun.delete(req.socket);
  }
}

/**
 * Returns a function that writes what comes in one turn of the event loop at once: a write to the
 * system costs more than an event. It returns false if the reader has to take something first.
 */
function inBlocks(res: Response): (text: string) => boolean {
  let isHeld = false;
  return (text) => {
    if (!isHeld) {
      isHeld = true;
      res.cork();
      setImmediate(() => {
        isHeld = false;
        res.uncork();
      });
    }
    return res.write(text);
  };
}

/** Waits until the reader has taken what was written; closes the connection of one that stalls. */
async function drained(res: Response, signal: AbortSignal): Promise<void> {
  const patience = setTimeout(() => res.destroy(), STALLED_TIMEOUT_MS);
  try {
    await once(res, 'drain', { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(patience);
  }
}
