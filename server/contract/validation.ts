import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { type Contract, ContractError, type Document, type Operation } from './document.js';
import { asRecord } from './record.js';

type ApiSpec = Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'];

/**
 * Makes the middleware that holds a request against the contract: its address, query and body. It
 * expects the body to be read, and `req.url` to be an address as the contract writes it.
 *
 * The validator finds a fault of the contract only at the first request that meets it. So each
 * operation is tried here, before there is a request.
 * @throws {ContractError} naming the operation whose part of the contract has a fault
 */
export async function requestValidation(contract: Contract): Promise<RequestHandler[]> {
  const validate = OpenApiValidator.middleware({
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
  for (const operation of contract.operations) {
    for (const mediaType of operation.consumes.length > 0 ? operation.consumes : [undefined]) {
      await tryOperation(operation, mediaType, validate);
    }
  }
  return validate;
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

/** Sends a request through the validator alone. It may be refused, but not fail. */
async function tryOperation(
  { id, method, path }: Operation,
  mediaType: string | undefined,
  validate: RequestHandler[],
): Promise<void> {
  const request = new IncomingMessage(new Socket());
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
    app.use(...validate, () => resolve(undefined), refused);
    app(request, new ServerResponse(request));
  });
  if (failure === undefined) return;
  const reason = failure instanceof Error ? failure.message : String(failure);
  throw new ContractError(`openapi.yaml: ${id} (${method} ${path}): ${reason}`, { cause: failure });
}
