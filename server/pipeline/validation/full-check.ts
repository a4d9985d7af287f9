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

/** What the validator knows of the operation that a request is for, as it notes it on the request. */
type Recognised = NonNullable<Parameters<Comparison>[0]['openapi']>;

declare module 'express-serve-static-core' {
  interface Request {
    openapi?: Recognised;
  }
}

/** How the validator calls the last of its middleware, which alone looks at a request's content. */
const COMPARISON = 'requestMiddleware';

/**
 * Sets up the validator. It is told which operation a request is for: left to itself, it would compile the
 * patterns of all addresses for each request, to find what the router has found already.
 * @returns makes what validates the requests to an operation: it expects the body to be read, and the parameters
 *   of the address in `res.locals`; it passes on a {@link ContractViolation}, or lets the request pass
 */
export function validator(contract: Contract): (operation: Operation) => Promise<RequestHandler> {
  const middleware = OpenApiValidator.middleware({
    // `npm run generate` has checked the document.
    apiSpec: requestsOnly(contract.document) as unknown as ApiSpec,
    // `npm run lint:spec` holds the document against OpenAPI's schema; doing it at each start would take
    // longer than all the rest of the start.
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
      // The validator compiles anew for each text of a Content-Type, and keeps it for ever: a caller's own
      // parameters, or a type where nothing is sent, would fill the memory.
      const { headers } = req;
      if (headers['content-type'] !== undefined) {
        headers['content-type'] = operation.consumes.length > 0 ? mediaType(req) : undefined;
      }
      req.openapi = { ...recognised, pathParams: res.locals.params ?? {} };
      const { body } = req;
      const excerpt = excerptOf(operation.bodySchema, body);
      req.body = excerpt.body;
      const { query, isShortened } = excerptOfQuery(req.query);
      // Express has no setter for it.
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

/** What the validator notes on a request to an operation. */
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
