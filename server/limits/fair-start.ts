import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { FairQueue } from './fair-queue.js';

/** How long requests are started in one turn of the event loop, in which Node takes one new connection: in milliseconds. */
const STARTING_MS = 1;

/**
 * Starts few requests in each turn of the event loop. Node takes one new connection a turn, so that
 * new callers would wait for ever while those who are connected send all that the service can do.
 *
 * Keys take turns, before anybody has looked whether they are good: who sends many requests at once does not
 * make others wait for all of them. Of each connection one request waits at most (`serveInOrder`).
 */
export function startFairly(listener: RequestListener): RequestListener {
  const waiting = new FairQueue<[IncomingMessage, ServerResponse]>();
  /** When the first request of this turn was started. */
  let begun: number | undefined;
  const isOver = () => begun !== undefined && performance.now() - begun >= STARTING_MS;
  const start: RequestListener = (req, res) => {
    if (begun === undefined) {
      begun = performance.now();
      setImmediate(endTurn);
    }
    listener(req, res);
  };
  const endTurn = () => {
    begun = undefined;
    startWaiting();
  };
  const startWaiting = () => {
    if (isOver()) return;
    const next = waiting.take();
    if (!next) return;
    const [req, res] = next;
    // A caller who left while waiting is not worked for.
    if (!res.closed && !req.socket.destroyed) start(req, res);
    // Most of the work follows in promises, and counts: a tick that a microtask asks for comes after all of them.
    queueMicrotask(() => process.nextTick(startWaiting));
  };
  return (req, res) => {
    if (waiting.size === 0 && !isOver()) start(req, res);
    else waiting.add(req.headers.authorization ?? '', [req, res]);
  };
}
