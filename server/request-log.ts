import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { v7 as uuidv7 } from 'uuid';
import { withoutKeys } from './callers/without-keys.js';
import { traceIdOf } from './telemetry/request-spans.js';

/** Gives each request an id, and writes a line for each answer, with the operation that gave it. */
export function logRequests(logger: Logger): RequestHandler {
  return pinoHttp({
    logger,
    genReqId: requestId,
    serializers: {
      // A key that was put into the address by mistake has no place in a log; nor has the rest of a query.
      req: ({ id, method, url }) => ({ id, method, url: withoutKeys(url.replace(/\?.*$/s, '')) }),
      res: ({ statusCode }) => ({ statusCode }),
    },
    customProps: (_req, res) => ({
      operation: (res as Response).locals?.operationId,
      trace_id: traceIdOf(res),
    }),
    customLogLevel: (_req, { statusCode }) => {
      if (statusCode < 500) return 'info';
      // That it cannot take a request now, the service says by design.
      return statusCode === 503 ? 'warn' : 'error';
    },
  });
}

const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The caller's own id of the request if it is well-formed and no key, else a new one. */
function requestId({ headers }: IncomingMessage, res: ServerResponse): string {
  const sent = headers['x-request-id'];
  const isFit = typeof sent === 'string' && REQUEST_ID.test(sent) && !sent.includes('roster_');
  const id = isFit ? sent : uuidv7();
  res.setHeader('X-Request-Id', id);
  return id;
}
