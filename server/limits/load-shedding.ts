import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { withoutQuery } from '../http/request-target.js';
import type { ProblemError } from '../problems/problem.js';
import { startFairly } from './fair-start.js';

interface LoadShedding {
  /** The paths that are answered however much there is to do, without a slash at their end. */
  readonly exempt: ReadonlySet<string>;
  /** The problem of a request for which there is no place, as far as its first line and its headers tell. */
  readonly refusalOf: (req: IncomingMessage) => ProblemError | undefined;
  readonly refuse: (refusal: ProblemError, req: IncomingMessage, res: ServerResponse) => void;
}

/** Refuses requests for which there is no place before anything else is done for them, and starts the others fairly. */
export function shedLoad(
  listener: RequestListener,
  { exempt, refusalOf, refuse }: LoadShedding,
): RequestListener {
  const start = startFairly((req, res) => {
    const refusal = refusalOf(req);
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
