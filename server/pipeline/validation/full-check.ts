import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { Contract, Operation } from '../../contract/document.js';
import { mediaType } from '../../http/media-type.js';
import { ContractViolation } from '../../problems/to-problem.js';
import { excerptOfBodies } from './body-excerpt.js';
import { schemaCheck } from './fast-check.js';
import { excerptOfQuery } from './query-excerpt.js';
import { requestsOnly } from './request-document.js';

type ApiSpec = Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'];

type Comparison = ReturnType<typeof OpenApiValidator.middleware>[number];

/** The operation of a request, as the validator notes it on the request. */
type Recognised = NonNullable<Parameters<Comparison>[0]['openapi']>;

declare module 'express-serve-static-core' {
  interface Request {
    openapi?: Recognised;
  }
}

/**
 * The name of the validator's last middleware, the only one that checks the content of a request.
 */
const COMPARISON = 'requestMiddleware';

/**
 * Sets up the validator. It gets the operation of each request from the router; otherwise it would
 * compile the patterns of all addresses for each request.
 * @returns a function that returns the middleware for an operation. The middleware expects a parsed
 *   body, and the parameters of the address in `res.locals`; it passes on a {@link
 *   ContractViolation}, or accepts the request
 */
export function validator(contract: Contract): (operation: Operation) => Promise<RequestHandler> {
  const middleware = OpenApiValidator.middleware({
    // `npm run generate` has checked the document.
    apiSpec: requestsOnly(contract.document) as unknown as ApiSpec,
    // `npm run lint:spec` checks the document against OpenAPI's schema. At each start, this would
    // take longer than the rest of the start.
    validateApiSpec: false,
    useRequestUrl: true,
    validateRequests: { allErrors: true },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: 'full' },
  });
  const compare = middleware.at(-1);
  if (compare?.name !== COMPARISON) throw new Error(`The validator has no ${COMPARISON} any more`);
  const recognise = middleware.slice(0, -1);
  const excerptOf = excerptOfBodies(contract, schemaCheck(contract));
  return async (operation) => {
    const recognised = await recognisedBy(recognise, operation);
    return (req, res, next) => {
      // The validator compiles and caches a check for each Content-Type string, so parameters
      // chosen by callers, or a type without a body, would fill the memory.
      const { headers } = req;
      if (headers['content-type'] !== undefined) {
        headers['content-type'] = operation.consumes.length > 0 ? mediaType(req) : undefined;
      }
      req.openapi = { ...recognised, pathParams: res.locals.params ?? {} };
      const { body } = req;
      const excerpt = excerptOf(operation.bodySchema, body);
      req.body = excerpt.body;
      const { query, isShortened } = excerptOfQuery(req.query);
      // Express has no setter for `query`.
      if (isShortened) Object.defineProperty(req, 'query', { value: query, configurable: true });
      return compare(req, res, (refusal?: unknown) => {
        if (excerpt.body !== body) req.body = body;
        if (refusal instanceof OpenApiValidator.error.BadRequest)
          next(new ContractViolation(refusal.errors));
        else if (excerpt.isShortened || isShortened)
          next(refusal ?? new Error(`${operation.id} took an excerpt`));
        else next(refusal);
      });
    };
  };
}

/** Returns the notes that the validator makes on a request to an operation. */
async function recognisedBy(
  recognise: readonly RequestHandler[],
  { id, method, path }: Operation,
): Promise<Recognised> {
  const request: IncomingMessage & { openapi?: Recognised } = new IncomingMessage(new Socket());
  request.method = method.toUpperCase();
  request.url = path.replace(/\{\w+\}/g, 'x');
  await new Promise<void>((resolve, reject) => {
    const app = express();
    const failed: ErrorRequestHandler = (reason, _req, _res, _next) => reject(reason);
    app.use(...recognise, () => resolve(), failed);
    app(request, new ServerResponse(request));
  });
  if (!request.openapi) throw new Error(`The validator does not recognise ${id}`);
  return request.openapi;
}
