import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { NoteFailure } from '../api/reply/error-handler.js';
import { withoutKeys } from '../auth/without-keys.js';
import { onResponseClose, wasSent } from '../edge/connections.js';
import { isOwnOrigin } from '../edge/cors.js';
import { withoutQuery } from '../edge/request.js';

/** Assigns an id to each request, and logs each response with its operation. */
export function logRequests(log: Logger): (req: Request, res: Response) => void {
  return (req, res) => {
    const begun = performance.now();
    const id = requestId(req);
    res.locals.requestId = id;
    res.setHeader('X-Request-Id', id);
    const { method } = req;
    onResponseClose(req, res, () => {
      const { statusCode } = res;
      log[levelOf(statusCode)](
        {
          req: lineOf(id, method, req.originalUrl),
          operation: res.locals.operationId,
          trace_id: res.locals.traceId,
          refused_origin: refusedOrigin(req, res),
          res: { statusCode },
          responseTime: Math.round(performance.now() - begun),
        },
        wasSent(res) ? 'request completed' : 'request aborted',
      );
    });
  };
}

/** Returns a function that logs the cause of a failed request. */
export function logFailures(log: Logger): NoteFailure {
  return ({ method, originalUrl }, { locals }, cause, what) => {
    const req = lineOf(locals.requestId ?? '', method, originalUrl);
    log.error({ req, err: cause }, what);
  };
}

/**
 * Returns the request's part of a log line, without the query, and without keys that were put into
 * the address by mistake.
 */
function lineOf(id: string, method: string, url: string) {
  return { id, method, url: withoutKeys(withoutQuery(url)) };
}

/** Returns the origin of a page that may not read the answer; undefined for the service's own pages. */
function refusedOrigin({ headers }: IncomingMessage, res: ServerResponse): string | undefined {
  const { origin, host } = headers;
  if (origin === undefined || res.hasHeader('Access-Control-Allow-Origin')) return undefined;
  return isOwnOrigin(origin, host) ? undefined : withoutKeys(origin);
}

function levelOf(statusCode: number): 'info' | 'warn' | 'error' {
  if (statusCode < 500) return 'info';
  // A 503 is by design, not an error.
  return statusCode === 503 ? 'warn' : 'error';
}

const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Returns the caller's request id if it is well-formed and contains no key, else a new one. */
function requestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  const isFit = typeof sent === 'string' && REQUEST_ID.test(sent) && !sent.includes('roster_');
  return isFit ? sent : randomUUID();
}
