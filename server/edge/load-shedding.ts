import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { keyHeader } from '../auth/key-headers.js';
import { FairQueue } from '../common/fair-gate.js';
import type { ProblemError } from '../problems/problem.js';
import { withoutQuery } from './request.js';

export interface LoadShedding {
  /** The paths that are always answered, without a trailing slash. */
  readonly exempt: ReadonlySet<string>;
  /** Returns the problem of a request for which there is no slot, judged by its head. */
  readonly overloadProblem: (req: IncomingMessage) => ProblemError | undefined;
  readonly refuse: (refusal: ProblemError, req: IncomingMessage, res: ServerResponse) => void;
}

/** Refuses requests without a slot before any other work, and starts the others fairly. */
export function shedLoad(
  listener: RequestListener,
  { exempt, overloadProblem, refuse }: LoadShedding,
): RequestListener {
  const start = acceptFairly((req, res) => {
    const refusal = overloadProblem(req);
    if (refusal) refuse(refusal, req, res);
    else listener(req, res);
  });
  return (req, res) => {
    const path = withoutQuery(req.url ?? '');
    const isExempt = exempt.has(path.endsWith('/') ? path.slice(0, -1) : path);
    if (isExempt) listener(req, res);
    else start(req, res);
  };
}

/** The time in which requests are started in one turn of the event loop, in milliseconds. */
const STARTING_MS = 1;

/**
 * Starts few requests in each turn of the event loop. Node accepts one new connection per turn, so
 * new callers would wait forever while connected ones send as much as the service can handle.
 *
 * Keys take turns, even before they are checked: a caller who sends many requests at once does not
 * make others wait for all of them. Each connection has at most one waiting request
 * (`serveInOrder`).
 */
export function acceptFairly(listener: RequestListener): RequestListener {
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
