import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Caller } from '../auth/caller.js';
import type { Contract, Operation } from '../contract/document.js';
import type { Sunset } from '../contract/sunset.js';
import { compose } from '../edge/express-bypass.js';
import { mediaType, withoutQuery } from '../edge/request.js';
import { onResponseClose } from '../edge/responses.js';
import { problem, unavailable } from '../problems/problem.js';
import { type Authenticate, identify, type NeedsKey, refuseOtherScopes } from './authorization.js';
import type { BodyBudget, RefuseMissingTarget } from './body/buffer-body.js';
import { leaveRawJson } from './body/raw-json.js';
import { type BodyLimits, parseBody, readBody } from './body/read-body.js';
import { redirectFromPrefix } from './deprecated-prefix.js';
import { announceFields, announceParameters } from './deprecation.js';
import { ByteStream, EventStream, type Handlers, JsonLines, type OperationId } from './handlers.js';
import type { NoteFailure } from './reply/error-handler.js';
import { type AnyReply, send } from './reply/send.js';
import { sendBytes } from './reply/send-bytes.js';
import { sendEvents } from './reply/send-events.js';
import { sendLines } from './reply/send-ndjson.js';
import type { RequestContext } from './request-context.js';
import { answerSignal } from './request-signal.js';
import { RouteTree } from './route-tree.js';
import { refuseMisreadQuery } from './validation/strict-query.js';
import { requestValidation } from './validation/validate.js';

/** A handler as the router calls it, without the contract's types. */
type AnyHandler = (input: {
  params: Readonly<Record<string, string>>;
  query: Request['query'];
  headers: Readonly<Record<string, string>>;
  body: unknown;
  caller: Caller;
  base: string;
  requestId: string;
  answerType: string;
  mediaType: string;
  closed: AbortSignal;
  signal: AbortSignal;
  reply: (reply: AnyReply) => AnyReply;
}) => AnyReply | Promise<AnyReply>;

/** The guards and limits of requests, and the services behind them. */
export interface RouterOptions {
  readonly limits: BodyLimits;
  readonly authenticate: Authenticate;
  /**
   * Returns whether an accepted caller's key is still valid; throws if the store does not respond.
   */
  readonly isKeyValid: (caller: Caller) => boolean | Promise<boolean>;
  readonly needsKey: NeedsKey;
  /** The origins whose pages may change something on a service without keys. */
  readonly allowedOrigins: readonly string[];
  readonly stages: (operation: Operation) => LimitStages;
  readonly bodyBudget: BodyBudget;
  readonly refuseMissing: RefuseMissing;
  /** Aborted when the service stops: running requests may finish, streams end at once. */
  readonly stopping: AbortSignal;
  readonly noteFailure: NoteFailure;
}

/**
 * Throws the problem of a request whose address names something that the caller does not have. Runs
 * before a large body is read; the handler checks again.
 */
export type RefuseMissing = (
  operationId: OperationId,
  params: Readonly<Record<string, string>>,
  caller: Caller,
) => Promise<void>;

/** The limits that apply to a request, by stage. */
export interface LimitStages {
  /** Applied as soon as the caller is known. */
  readonly onArrival: readonly RequestHandler[];
  /** Applied after the body is read, and before it is parsed. */
  readonly beforeWork: readonly RequestHandler[];
}

/**
 * Returns the routes of the contract, each with its validation and its handler. It answers requests
 * to addresses of the contract and passes on all others. A caller without permission learns that
 * first.
 * @param bases the prefixes before the paths of the contract, each '' or a path such as '/api'; the first is
 *   the base path of the service
 * @throws {ContractError} if the contract has a fault, or an operation has no handler
 */
