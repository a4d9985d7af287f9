import type { IncomingMessage, ServerResponse } from 'node:http';
import express, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  type Response,
} from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { v7 as uuidv7 } from 'uuid';
import type { Config } from './config.js';
import type { Contract } from './contract/document.js';
import { asProblem } from './contract/faults.js';
import { problemPages } from './contract/problem-pages.js';
import { problem, render } from './contract/problems.js';
import { contractRouter } from './contract/router.js';
import { operations, type Services } from './operations/index.js';
import { isUnavailable } from './store/index.js';

/** Whether the service takes new requests still. */
export interface Lifecycle {
  stopping: boolean;
}

/**
 * Composes the service: which middleware, in which order.
 * @throws {ContractError} if the contract has a fault
 */
export async function createApp(
  config: Config,
  contract: Contract,
  services: Services,
  lifecycle: Lifecycle,
  log: Logger,
): Promise<Express> {
  const router = await contractRouter(contract, operations(services), config.maxBody);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');

  app.use(logRequests(log));
  app.use(readTarget);
  app.use(refuseWhileStopping(lifecycle));
  app.use(config.basePath || '/', router);
  app.use(`${config.basePath}/api`, router);
  app.get('/problems/:slug', problemPages(contract));
  app.use(refuseUnknownAddress);
  app.use(sendProblem(contract));
  return app;
}

const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

function logRequests(logger: Logger): RequestHandler {
  return pinoHttp({
    logger,
    genReqId: requestId,
    serializers: {
      req: ({ id, method, url }) => ({ id, method, url }),
      res: ({ statusCode }) => ({ statusCode }),
    },
    customProps: (_req, res) => ({ operation: (res as Response).locals?.operationId }),
    customLogLevel: (_req, { statusCode }) => {
      if (statusCode < 500) return 'info';
      // That it cannot take a request now, the service says by design.
      return statusCode === 503 ? 'warn' : 'error';
    },
  });
}

/** The caller's own id of the request if it is well-formed, else a new one. */
function requestId({ headers }: IncomingMessage, res: ServerResponse): string {
  const sent = headers['x-request-id'];
  const id = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : uuidv7();
  res.setHeader('X-Request-Id', id);
  return id;
}

/**
 * Takes the request's target in the forms that RFC 9112 has for it: one that begins with a scheme and a
 * host means the same as without them (section 3.2.2), and HTTP/1.1 wants a Host (section 3.2).
 */
const readTarget: RequestHandler = (req, _res, next) => {
  req.url = req.url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw problem(
      '/problems/unreadable-request',
      'The request cannot be read: it has no Host header. Use an HTTP client.',
    );
  }
  next();
};

/** What had begun before the stop goes on; what comes on an open connection after it is sent away. */
function refuseWhileStopping(lifecycle: Lifecycle): RequestHandler {
  return (req, _res, next) => {
    if (!lifecycle.stopping || req.path.endsWith('/health/live')) return next();
    throw problem(
      '/problems/service-unavailable',
      'The service is stopping; try again in a moment.',
      {},
      { 'Retry-After': '1', Connection: 'close' },
    );
  };
}

const refuseUnknownAddress: RequestHandler = (req) => {
  throw problem(
    '/problems/unknown-address',
    `There is no address ${req.path}; compare it with the contract.`,
  );
};

function storeUnavailable() {
  return problem(
    '/problems/service-unavailable',
    'The store cannot take the request now; try again in a moment.',
    {},
    { 'Retry-After': '1' },
  );
}

/** Renders whatever was thrown on the way of a request. */
function sendProblem(contract: Contract): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const error = isUnavailable(thrown)
      ? storeUnavailable()
      : asProblem(contract, thrown, req.body);
    if (error.type === '/problems/internal-error') req.log.error({ err: thrown }, 'internal error');
    if (isUnavailable(thrown)) req.log.error({ err: thrown }, 'store unavailable');
    if (res.headersSent) {
      // Half an answer is out; cutting the connection is the only way left to say that it is not whole.
      res.destroy();
      return;
    }
    // What is left of the body is read off, so that the connection is good for the next request.
    req.unpipe();
    req.resume();
    const document = render(contract, error, {
      instance: req.originalUrl,
      requestId: String(req.id),
    });
    res
      .status(document.status)
      .set(error.headers)
      .type('application/problem+json')
      .send(JSON.stringify(document));
  };
}
