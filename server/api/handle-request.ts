/**
 * A request's life, from its address to its reply. Express's router takes a fifth of the processor time of
 * a simple read, so addresses of the contract do not pass it (`edge/server.ts`): Express gives requests
 * and responses their methods, serves the pages, answers unknown addresses and errors, and has
 * express-openapi-validator, which judges the requests that a fast check does not accept.
 */

import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Sunset } from '../../contract/deprecations.js';
import type { Contract, Operation } from '../../contract/document.js';
import type { Caller } from '../auth/caller.js';
import type { Callers } from '../auth/callers.js';
import { identifyCaller, requireScope } from '../auth/identify-caller.js';
import { locateResource, type Resource } from '../auth/resource.js';
import { joinWords } from '../common/join-words.js';
import { type Charset, findCharset, mediaType, withoutQuery } from '../edge/request.js';
import { problem, unavailable } from '../problems/problem.js';
import { MAX_ADDRESS_LENGTH, showText } from '../problems/shown-text.js';
import type { Act } from '../store/audit.js';
import { type DefersJson, keepRawJson, parseBody } from './body/parse-body.js';
import { type BodyLimits, readBody } from './body/read-body.js';
import { announceDeprecations, redirectFromPrefix } from './deprecation.js';
import type { Handlers, OperationId } from './handlers.js';
import type { Limits, OperationLimits } from './limits/index.js';
import type { NoteFailure } from './reply/error-handler.js';
import { type AnyReply, send } from './reply/send.js';
import type { RequestContext, Step } from './request-context.js';
import { abortWithRequest, type EarlyEnd } from './request-signal.js';
import { RouteTree } from './route-tree.js';
import { requestValidation } from './validation/validate.js';

