import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Caller } from '../auth/caller.js';
import type { Contract, Operation } from '../contract/document.js';
import { sequence } from '../http/compose.js';
import { mediaType } from '../http/media-type.js';
import { withoutQuery } from '../http/request-target.js';
import type { NoteFailure } from '../problems/error-handler.js';
import { problem } from '../problems/problem.js';
import { type Authenticate, identify, type NeedsKey, refuseOtherScopes } from './authorization.js';
import type { BodyBudget, RefuseMissingTarget } from './body/buffer-body.js';
import { type BodyLimits, parseBody, readBody } from './body/read-body.js';
import { type Handlers, JsonLines, type OperationId } from './handlers.js';
import { type AnyReply, send } from './reply/send.js';
import { sendLines } from './reply/send-ndjson.js';
import type { RequestContext } from './request-context.js';
import { AddressTree } from './route-tree.js';
import { refuseMisreadQuery } from './validation/strict-query.js';
import { requestValidation } from './validation/validate.js';

/** A handler as the router sees it, once the contract's types have done their work. */
type AnyHandler = (input: {
  params: Readonly<Record<string, string>>;
  query: Request['query'];
  headers: Readonly<Record<string, string>>;
  body: unknown;
  caller: Caller;
  base: string;
  reply: (reply: AnyReply) => AnyReply;
}) => AnyReply | Promise<AnyReply>;

/** How the service protects itself and what it keeps. */
export interface Protection {
  readonly limits: BodyLimits;
  readonly authenticate: Authenticate;
  readonly needsKey: NeedsKey;
  /** Tells whether a caller who was let in would still be; throws if the store does not answer. */
  readonly isStillGood: (caller: Caller) => boolean | Promise<boolean>;
  readonly stages: (operation: Operation) => LimitStages;
  readonly bodyBudget: BodyBudget;
  readonly refuseMissing: RefuseMissing;
  /** Aborted when the service stops: requests may end what they have begun, streams end at once. */
  readonly stopping: AbortSignal;
  readonly noteFailure: NoteFailure;
}

/**
 * Throws the problem of a request whose address names what the caller does not have. It is asked before a
 * large body is read; the handler asks again.
 */
export type RefuseMissing = (
  operationId: OperationId,
  params: Readonly<Record<string, string>>,
  caller: Caller,
) => Promise<void>;

/** The limits that a request to an operation passes. */
export interface LimitStages {
  /** As soon as its caller is known. */
  readonly onArrival: readonly RequestHandler[];
  /** When its body is there, but has not been looked into. */
  readonly beforeWork: readonly RequestHandler[];
}

/**
 * Makes the routes of the contract, each with its validation and its handler: answers requests to addresses of the
 * contract, and passes on all others. A caller who may not do something learns that before anything else.
 * @param bases the prefixes under which the addresses of the contract are to be found, each '' or such as '/api'
 * @throws {ContractError} if the contract has a fault, or an operation has no handler
 */
export function contractRouter(
  contract: Contract,
  handlers: Handlers,
  bases: readonly string[],
  {
    limits,
    authenticate,
    needsKey,
    isStillGood,
    stages,
    bodyBudget,
    refuseMissing,
    stopping,
    noteFailure,
  }: Protection,
): RequestHandler {
  const validation = requestValidation(contract);
  const around = { contract, stopping, noteFailure, isStillGood };
  const addresses = new AddressTree<Address>();
  for (const [path, operations] of byPath(contract.operations)) {
    const address: Address = { allow: allowOf(operations), handlers: new Map() };
    for (const operation of operations) {
      const { onArrival, beforeWork } = stages(operation);
      const refuseMissingTarget = targetOf(operation, refuseMissing);
      const handle = sequence([
        begin(operation),
        ...identify(operation, authenticate, needsKey),
        ...onArrival,
        ...refuseOtherScopes(operation),
        ...refuseOtherAnswers(operation),
        ...readBody(operation, limits, isStillGood, { budget: bodyBudget, refuseMissingTarget }),
        ...beforeWork,
        ...parseBody(contract, operation),
        refuseMisreadQuery(operation),
        validation(operation),
        run(operation, handlerOf(handlers, operation), around),
      ]);
      address.handlers.set(operation.method.toUpperCase(), handle);
    }
    addresses.add(path, address);
  }
  return (req, res, next): unknown => {
    const path = withoutQuery(req.url);
    for (const base of bases) {
      if (!path.startsWith(base)) continue;
      const found = addresses.find(path.slice(base.length));
      if (!found) continue;
      res.locals.base = base;
      res.locals.params = found.params;
      return answer(found.value, req, res, next);
    }
    return next();
  };
}

