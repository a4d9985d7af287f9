import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { keyHeader } from '../auth/key-headers.js';
import { FairQueue } from '../common/fair-queue.js';

/**
 * The time in which requests are started in one turn of the event loop, in milliseconds. Node
 * accepts one new connection per turn.
 */
const STARTING_MS = 1;

/**
 * Starts few requests in each turn of the event loop. Node accepts one new connection per turn, so
 * new callers would wait forever while connected ones send as much as the service can handle.
 *
 * Keys take turns, even before they are checked: a caller who sends many requests at once does not
 * make others wait for all of them. Each connection has at most one waiting request
 * (`serveInOrder`).
 */
export function startFairly(listener: RequestListener): RequestListener {
  const waiting = new FairQueue<[IncomingMessage, ServerResponse]>();
  /** The start time of the first request in this turn. */
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
    // Do not work for a caller who disconnected while waiting.
    if (!res.closed && !req.socket.destroyed) start(req, res);
    // Most of the work follows in promises and must count: a tick requested by a microtask runs
    // after all of them.
    queueMicrotask(() => process.nextTick(startWaiting));
  };
  return (req, res) => {
    if (waiting.size === 0 && !isOver()) start(req, res);
    else waiting.add(keyHeader(req.headers) ?? '', [req, res]);
  };
}
