import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { withoutKeys } from '../auth/without-keys.js';
import { atClose, wentOut } from '../http/on-response-close.js';
import { withoutQuery } from '../http/request-target.js';
import type { NoteFailure } from '../problems/error-handler.js';
import { traceIdOf } from './trace-id.js';

/** Gives each request an id, and writes a line for each answer, with the operation that gave it. */
export function logRequests(log: Logger): RequestHandler {
  return (req, res, next) => {
    const begun = performance.now();
    const id = requestId(req);
    res.locals.requestId = id;
    res.setHeader('X-Request-Id', id);
    const { method } = req;
    atClose(req, res, () => {
      const { statusCode } = res;
      log[levelOf(statusCode)](
        {
          req: lineOf(id, method, req.originalUrl),
          operation: res.locals.operationId,
          trace_id: traceIdOf(res),
          res: { statusCode },
          responseTime: Math.round(performance.now() - begun),
        },
        wentOut(res) ? 'request completed' : 'request aborted',
      );
    });
    next();
  };
}

/** Returns a function that logs why a request failed. */
export function logFailures(log: Logger): NoteFailure {
  return ({ method, originalUrl }, { locals }, cause, what) => {
    const req = lineOf(locals.requestId ?? '', method, originalUrl);
    log.error({ req, err: cause }, what);
  };
}

/** What a line of the log tells of a request. A key that was put into the address by mistake has no place in it; nor has the rest of a query. */
function lineOf(id: string, method: string, url: string) {
  return { id, method, url: withoutKeys(withoutQuery(url)) };
}

function levelOf(statusCode: number): 'info' | 'warn' | 'error' {
  if (statusCode < 500) return 'info';
  // That it cannot take a request now, the service says by design.
  return statusCode === 503 ? 'warn' : 'error';
}

const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The caller's own id of the request if it is well-formed and no key, else a new one. */
function requestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  const isFit = typeof sent === 'string' && REQUEST_ID.test(sent) && !sent.includes('roster_');
  return isFit ? sent : randomUUID();
}