/** The operations at an address of the contract. */
interface Address {
  /** The methods that may be used there, as the header `Allow` tells them. */
  readonly allow: string;
  readonly handlers: Map<string, RequestHandler>;
}

function answer(
  { allow, handlers }: Address,
  req: Request,
  res: Response,
  next: NextFunction,
): unknown {
  // HEAD is GET without its body (RFC 9110, section 9.3.2), which Node leaves out by itself: it has
  // seen the method already.
  const handle = handlers.get(req.method === 'HEAD' ? 'GET' : req.method);
  if (handle) return handle(req, res, next);
  if (req.method === 'OPTIONS') return res.status(204).set('Allow', allow).end();
  throw problem(
    '/problems/method-not-allowed',
    `The method ${req.method} is not allowed here; use one of ${allow}.`,
    {},
    { Allow: allow },
  );
}

function allowOf(operations: readonly Operation[]): string {
  const methods = operations.map(({ method }) =>
    method === 'get' ? 'GET, HEAD' : method.toUpperCase(),
  );
  return [...methods, 'OPTIONS'].join(', ');
}

function begin({ id, path }: Operation): RequestHandler {
  return (req, res, next) => {
    res.locals.operationId = id;
    res.locals.route = path;
    // The contract has no HEAD, and the validator would refuse it.
    if (req.method === 'HEAD') req.method = 'GET';
    next();
  };
}

function targetOf({ id }: Operation, refuseMissing: RefuseMissing): RefuseMissingTarget {
  return ({ locals: { params = {}, caller = ANYBODY } }) =>
    refuseMissing(id as OperationId, params, caller);
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

/** The surroundings that every stream shares. */
type AroundStreams = Pick<Protection, 'stopping' | 'noteFailure' | 'isStillGood'> & {
  readonly contract: Contract;
};

/** Who calls an operation that is open to all. */
const ANYBODY: Caller = { owner: '', scopes: [], keyId: null };

function run(
  operation: Operation,
  handler: AnyHandler,
  { isStillGood, ...around }: AroundStreams,
): RequestHandler {
  const headersOf = headersReader(operation);
  return async (req, res) => {
    const { body } = req;
    const context: RequestContext = res.locals;
    const { params = {}, query = req.query, caller = ANYBODY, base = '' } = context;
    const headers = headersOf(req);
    const made = await handler({ params, query, headers, body, caller, base, reply: asItIs });
    if (made.body instanceof JsonLines) {
      const stillGood = () => isStillGood(caller);
      await sendLines(req, res, made.body, { ...around, isStillGood: stillGood });
    } else return send(res, made);
  };
}

const asItIs = (reply: AnyReply) => reply;

/** Returns a reader of the headers that an operation declares. */
function headersReader({ headers }: Operation) {
  const names = headers.map((name) => ({ name, inLowerCase: name.toLowerCase() }));
  return (req: Request): Readonly<Record<string, string>> => {
    const sent: Record<string, string> = {};
    for (const { name, inLowerCase } of names) {
      const value = req.headers[inLowerCase];
      if (typeof value === 'string') sent[name] = value;
    }
    return sent;
  };
}

/**
 * Content negotiation (RFC 9110, section 12.5.1), by the media types without their parameters: whoever
 * asks for `text/plain;version=0.0.4` can read it. Problems are sent whatever `Accept` says.
 */
function refuseOtherAnswers(operation: Operation): RequestHandler[] {
  if (operation.produces.length === 0) return [];
  return [
    (req, _res, next) => {
      const { accept } = req.headers;
      if (accept === undefined || accept === '*/*') return next();
      const produces = answersTo(req, operation);
      req.headers.accept = accept.replace(/;(?!\s*q\s*=)[^;,]*/gi, '');
      if (req.accepts([...produces]) !== false) return next();
      throw problem(
        '/problems/not-acceptable',
        `This operation answers with ${produces.join(' or ')}; the Accept header must allow it.`,
      );
    },
  ];
}

/** A body is answered in its own media type, where the operation can. */
function answersTo(req: Request, { consumes, produces }: Operation): readonly string[] {
  const sent = mediaType(req);
  return consumes.includes(sent) && produces.includes(sent) ? [sent] : produces;
}
