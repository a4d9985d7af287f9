import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ProblemError } from '../contract/problems.js';
import { holdBack } from './hold-back.js';
import { inTurns } from './turns.js';

/** Whoever watches over the service is answered however much there is to do. */
const HEALTH = /\/health\/\w+\/?$/;

/**
 * Lets requests begin in turns, and refuses, before anything else is done for them, those for which there
 * is no room.
 * @param refusalOf the problem of a request for which there is none
 */
export function refuseEarly(
  listener: RequestListener,
  refusalOf: (req: IncomingMessage) => ProblemError | undefined,
  refuse: (refusal: ProblemError, req: IncomingMessage, res: ServerResponse) => void,
): RequestListener {
  const begin = inTurns((req, res) => {
    const refusal = refusalOf(req);
    if (!refusal) return listener(req, res);
    refuse(refusal, req, res);
    req.resume();
    holdBack(req);
  });
  return (req, res) => (HEALTH.test(req.url ?? '') ? listener(req, res) : begin(req, res));
}
