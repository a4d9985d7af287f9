import { type IRoute, type Request, type RequestHandler, Router } from 'express';
import type { Caller } from '../callers/caller.js';
import { type Authenticate, identify, refuseOtherScopes } from './authorization.js';
import { type BodyLimits, parseBody, readBody } from './body.js';
import { type Contract, ContractError, type Operation } from './document.js';
import { type Handlers, JsonLines, type OperationId, READS_LATER } from './handlers.js';
import { mediaType } from './media-type.js';
import { problem } from './problems.js';
import { refuseMisreadQuery } from './query.js';
import { type AnyReply, send } from './reply.js';
import { sendLines } from './reply-stream.js';
import { requestValidation } from './validation.js';

/** A handler as the router sees it, once the contract's types have done their work. */
type AnyHandler = (input: {
  params: Request['params'];
  query: Request['query'];
  headers: Readonly<Record<string, string>>;
  body: unknown;
  caller: Caller;
  base: string;
  reply: (reply: AnyReply) => AnyReply;
}) => AnyReply | Promise<AnyReply>;

declare module 'express-serve-static-core' {
  interface Locals {
    /** The operation that the request asks for, once it is known. */
    operationId?: string;
  }
}

/** How the service protects itself and what it keeps. */
export interface Protection {
  readonly limits: BodyLimits;
  readonly authenticate: Authenticate;
  readonly passage: (operation: Operation) => Passage;
  /** Aborted when the service stops: requests may end what they have begun, streams end at once. */
  readonly stopping: AbortSignal;
}

/** What a request to an operation goes through beside the contract. */
export interface Passage {
  /** As soon as its caller is known. */
  readonly onArrival: readonly RequestHandler[];
  /** When its body is there, but has not been looked into. */
  readonly beforeWork: readonly RequestHandler[];
}

/**
 * Makes the routes of the contract, each with its validation and its handler. A caller who may not do
 * something learns that before anything else.
 * @throws {ContractError} if the contract has a fault, or an operation has no handler
 */
export async function contractRouter(
  contract: Contract,
  handlers: Handlers,
  { limits, authenticate, passage, stopping }: Protection,
): Promise<Router> {
  const router = Router({ caseSensitive: true });
  checkWhatReadsLater(contract.operations);
  const validate = await requestValidation(contract);
  for (const [path, operations] of byPath(contract.operations)) {
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'));
    for (const operation of operations) {
      const { onArrival, beforeWork } = passage(operation);
      route[operation.method](
        begin(operation),
        ...identify(operation, authenticate),
        ...onArrival,
        ...refuseOtherScopes(operation),
        refuseOtherAnswers(operation),
        ...readBody(operation, limits),
        ...beforeWork,
        ...parseBody(contract, operation),
        refuseMisreadQuery(operation),
        ...validate,
        run(operation, handlerOf(handlers, operation), { contract, stopping }),
      );
    }
    answerOtherMethods(route, operations);
  }
  return router;
}

/** The types that are made from the contract do not have its extensions, so these were written by hand. */
function checkWhatReadsLater(operations: readonly Operation[]): void {
  const typed = new Set<string>(READS_LATER);
  for (const { id, readsLater } of operations) {
    if (readsLater === typed.has(id)) continue;
    throw new ContractError(`openapi.yaml: ${id}: x-roster-reads-later differs from READS_LATER`);
  }
}

function begin({ id }: Operation): RequestHandler {
  return (req, res, next) => {
    res.locals.operationId = id;
    // HEAD is GET without its body (RFC 9110, section 9.3.2), which Node leaves out by itself: it has
    // seen the method already. The contract has no HEAD, and the validator would refuse it.
    if (req.method === 'HEAD') req.method = 'GET';
    next();
  };
}

function byPath(operations: readonly Operation[]): Map<string, Operation[]> {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation]);
  }
  return paths;
}

function handlerOf(handlers: Handlers, { id }: Operation): AnyHandler {
  const handler = handlers[id as OperationId];
  if (!handler) throw new Error(`The operation ${id} has no handler; generate the types again`);
  // The validator has made sure that the request is what the handler's types say.
  return handler as unknown as AnyHandler;
}

/** Who calls an operation that is open to all. */
const ANYBODY: Caller = { owner: '', scopes: [], keyId: null };

function run(
  operation: Operation,
  handler: AnyHandler,
  around: { contract: Contract; stopping: AbortSignal },
): RequestHandler {
  return async (req, res) => {
    const { params, query, body, baseUrl } = req;
    const { caller = ANYBODY } = res.locals;
    const headers = headersOf(req, operation);
    const reply = (made: AnyReply) => made;
    const made = await handler({ params, query, headers, body, caller, base: baseUrl, reply });
    if (made.body instanceof JsonLines) await sendLines(req, res, made.body, around);
    else await send(res, made);
  };
}

function headersOf(req: Request, { headers }: Operation): Readonly<Record<string, string>> {
  const sent: Record<string, string> = {};
  for (const name of headers) {
    const value = req.get(name);
    if (value !== undefined) sent[name] = value;
  }
  return sent;
}

/**
 * Content negotiation (RFC 9110, section 12.5.1), by the media types without their parameters: whoever
 * asks for `text/plain;version=0.0.4` can read it. Problems are sent whatever `Accept` says.
 */
function refuseOtherAnswers(operation: Operation): RequestHandler {
  return (req, _res, next) => {
    const { accept } = req.headers;
    const produces = answersTo(req, operation);
    if (produces.length === 0 || accept === undefined) return next();
    req.headers.accept = accept.replace(/;(?!\s*q\s*=)[^;,]*/gi, '');
    if (req.accepts([...produces]) !== false) return next();
    throw problem(
      '/problems/not-acceptable',
      `This operation answers with ${produces.join(' or ')}; the Accept header must allow it.`,
    );
  };
}

/** A body is answered in its own media type, where the operation can. */
function answersTo(req: Request, { consumes, produces }: Operation): readonly string[] {
  const sent = mediaType(req);
  return consumes.includes(sent) && produces.includes(sent) ? [sent] : produces;
}

function answerOtherMethods(route: IRoute, operations: readonly Operation[]): void {
  const methods = operations.map(({ method }) =>
    method === 'get' ? 'GET, HEAD' : method.toUpperCase(),
  );
  const allow = [...methods, 'OPTIONS'].join(', ');
  route.options((_req, res) => {
    res.status(204).set('Allow', allow).end();
  });
  route.all((req) => {
    throw problem(
      '/problems/method-not-allowed',
      `The method ${req.method} is not allowed here; use one of ${allow}.`,
      {},
      { Allow: allow },
    );
  });
}
