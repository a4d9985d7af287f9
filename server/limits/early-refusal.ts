import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ProblemError } from '../contract/problems.js';

/** Between two refusals, in milliseconds: so many that refusing takes a small part of a core. */
const BETWEEN = 0.5;

/**
 * Refuses, before anything else is done for them, requests for which there is no room. Those who send again
 * at once are read in turn, a bounded number of them in a second: neither reading nor refusing them takes
 * the time of those who are served. What they send meanwhile waits in their own connection.
 */
export function refuseEarly(
  listener: RequestListener,
  refusalOf: (req: IncomingMessage) => ProblemError | undefined,
  refuse: (req: IncomingMessage, res: ServerResponse, refusal: ProblemError) => void,
): RequestListener {
  let lastTurn = 0;
  return (req, res) => {
    const refusal = refusalOf(req);
    if (!refusal) return listener(req, res);
    refuse(req, res, refusal);
    const now = performance.now();
    lastTurn = Math.max(now, lastTurn + BETWEEN);
    rest(req, lastTurn - now);
  };
}

/** Reads nothing more of a connection for a time, once the request has arrived. */
function rest(req: IncomingMessage, milliseconds: number): void {
  const { socket } = req;
  req.resume();
  req.once('end', () => {
    socket.pause();
    setTimeout(() => socket.resume(), milliseconds);
  });
}
