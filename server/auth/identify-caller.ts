import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import type { Operation } from '../../contract/document.js';
import { OPENAI_PATHS } from '../../contract/operations.js';
import type { Scope } from '../../contract/scopes.js';
import { isLoopback } from '../common/addresses.js';
import { type ProblemError, problem } from '../problems/problem.js';
import { type Caller, LOCAL_CALLER, TokenError } from './caller.js';
import type { Callers } from './callers.js';
import { isFromOtherOrigin } from './origins.js';
import { type Resource, TOKEN_SCOPES } from './resource.js';

/** The operations that answer while the store does not, since they are needed most then. */
const WITHOUT_STORE: ReadonlySet<string> = new Set(['getMetrics']);

const CHALLENGE = 'Bearer realm="roster"';

/** The purpose of a request, and the pages that may send it. */
interface Audience {
  /** The origins whose pages may use the service; `*` for those that send a key. */
  readonly allowedOrigins: readonly string[];
  /** The resource that a token has to be for; undefined if no token is good. */
  readonly resource: Resource | undefined;
}

/**
 * Identifies the caller of an operation that is not open to all; waits only if the store must be asked. Without
 * keys, refuses what would change something for a page of another origin; MCP refuses it with a key, too.
 */
export function identifyCaller(
  req: Request,
  { id, method, path, speaksJsonRpc }: Operation,
  callers: Callers,
  { allowedOrigins, resource }: Audience,
): Caller | Promise<Caller> {
  const sent = keyHeaders(req);
  const [first] = sent;
  // Users of a mock, which accepts any key, meet a service without keys with the key that they used there.
  const refuse = async (detail: string): Promise<Caller> => {
    if (await callers.needsKey()) throw unauthorized(detail, 'invalid_token', resource);
    // These clients send a key whether or not there is any.
    if (path.startsWith(OPENAI_PATHS)) {
      refuseForeignPages(req, method, allowedOrigins);
      return LOCAL_CALLER;
    }
    const names = [...new Set(sent.map(({ form }) => form.name))].join(' and ');
    const needless = `This service has no keys: send none; leave the header ${names} out.`;
    throw unauthorized(needless, 'invalid_token', resource);
  };
  if (sent.length > 1 && sent.some(({ form }) => form !== first?.form)) {
    // One of the two may not be the caller's.
    return refuse('The request has both headers, Authorization and X-Api-Key; send the key in one of them.');
  }
  const { takesTokens } = callers;
  const presented = sent.length === 1 ? readPresented(first, takesTokens) : undefined;
  if (first && presented === undefined) {
    const { name, example } = first.form;
    return refuse(`The header ${name} does not have the form '${example}'; send the key so, in one such header.`);
  }
  const letIn = (caller: Caller | undefined) => {
    if (!caller && presented !== undefined) return refuse(BAD_KEY);
    if (!caller) {
      const detail = takesTokens ? `${NO_KEY_SENT} ${OR_A_TOKEN}` : NO_KEY_SENT;
      throw unauthorized(detail, undefined, resource);
    }
    if (caller.id === null) refuseForeignPages(req, method, allowedOrigins);
    else if (speaksJsonRpc && !allowedOrigins.includes('*')) {
      refuseOtherOrigins(req, allowedOrigins, MCP_REMEDY);
    }
    return caller;
  };
  const explainRefusal = (error: unknown): never => {
    if (!(error instanceof TokenError)) throw error;
    throw unauthorized(error.message, 'invalid_token', resource);
  };
  const caller = WITHOUT_STORE.has(id)
    ? callers.authenticateFromMemory(presented)
    : callers.authenticate(presented, resource?.path);
  return caller instanceof Promise ? caller.then(letIn, explainRefusal) : letIn(caller);
}

/** Returns the key that a header has, or the token where one is good; undefined if it has another form. */
function readPresented(header: SentHeader | undefined, takesTokens: boolean): string | undefined {
  const { form, value = '' } = header ?? {};
  const key = form?.pattern.exec(value)?.[1];
  if (key !== undefined || !takesTokens || form !== KEY_FORMS.authorization) return key;
  return BEARER.exec(value)?.[1];
}

/** Does not say which of the three applies, or anyone could find out which keys ever existed. */
const BAD_KEY = 'The key is unknown, revoked or expired; ask those who run the service for another.';

const NO_KEY_SENT = "The request has no key; send one as 'Authorization: Bearer roster_…' or 'X-Api-Key: roster_…'.";

const OR_A_TOKEN = "A token of the OIDC issuer, as 'Authorization: Bearer eyJ…', is as good.";

/**
 * Without keys, the service trusts browsers on this machine. A page from elsewhere could point its
 * own host name at this machine (DNS rebinding), and would then share the origin of the service.
 */
function refuseForeignPages(req: Request, method: string, allowedOrigins: readonly string[]): void {
  const { host } = req.headers;
  // A client that sends no Host, which HTTP/1.0 allows, is not a browser.
  if (host !== undefined && !isLoopback(req.hostname)) {
    throw unauthorized(
      `The service has no keys, and so is there for this machine alone: ask it as localhost or 127.0.0.1, not as "${req.hostname}".`,
    );
  }
  // A browser sends what has no body, or a form's, without a preflight.
  if (method !== 'get') refuseOtherOrigins(req, allowedOrigins, KEYLESS_REMEDY);
}

const KEYLESS_REMEDY =
  'and this service has no keys that would show who asks; add the origin to ALLOWED_ORIGINS, or make a key and send it';

