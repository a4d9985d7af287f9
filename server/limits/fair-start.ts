import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** How long requests are started in one turn of the event loop, in which Node takes one new connection: in milliseconds. */
const STARTING_MS = 1;

/**
 * Starts few requests in each turn of the event loop. Node takes one new connection a turn, so that
 * new callers would wait for ever while those who are connected send all that the service can do. Of each
 * connection one request waits at most (`serveInOrder`), so that the connections take turns.
 */
export function startFairly(listener: RequestListener): RequestListener {
  const waiting: [IncomingMessage, ServerResponse][] = [];
  let spent = 0;
  let isScheduled = false;
  const turn = () => {
    isScheduled = false;
    spent = 0;
    while (spent < STARTING_MS) {
      const next = waiting.shift();
      if (!next) return;
      const [req, res] = next;
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
    schedule();
    const begun = performance.now();
    listener(req, res);
    spent += performance.now() - begun;
  };
  return (req, res) => {
    if (spent < STARTING_MS && waiting.length === 0) start(req, res);
    else waiting.push([req, res]);
  };
}
