import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ProblemError, problem } from '../contract/problems.js';
import { inTurns } from './turns.js';

/** Between two refusals, in milliseconds: so many that refusing takes a small part of a core. */
const BETWEEN = 1;

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
  const refuseAndRest = (req: IncomingMessage, res: ServerResponse, refusal: ProblemError) => {
    refuse(req, res, refusal);
    const now = performance.now();
    lastTurn = Math.max(now, lastTurn + BETWEEN);
    rest(req, lastTurn - now);
  };
  const begin = inTurns(listener, (req, res) => refuseAndRest(req, res, noRoom()));
  return (req, res) => {
    const refusal = refusalOf(req);
    if (refusal) refuseAndRest(req, res, refusal);
    // Whoever watches over the service is answered however much there is to do.
    else if (/\/(health\/\w+|metrics)\/?$/.test(req.url ?? '')) listener(req, res);
    else begin(req, res);
  };
}

function noRoom(): ProblemError {
  return problem(
    '/problems/service-unavailable',
    'The service has as many requests to do as it takes on at once; try again in a moment.',
    {},
    { 'Retry-After': '1' },
  );
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