/** The protocol wants it of all servers: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports */
const MCP_REMEDY = 'and MCP answers none of these, even with a key; add the origin to ALLOWED_ORIGINS';

function refuseOtherOrigins(req: Request, allowed: readonly string[], remedy: string): void {
  if (!isFromOtherOrigin(req, allowed)) return;
  const { origin } = req.headers;
  const page = origin === undefined || origin === 'null' ? '' : `, "${origin}",`;
  throw problem(
    '/problems/other-origin',
    `The request comes from a page of another origin${page} ${remedy}.`,
    {},
    { 'WWW-Authenticate': CHALLENGE },
  );
}

/** Refuses callers without the scope that the contract requires for the operation, if it requires one. */
export function requireScope({ scopes }: Operation, caller: Caller): void {
  const [first] = scopes;
  if (first === undefined || caller.scopes.includes(first)) return;
  if (scopes.some((scope) => caller.scopes.includes(scope))) return;
  if (caller.id === null) {
    throw missingScope('This service has no keys; those who run it make the first one with roster keys create.', first);
  }
  const needed = `'${scopes.join("' or '")}'`;
  throw missingScope(
    caller.identity
      ? `The token does not give the scope ${needed}, which this operation asks for; sign in as someone who has it.`
      : `The key does not have the scope ${needed}, which this operation asks for; use a key that has it.`,
    first,
  );
}

/** Returns the problem of a caller whose key or token ended after the request began. */
export function callerEnded(caller: Caller | undefined): ProblemError {
  return problem(
    '/problems/unauthorized',
    caller?.identity
      ? 'The token has ended while the request went on; send the rest with another one.'
      : 'The key was revoked or expired while the request went on; send the rest with another key.',
    {},
    { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"`, Connection: 'close' },
  );
}

/**
 * Returns the problem of a key that does not allow what is asked for.
 * @param scopes those to ask for
 */
export function missingScope(detail: string, scopes: Scope | readonly Scope[], resource?: Resource): ProblemError {
  const challenge = `${CHALLENGE}, error="insufficient_scope", scope="${[scopes].flat().join(' ')}"${metadataOf(resource)}`;
  return problem('/problems/missing-scope', detail, {}, { 'WWW-Authenticate': challenge });
}

/**
 * Returns the problem of a caller of MCP without a scope. The challenge has the scopes of the caller, too: a client asks
 * for consent to what it says, and would lose the others.
 * @param needed that which needs the scope, such as `the tool "ask_analyst"`
 */
export function missingMcpScope(
  needed: string,
  scope: Scope,
  { caller, resource }: { readonly caller: Caller; readonly resource: Resource | undefined },
): ProblemError {
  const scopes = TOKEN_SCOPES.filter((one) => one === scope || caller.scopes.includes(one));
  const shown = caller.grant || caller.identity ? 'token' : 'key';
  const detail = `The ${shown} does not have the scope '${scope}', which ${needed} needs; use a key that has it, or give the client consent for it.`;
  return missingScope(detail, scopes, resource);
}

function metadataOf(resource: Resource | undefined): string {
  return resource === undefined ? '' : `, resource_metadata="${resource.metadata}"`;
}

/** The headers that may carry a key, in lower case. A request has one of them. */
export const KEY_HEADERS = ['authorization', 'x-api-key'] as const;

/** Their forms; that of Authorization is RFC 6750, section 2.1. */
const KEY_FORMS = {
  authorization: { name: 'Authorization', example: 'Bearer roster_…', pattern: /^Bearer +(roster_\S+) *$/i },
  'x-api-key': { name: 'X-Api-Key', example: 'roster_…', pattern: /^(roster_\S+)$/ },
};

/** The form of `Authorization` where tokens of an issuer are good: no text of a key. */
const BEARER = /^Bearer +(?!roster_)(\S+) *$/i;

interface SentHeader {
  readonly form: (typeof KEY_FORMS)[keyof typeof KEY_FORMS];
  readonly value: string;
}

/**
 * Returns every header of the request that carries a key. If Authorization is sent more than once,
 * `headers` shows only the first; `rawHeaders`, which alternates names and values, shows them all.
 */
function keyHeaders({ headers, rawHeaders }: Request) {
  const found: SentHeader[] = [];
  if (headers.authorization === undefined && headers['x-api-key'] === undefined) return found;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const text = rawHeaders[index] ?? '';
    for (const name of KEY_HEADERS) {
      if (name.length !== text.length || name !== text.toLowerCase()) continue;
      found.push({ form: KEY_FORMS[name], value: rawHeaders[index + 1] ?? '' });
    }
  }
  return found;
}

/** Returns the unchecked value of the header that carries the key; undefined if there is none. */
export function keyHeader(headers: IncomingHttpHeaders): string | undefined {
  const { authorization, 'x-api-key': key } = headers;
  return authorization ?? (Array.isArray(key) ? key.join() : key);
}

/** @param error the value of `error` in the challenge (RFC 6750, section 3.1) */
function unauthorized(detail: string, error?: string, resource?: Resource): ProblemError {
  const challenge =
    CHALLENGE +
    (error === undefined ? '' : `, error="${error}"`) +
    metadataOf(resource) +
    (resource === undefined ? '' : `, scope="${TOKEN_SCOPES.join(' ')}"`);
  return problem('/problems/unauthorized', detail, {}, { 'WWW-Authenticate': challenge });
}
