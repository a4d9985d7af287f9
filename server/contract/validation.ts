import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { type Contract, ContractError, type Document, type Operation } from './document.js';
import { mediaType } from './media-type.js';
import { asRecord } from './record.js';

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

/** Holds requests against the contract: their address, query, headers and body. */
export interface RequestValidation {
  /**
   * What does so for an operation. It expects the body to be read, and the
   * parameters of the address in `res.locals`.
   */
  readonly of: (operation: Operation) => RequestHandler;
  /**
   * Compiles what has to be known of each operation, between other work; what is not compiled yet is at its
   * first request. The validator finds a fault of the contract only then.
   * @throws {ContractError} naming the operation whose part of the contract has a fault
   */
  readonly compile: () => Promise<void>;
}

/** How the validator calls the last of its middleware, which alone looks at a request's content. */
const COMPARISON = 'requestMiddleware';

/**
 * Sets up the validator. It is told which operation a request is for: left to itself, it would compile the
 * patterns of all addresses for each request, to find what the router has found already.
 * @throws {ContractError} if the contract has a fault that is seen before anything is compiled
 */
export async function requestValidation(contract: Contract): Promise<RequestValidation> {
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
    compile: async () => {
      for (const operation of contract.operations) {
        for (const mediaType of operation.consumes.length > 0 ? operation.consumes : [undefined]) {
          await nextTurn();
          await passed(operation, mediaType, [of(operation)]);
        }
      }
    },
  };
}

/**
 * The part of the contract that says how requests look, with the components that it refers to. The
 * validator walks through the whole document for each operation that it compiles, and most of it is
 * about answers.
 */
function requestsOnly(document: Document): object {
  const paths = mapValues(document.paths, (item) => mapValues(item, requestOnly));
  return structuredClone({
    ...document,
    // One entry: the validator multiplies its routes by the servers, and prefixes are gone by then.
    servers: [{ url: '/' }],
    paths,
    components: referredTo(paths, document.components),
  });
}

function requestOnly(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || !('responses' in part)) return part;
  const { requestBody } = asRecord(part);
  return {
    ...part,
    ...(asRecord(requestBody)['x-roster-reads-later']
      ? { requestBody: ofAnyForm(requestBody) }
      : {}),
    responses: { default: { description: 'Not part of the request.' } },
  };
}

/** What is read later, the operation looks into. */
function ofAnyForm(requestBody: unknown): object {
  const { content } = asRecord(requestBody);
  return {
    ...asRecord(requestBody),
    content: mapValues(asRecord(content), () => ({ schema: {} })),
  };
}

/** The components that a part of the document refers to, and those that they refer to in turn. */
function referredTo(part: unknown, components: Document['components']): object {
  const kept: Record<string, Record<string, unknown>> = {};
  const visit = (node: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(REFERENCE)) {
      const component = asRecord(components[kind])[name];
      if (component === undefined || kept[kind]?.[name] !== undefined) continue;
      kept[kind] = { ...kept[kind], [name]: component };
      visit(component);
    }
  };
  visit(part);
  return kept;
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;

function mapValues<T, U>(object: Readonly<Record<string, T>>, map: (value: T) => U) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
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
