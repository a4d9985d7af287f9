import type { RequestHandler } from 'express';
import { BadRequest, OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import type { Contract, Operation } from '../../contract/document.js';
import { mediaType } from '../../edge/request.js';
import { excerptOfBodies } from './body-excerpt.js';
import { schemaCheck } from './fast-check.js';
import { excerptOfQuery } from './query-excerpt.js';
import { requestsOnly } from './request-document.js';
import { ContractViolation } from './to-problem.js';

type Spec = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>;

type Comparison = ReturnType<OpenApiValidator['installMiddleware']>[number];

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
 * Sets up the validator, for each operation by itself: for the whole contract it would take a fifth of a second at the
 * first refusal.
 * @returns a function that returns the middleware for an operation. The middleware expects a parsed
 *   body, and the parameters of the address in `res.locals`; it passes on a {@link
 *   ContractViolation}, or accepts the request
 */
export function validator(contract: Contract): (operation: Operation) => RequestHandler {
  const excerptOf = excerptOfBodies(contract, schemaCheck(contract));
  return (operation) => {
    const { compare, recognised } = comparison(contract, operation);
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
        if (refusal instanceof BadRequest) next(new ContractViolation(refusal.errors));
        else if (excerpt.isShortened || isShortened)
          next(refusal ?? new Error(`${operation.id} took an excerpt`));
        else next(refusal);
      });
    };
  };
}

/**
 * Returns the validator of an operation, and what it must find noted on a request. Without its loader, which compiles
 * OpenAPI's schema even if the document is not to be validated, and without its router, which compiles the patterns of
 * all addresses for each request.
 */
function comparison({ document }: Contract, operation: Operation) {
  const { id, method, path } = operation;
  // `npm run generate` and `npm run lint:spec` have checked the document.
  const apiDoc = requestsOnly(document, operation) as Spec['apiDoc'];
  const schema = apiDoc.paths?.[path]?.[method];
  if (!schema) throw new Error(`The contract has no ${id} at ${path}`);
  const middleware = new OpenApiValidator({
    apiSpec: apiDoc,
    validateRequests: { allErrors: true },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: 'full' },
  }).installMiddleware(Promise.resolve({ apiDoc, basePaths: [], routes: [], serial: 0 }));
  const compare = middleware.at(-1);
  if (compare?.name !== COMPARISON) throw new Error(`The validator has no ${COMPARISON} any more`);
  const recognised = { expressRoute: path, openApiRoute: path, schema, serial: 0 };
  return { compare, recognised };
}
