import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** How many requests start in one turn of the event loop, in which Node takes one new connection. */
const STARTS_PER_TURN = 8;

/**
 * Starts few requests in each turn of the event loop. Node takes one new connection a turn, so that
 * new callers would wait for ever while those who are connected send all that the service can do. Of each
 * connection one request waits at most (`serveInOrder`), so that the connections take turns.
 */
export function startFairly(listener: RequestListener): RequestListener {
  const waiting: [IncomingMessage, ServerResponse][] = [];
  let started = 0;
  let isScheduled = false;
  const turn = () => {
    isScheduled = false;
    started = 0;
    for (const [req, res] of waiting.splice(0, STARTS_PER_TURN)) {
      // A caller who left while waiting is not worked for.
      if (!res.closed && !req.socket.destroyed) start(req, res);
    }
    if (waiting.length > 0) schedule();
  };
  const schedule = () => {
    if (!isScheduled) setImmediate(turn);
    isScheduled = true;
  };
  const start: RequestListener = (req, res) => {
    started += 1;
    schedule();
    listener(req, res);
  };
  return (req, res) => {
    if (started < STARTS_PER_TURN && waiting.length === 0) start(req, res);
    else waiting.push([req, res]);
  };
}