/** The parts of the service that requests to all operations share. */
export interface Service {
  readonly contract: Contract;
  readonly handlers: Handlers;
  readonly callers: Callers;
  readonly limits: Limits;
  /** The origins whose pages may change something on a service without keys. */
  readonly config: BodyLimits & { readonly allowedOrigins: readonly string[]; readonly publicUrl?: string | undefined };
  readonly refuseMissing: RefuseMissing;
  readonly defersJson: DefersJson;
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

/** An operation, with the steps that are its own. */
interface Endpoint {
  readonly operation: Operation;
  /** True if it, or a parameter of it, is deprecated. */
  readonly hasDeprecations: boolean;
  readonly limits: OperationLimits;
  /** Reads the body into `req.body`, mostly as bytes; undefined if the operation takes none. */
  readonly readBody: Step | undefined;
  /** Parses the body and validates the request. */
  readonly check: Step;
  readonly handle: (input: HandlerInput) => AnyReply | Promise<AnyReply>;
}

/** The operations at an address of the contract. */
interface Address {
  /** The allowed methods, as in the header `Allow`. */
  readonly allow: string;
  /** The bases under which the address is deprecated, and redirects. */
  readonly deprecatedBases: ReadonlyMap<string, Sunset>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

/** The caller of an operation that is open to all. */
const ANONYMOUS: Caller = { id: null, owner: '', scopes: [], key: null };

/**
 * Returns the handler of requests to addresses of the contract, which passes on all others.
 * @param bases the prefixes before the paths of the contract, each '' or a path such as '/api'; the first is
 *   the base path of the service
 * @throws {ContractError} if the contract has a fault, or an operation has no handler
 */
export function handleRequests(service: Service, bases: readonly string[]): RequestHandler {
  const addresses = listAddresses(service, bases);
  const [home = ''] = bases;
  return (req, res, next) => {
    const path = withoutQuery(req.url);
    for (const base of bases) {
      if (!path.startsWith(base)) continue;
      const found = addresses.find(path.slice(base.length));
      if (!found) continue;
      const { allow, deprecatedBases, endpoints } = found.value;
      const sunset = deprecatedBases.get(base);
      if (sunset && req.method !== 'OPTIONS') {
        return redirectFromPrefix(req, res, { base: home, prefix: base, sunset });
      }
      res.locals.base = base;
      res.locals.params = found.params;
      // HEAD is GET without its body (RFC 9110, section 9.3.2). Node omits the body by itself, because
      // it saw the original method. The contract has no HEAD, and the validator would refuse it.
      const method = req.method === 'HEAD' ? 'GET' : req.method;
      const endpoint = endpoints.get(method);
      if (endpoint) {
        req.method = method;
        handleRequest(req, res, endpoint, service).catch(next);
        return;
      }
      if (req.method === 'OPTIONS') {
        res.status(204).set('Allow', allow).end();
        return;
      }
      const { upgrade: protocol } = req.headers;
      const upgrade = protocol ? ` The service does not speak the protocol ${protocol}.` : '';
      throw problem(
        '/problems/method-not-allowed',
        `The method ${req.method} is not allowed here; use one of ${allow}.${upgrade}`,
        {},
        { Allow: allow },
      );
    }
    next();
  };
}

/** A caller without permission learns that first. */
async function handleRequest(
  req: Request,
  res: Response,
  { operation, hasDeprecations, limits, readBody, check, handle }: Endpoint,
  service: Service,
): Promise<void> {
  const { locals } = res;
  locals.operation = operation;
  if (operation.speaksOauth) {
    res.setHeader('Cache-Control', 'no-store');
    ignoreUnknownQuery(req, operation);
  }
  if (hasDeprecations) {
    announceDeprecations(operation, { operation, query: req.query, header: req.headers }, res);
  }

  let caller = ANONYMOUS;
  if (!operation.isOpen) {
    // X-Api-Key keeps no shared cache from keeping the answer, as Authorization does (RFC 9111, section 3.5).
    if (!operation.speaksOauth) res.setHeader('Cache-Control', 'private, no-cache');
    const { callers, config } = service;
    const { allowedOrigins, publicUrl } = config;
    if (publicUrl) locals.resource = locateResource(operation, locals.params, publicUrl, req.url);
    const found = identifyCaller(req, operation, callers, { allowedOrigins, resource: locals.resource });
    caller = found instanceof Promise ? await found : found;
    locals.caller = caller;
  }
  const admitted = limits.admit(req, res, caller);
  if (admitted) await admitted;
  requireScope(operation, caller);
  locals.answerType = negotiateType(req, res, operation);

  if (readBody) await readBody(req, res);
  const slot = limits.enter?.(req, res, caller);
  if (slot) await slot;
  const checked = check(req, res);
  if (checked) await checked;

  const input = new HandlerInput(req, res, caller, operation, service);
  const answered = handle(input);
  const reply = answered instanceof Promise ? await answered : answered;

  const sent = send(res, reply, service, () => service.callers.isValid(caller));
  if (sent) await sent;
}

/** OAuth ignores parameters that it does not know, and those without a value (RFC 6749, section 3.1). */
function ignoreUnknownQuery(req: Request, { parameters }: Operation): void {
  const names = parameters.filter((part) => part['in'] === 'query').map(({ name }) => String(name));
  const known = Object.entries(req.query).filter(([name, value]) => value && names.includes(name));
  // Express has no setter for it.
  Object.defineProperty(req, 'query', { value: Object.fromEntries(known), configurable: true });
}

/** A validated request, as its handler gets it; `Input` has the contract's types. */
class HandlerInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Request['query'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly caller: Caller;
  readonly address: string;
  readonly base: string;
  readonly url: string;
  readonly resource: Resource | undefined;
  readonly requestId: string;
  readonly answerType: string;
  readonly mediaType: string;
  readonly #req: Request;
  readonly #res: Response;
  readonly #service: Service;
  #signal: AbortSignal | undefined;

  constructor(req: Request, res: Response, caller: Caller, operation: Operation, service: Service) {
    const { params = {}, query, base = '', requestId = '', answerType = '' } = res.locals;
    this.params = params;
    this.query = query ?? req.query;
    this.headers = readHeaders(req, operation);
    this.body = req.body;
    const mayWrite = operation.method !== 'get';
    this.caller = mayWrite ? { ...caller, act: describeAct(caller, req, res.locals) } : caller;
    this.address = req.socket.remoteAddress ?? '';
    this.base = base;
    this.url = req.url;
    this.resource = res.locals.resource;
    this.requestId = requestId;
    this.answerType = answerType;
    this.mediaType = mediaType(req);
    this.#req = req;
    this.#res = res;
    this.#service = service;
  }

  reply(reply: AnyReply): AnyReply {
    return reply;
  }

  accepts(mediaType: string): boolean {
    return this.#req.accepts(mediaType) !== false;
  }

  joinAnswers(): void {
    this.#service.limits.joinAnswers(this.#req, this.#res, this.caller);
  }

  get charset(): Charset | undefined {
    return findCharset(this.#req);
  }

  get responseClosed(): AbortSignal {
    return this.#abortWithRequest();
  }

  get signal(): AbortSignal {
    const { callers, stopping } = this.#service;
    const isValid = () => callers.isValid(this.caller);
    this.#signal ??= this.#abortWithRequest({ stopping, isValid, advice: 'ask again' });
    return this.#signal;
  }

  #abortWithRequest(early?: EarlyEnd): AbortSignal {
    const gone = unavailable('The caller has gone.');
    return abortWithRequest(this.#res, gone, early).signal;
  }
}

/** The most characters of a program's description of itself. */
const MAX_USER_AGENT_LENGTH = 200;

/** Returns what a caller does, or tries to do, with a request. */
export function describeAct(
  { owner, key, identity }: Caller,
  req: IncomingMessage & { readonly originalUrl?: string },
  { operation, requestId, base = '' }: RequestContext,
): Act {
  const [path = ''] = (req.originalUrl ?? req.url ?? '').split('?', 1);
  return {
    owner,
    operation: operation?.id ?? null,
    resource: showText(path.startsWith(base) ? path.slice(base.length) : path, MAX_ADDRESS_LENGTH),
    key: key?.id ?? null,
    subject: identity?.subject ?? null,
    requestId: requestId ?? null,
    address: req.socket.remoteAddress ?? null,
    userAgent: showText(req.headers['user-agent'] ?? '', MAX_USER_AGENT_LENGTH),
    problem: null,
    count: 1,
    isRecorded: false,
  };
}

/** Returns the headers that an operation declares, spelled as in the contract. */
function readHeaders(req: Request, { headers }: Operation): Readonly<Record<string, string>> {
  const sent: Record<string, string> = {};
  for (const [lowerCase, name] of headers) {
    const value = req.headers[lowerCase];
    // Validation has made numbers of those that are numbers in the contract.
    if (value !== undefined && !Array.isArray(value)) sent[name] = value;
  }
  return sent;
}

/**
 * Negotiates content (RFC 9110, section 12.5.1) by media types without their parameters: a client that asks for
 * `text/plain;version=0.0.4` can read any version. Problems are sent whatever `Accept` says.
 * @throws {ProblemError} if the caller accepts none of the media types of the operation
 */
function negotiateType(req: Request, res: Response, { consumes, produces }: Operation): string {
  let types = produces;
  // The media type of the body comes first, where there is one.
  if (consumes.length > 1 && produces.length > 1) {
    const sent = mediaType(req);
    if (produces.includes(sent)) types = [sent, ...produces.filter((type) => type !== sent)];
  }
  const [preferred = ''] = types;
  const { accept } = req.headers;
  if (types.length > 1) res.vary('Accept');
  if (types.length === 0 || accept === undefined || accept === '*/*') return preferred;
  // Most clients name the only type, without a weight.
  if (types.length === 1 && !accept.includes(';') && accept.split(/, */).includes(preferred)) {
    return preferred;
  }
  req.headers.accept = accept.replace(/;(?!\s*q\s*=)[^;,]*/gi, '');
  const accepted = req.accepts([...types]);
  if (typeof accepted === 'string') return accepted;
  throw problem(
    '/problems/not-acceptable',
    `This operation answers with ${joinWords(types, 'or')}; the Accept header must allow it.`,
  );
}

function listAddresses(service: Service, bases: readonly string[]): RouteTree<Address> {
  const validation = requestValidation(service.contract, bases);
  const [home = ''] = bases;
  const byPath = new Map<string, Operation[]>();
  for (const operation of service.contract.operations) {
    if (operation.speaksOauth && service.config.publicUrl === undefined) continue;
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  }
  const addresses = new RouteTree<Address>();
  for (const [path, operations] of byPath) {
    const methods = operations.map(({ method }) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase()));
    const deprecations = operations[0]?.deprecations ?? [];
    const prefixes = deprecations.filter((part) => part.in === 'prefix');
    addresses.add(path, {
      allow: [...methods, 'OPTIONS'].join(', '),
      deprecatedBases: new Map(prefixes.map(({ path: [prefix], sunset }) => [`${home}${prefix}`, sunset])),
      endpoints: new Map(
        operations.map((operation) => [
          operation.method.toUpperCase(),
          createEndpoint(operation, validation(operation), service),
        ]),
      ),
    });
  }
  return addresses;
}

function createEndpoint(
  operation: Operation,
  validate: Step,
  { contract, handlers, callers, limits, config, refuseMissing, defersJson }: Service,
): Endpoint {
  const id = operation.id as OperationId;
  const handler = handlers[id];
  if (!handler) throw new Error(`The operation ${id} has no handler; generate the types again`);
  const takesBody = operation.consumes.length > 0;
  const parse = takesBody && !operation.defersBody ? parseBody(contract, operation) : undefined;
  const check: Step = parse
    ? (req, res) => {
        const parsed = parse(req, res);
        return parsed ? parsed.then(() => validate(req, res)) : validate(req, res);
      }
    : validate;
  return {
    operation,
    hasDeprecations: operation.deprecations.some((part) => part.in !== 'body' && part.in !== 'prefix'),
    limits: limits.ofOperation(operation),
    readBody: takesBody
      ? readBody(operation, config, (caller) => callers.isValid(caller), {
          budget: limits.bodyBudget,
          refuseMissingTarget: ({ locals: { params = {}, caller = ANONYMOUS } }) => refuseMissing(id, params, caller),
        })
      : undefined,
    check: operation.takesRawJson ? keepRawJson(check, defersJson) : check,
    // The validation gives the input the handler's types.
    handle: handler as unknown as Endpoint['handle'],
  };
}
