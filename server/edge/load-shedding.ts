import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ProblemError } from '../problems/problem.js';
import { startFairly } from './fair-accept.js';
import { withoutQuery } from './request-target.js';

interface LoadShedding {
  /** The paths that are always answered, without a trailing slash. */
  readonly exempt: ReadonlySet<string>;
  /**
   * Returns the problem of a request for which there is no place, judged by its request line and
   * headers.
   */
  readonly overloadProblem: (req: IncomingMessage) => ProblemError | undefined;
  readonly refuse: (refusal: ProblemError, req: IncomingMessage, res: ServerResponse) => void;
}

/** Refuses requests without a place before any other work, and starts the others fairly. */
export function shedLoad(
  listener: RequestListener,
  { exempt, overloadProblem, refuse }: LoadShedding,
): RequestListener {
  const start = startFairly((req, res) => {
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
