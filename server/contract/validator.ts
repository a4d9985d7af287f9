import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { type Contract, ContractError, type Operation } from './document.js';
import { mediaType } from './media-type.js';
import { requestsOnly } from './requests-only.js';

type ApiSpec = Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'];

type Comparison = ReturnType<typeof OpenApiValidator.middleware>[number];

/** What the validator knows of the operation that a request is for, as it notes it on the request. */
type Recognised = NonNullable<Parameters<Comparison>[0]['openapi']>;

declare module 'express-serve-static-core' {
  interface Request {
    openapi?: Recognised;
  }
  interface Locals {
    /** The parameters of the request's address. */
    params?: Record<string, string>;
  }
}

/** Tells what is wrong with requests to an operation, or lets them pass. */
export interface Validator {
  /**
   * Makes the middleware for an operation. It expects the body to be read, and the parameters of the address in
   * `res.locals`. What it needs is compiled at the first request.
   */
  readonly of: (operation: Operation) => RequestHandler;
  /**
   * Compiles what an operation needs.
   * @throws {ContractError} naming the operation, if its part of the contract has a fault
   */
  readonly compile: (operation: Operation) => Promise<void>;
}

/** How the validator calls the last of its middleware, which alone looks at a request's content. */
const COMPARISON = 'requestMiddleware';

/**
 * Sets up the validator. It is told which operation a request is for: left to itself, it would compile the
 * patterns of all addresses for each request, to find what the router has found already.
 * @throws {ContractError} if the contract has a fault that is seen before anything is compiled
 */
export async function validator(contract: Contract): Promise<Validator> {
  const middleware = OpenApiValidator.middleware({
    // What the document has to be for the server, `readContract` has checked.
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
  const recognised = new Map<string, Recognised>();
  for (const operation of contract.operations) {
    const { openapi } = await passed(operation, undefined, recognise);
    if (openapi) recognised.set(operation.id, openapi);
  }
  const of = ({ id, consumes }: Operation): RequestHandler => {
    const known = recognised.get(id);
    if (!known) throw new Error(`The validator does not recognise ${id}`);
    return (req, res, next) => {
      // The validator compiles anew for each text of a Content-Type, and keeps it for ever: a caller's own
      // parameters, or a type where nothing is sent, would fill the memory.
      const { headers } = req;
      if (headers['content-type'] !== undefined) {
        headers['content-type'] = consumes.length > 0 ? mediaType(req) : undefined;
      }
      req.openapi = { ...known, pathParams: res.locals.params ?? {} };
      return compare(req, res, next);
    };
  };
  return {
    of,
    compile: async (operation) => {
      for (const mediaType of operation.consumes.length > 0 ? operation.consumes : [undefined]) {
        await nextTurn();
        await passed(operation, mediaType, [of(operation)]);
      }
    },
  };
}

/**
 * Sends a request through a part of the validator alone. It may be refused, but not fail.
 * @throws {ContractError}
 */
async function passed(
  { id, method, path }: Operation,
  mediaType: string | undefined,
  handlers: readonly RequestHandler[],
): Promise<{ openapi?: Recognised }> {
  const request: IncomingMessage & { openapi?: Recognised } = new IncomingMessage(new Socket());
  request.method = method.toUpperCase();
  request.url = path.replace(/\{\w+\}/g, 'x');
  if (mediaType) request.headers['content-type'] = mediaType;

  const failure = await new Promise<unknown>((resolve) => {
    const refused: ErrorRequestHandler = (error, _req, _res, _next) => {
      resolve(error.status < 500 ? undefined : error);
    };
    const app = express();
    app.use((req, _res, next) => {
      req.body = {};
      next();
    });
    app.use(...handlers, () => resolve(undefined), refused);
    app(request, new ServerResponse(request));
  });
  if (failure === undefined) return request;
  const reason = failure instanceof Error ? failure.message : String(failure);
  throw new ContractError(`openapi.yaml: ${id} (${method} ${path}): ${reason}`, { cause: failure });
}