export function contractRouter(
  contract: Contract,
  handlers: Handlers,
  bases: readonly string[],
  {
    limits,
    authenticate,
    isKeyValid,
    needsKey,
    allowedOrigins,
    stages,
    bodyBudget,
    refuseMissing,
    stopping,
    noteFailure,
  }: RouterOptions,
): RequestHandler {
  const validation = requestValidation(contract);
  const around = { contract, stopping, noteFailure, isKeyValid };
  const [home = ''] = bases;
  const addresses = new RouteTree<Address>();
  for (const [path, operations] of byPath(contract.operations)) {
    const address: Address = {
      allow: allowOf(operations),
      deprecatedBases: deprecatedBases(operations, home),
      handlers: new Map(),
    };
    for (const operation of operations) {
      const { onArrival, beforeWork } = stages(operation);
      const refuseMissingTarget = targetOf(operation, refuseMissing);
      const checks = [
        ...parseBody(contract, operation),
        ...announceFields(operation),
        refuseMisreadQuery(operation),
        validation(operation),
      ];
      const handle = compose([
        begin(operation),
        ...announceParameters(operation),
        ...identify(operation, authenticate, needsKey, allowedOrigins),
        ...onArrival,
        ...refuseOtherScopes(operation),
        ...refuseOtherAnswers(operation),
        ...readBody(operation, limits, isKeyValid, { budget: bodyBudget, refuseMissingTarget }),
        ...beforeWork,
        ...(operation.takesRawJson ? [leaveRawJson(checks)] : checks),
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
      const sunset = found.value.deprecatedBases.get(base);
      if (sunset && req.method !== 'OPTIONS') {
        return redirectFromPrefix(req, res, { base: home, prefix: base, sunset });
      }
      res.locals.base = base;
      res.locals.params = found.params;
      return answer(found.value, req, res, next);
    }
    return next();
  };
}

/** The operations at an address of the contract. */
interface Address {
  /** The allowed methods, as in the header `Allow`. */
  readonly allow: string;
  /** The bases under which the address is deprecated, and redirects. */
  readonly deprecatedBases: ReadonlyMap<string, Sunset>;
  readonly handlers: Map<string, RequestHandler>;
}

function answer(
  { allow, handlers }: Address,
  req: Request,
  res: Response,
  next: NextFunction,
): unknown {
  // HEAD is GET without its body (RFC 9110, section 9.3.2). Node omits the body by itself, because
  // it saw the original method.
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

function deprecatedBases([first]: readonly Operation[], home: string): Map<string, Sunset> {
  const prefixes = first?.deprecations.prefixes ?? [];
  return new Map([...prefixes].map(([prefix, sunset]) => [home + prefix, sunset]));
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
  return ({ locals: { params = {}, caller = ANONYMOUS } }) =>
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
  // The validator has checked that the request has the handler's types.
  return handler as unknown as AnyHandler;
}

/** The surroundings that all streams share. */
type AroundStreams = Pick<RouterOptions, 'stopping' | 'noteFailure' | 'isKeyValid'> & {
  readonly contract: Contract;
};

/** The caller of an operation that is open to all. */
const ANONYMOUS: Caller = { owner: '', scopes: [], key: null };

function run(
  operation: Operation,
  handler: AnyHandler,
  { isKeyValid, ...around }: AroundStreams,
): RequestHandler {
  const headersOf = headersReader(operation);
  return async (req, res) => {
    const { body } = req;
    const context: RequestContext = res.locals;
    const { params = {}, query = req.query, caller = ANONYMOUS, base = '' } = context;
    const { requestId = '', answerType = operation.produces[0] ?? '' } = context;
    const headers = headersOf(req);
    const stillGood = () => isKeyValid(caller);
    let signal: AbortSignal | undefined;
    const signalOf = () => {
      signal ??= answerSignal(req, res, around.stopping, stillGood);
      return signal;
    };
    const made = await handler({
      ...{ params, query, headers, body, caller, base, requestId, answerType },
      mediaType: mediaType(req),
      get closed() {
        return closedSignal(req, res);
      },
      get signal() {
        return signalOf();
      },
      reply: identity,
    });
    if (made.body instanceof JsonLines) {
      await sendLines(req, res, made.body, { ...around, isKeyValid: stillGood });
    } else if (made.body instanceof ByteStream) {
      await sendBytes(req, res, made.body, { ...around, isKeyValid: stillGood });
    } else if (made.body instanceof EventStream) {
      await sendEvents(req, res, made.body, signalOf());
    } else return send(res, made);
  };
}

function closedSignal(req: Request, res: Response): AbortSignal {
  const closed = new AbortController();
  onResponseClose(req, res, () => closed.abort(unavailable('The caller has gone.')));
  return closed.signal;
}

const identity = (reply: AnyReply) => reply;

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
 * Negotiates content (RFC 9110, section 12.5.1) by media types without their parameters: a client
 * that asks for `text/plain;version=0.0.4` can read any version. Problems are sent whatever
 * `Accept` says.
 */
function refuseOtherAnswers(operation: Operation): RequestHandler[] {
  if (operation.produces.length === 0) return [];
  return [
    (req, res, next) => {
      const { accept } = req.headers;
      const produces = answersTo(req, operation);
      if (accept === undefined || accept === '*/*') {
        res.locals.answerType = produces[0] ?? '';
        return next();
      }
      req.headers.accept = accept.replace(/;(?!\s*q\s*=)[^;,]*/gi, '');
      const accepted = req.accepts([...produces]);
      if (accepted !== false) {
        if (typeof accepted === 'string') res.locals.answerType = accepted;
        return next();
      }
      throw problem(
        '/problems/not-acceptable',
        `This operation answers with ${produces.join(' or ')}; the Accept header must allow it.`,
      );
    },
  ];
}

/** Returns the media types of the response: that of the body comes first, where there is one. */
function answersTo(req: Request, { consumes, produces }: Operation): readonly string[] {
  if (consumes.length < 2 || produces.length < 2) return produces;
  const sent = mediaType(req);
  if (!produces.includes(sent) || produces[0] === sent) return produces;
  return [sent, ...produces.filter((type) => type !== sent)];
}
