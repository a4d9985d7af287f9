import type { Request } from 'express';
import type { Caller } from '../auth/caller.js';
import type { Callers } from '../auth/callers.js';
import { KEY_HEADERS } from '../auth/callers.js';
import { isLoopback } from '../common/loopback.js';
import type { Operation } from '../contract/document.js';
import { isFromOtherOrigin } from '../edge/cors.js';
import { type ProblemError, problem } from '../problems/problem.js';

const CHALLENGE = 'Bearer realm="roster"';

/**
 * Identifies the caller of an operation that is not open to all; waits only if the store must be asked. Without
 * keys, refuses what would change something for a page of another origin.
 * @param allowedOrigins the origins whose pages may use the service
 */
export function identifyCaller(
  req: Request,
  { method }: Operation,
  callers: Callers,
  allowedOrigins: readonly string[],
): Caller | Promise<Caller> {
  const headers = keyHeaders(req);
  const [sent] = headers;
  const refuse = (refusal: ProblemError) => refuseKey(callers, headers, refusal);
  if (headers.some(({ name }) => name !== sent?.name)) return refuse(twoHeaders());
  const presented = sent && headers.length === 1 ? readKey(sent) : undefined;
  if (sent && presented === undefined) return refuse(malformed(sent));
  const letIn = (caller: Caller | undefined) => {
    if (!caller) {
      if (presented === undefined) throw noKey();
      return refuse(badKey());
    }
    if (caller.key === null) refuseForeignPages(req, method, allowedOrigins);
    return caller;
  };
  const caller = callers.authenticate(presented);
  return caller instanceof Promise ? caller.then(letIn) : letIn(caller);
}

/** Users of a mock, which accepts any key, meet a service without keys with the key that they used there. */
async function refuseKey(
  callers: Callers,
  headers: readonly KeyHeader[],
  refusal: ProblemError,
): Promise<never> {
  throw (await callers.needsKey()) ? refusal : needlessKey(headers);
}

function refuseForeignPages(req: Request, method: string, allowedOrigins: readonly string[]): void {
  if (!isForThisMachine(req)) throw otherHost(req.hostname);
  if (method !== 'get' && isFromOtherOrigin(req, allowedOrigins)) {
    throw otherOrigin(req.headers.origin);
  }
}

/** Refuses callers without the scope that the contract requires for the operation, if it requires one. */
export function requireScope({ scope }: Operation, caller: Caller): void {
  if (scope !== undefined && !caller.scopes.includes(scope)) throw missingScope(scope);
}

interface KeyHeader {
  readonly name: (typeof KEY_HEADERS)[number];
  readonly value: string;
}

/**
 * Returns every header of the request that carries a key. If Authorization is sent more than once,
 * `headers` shows only the first; `rawHeaders`, which alternates names and values, shows them all.
 */
function keyHeaders({ headers, rawHeaders }: Request): KeyHeader[] {
  const found: KeyHeader[] = [];
  if (headers.authorization === undefined && headers['x-api-key'] === undefined) return found;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const text = rawHeaders[index] ?? '';
    const name = KEY_HEADERS.find(
      (header) => header.length === text.length && header === text.toLowerCase(),
    );
    if (name) found.push({ name, value: rawHeaders[index + 1] ?? '' });
  }
  return found;
}

/** The form of each header; that of Authorization is RFC 6750, section 2.1. */
const FORMS = {
  authorization: {
    name: 'Authorization',
    shown: 'Bearer roster_…',
    form: /^Bearer +(roster_\S+) *$/i,
  },
  'x-api-key': { name: 'X-Api-Key', shown: 'roster_…', form: /^(roster_\S+)$/ },
};

/** Returns the key of a header; undefined if the header has another form. */
function readKey({ name, value }: KeyHeader): string | undefined {
  return FORMS[name].form.exec(value)?.[1];
}

function noKey() {
  return problem(
    '/problems/unauthorized',
    "The request has no key; send one as 'Authorization: Bearer roster_…' or 'X-Api-Key: roster_…'.",
    {},
    { 'WWW-Authenticate': CHALLENGE },
  );
}

function malformed({ name }: KeyHeader) {
  const { name: header, shown } = FORMS[name];
  return refusedKey(
    `The header ${header} does not have the form '${shown}'; send the key so, in one such header.`,
  );
}

/** One of the two may not be the caller's. */
function twoHeaders() {
  return refusedKey(
    'The request has both headers, Authorization and X-Api-Key; send the key in one of them.',
  );
}

function needlessKey(headers: readonly KeyHeader[]) {
  const names = [...new Set(headers.map(({ name }) => FORMS[name].name))].join(' and ');
  return refusedKey(`This service has no keys: send none; leave the header ${names} out.`);
}

/** Does not say which of the three applies, or anyone could find out which keys ever existed. */
function badKey() {
  return refusedKey(
    'The key is unknown, revoked or expired; ask those who run the service for another.',
  );
}

function refusedKey(detail: string) {
  return problem(
    '/problems/unauthorized',
    detail,
    {},
    { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
  );
}

/** A client that sends no Host, which HTTP/1.0 allows, is not a browser. */
function isForThisMachine(req: Request): boolean {
  return req.headers.host === undefined || isLoopback(req.hostname);
}

/**
 * Without keys, the service trusts browsers on this machine. A page from elsewhere could point its
 * own host name at this machine (DNS rebinding), and would then share the origin of the service.
 */
function otherHost(host: string) {
  return problem(
    '/problems/unauthorized',
    `The service has no keys, and so is there for this machine alone: ask it as localhost or 127.0.0.1, not as "${host}".`,
    {},
    { 'WWW-Authenticate': CHALLENGE },
  );
}

/** A browser sends what has no body, or a form's, without a preflight. */
function otherOrigin(origin: string | undefined) {
  const page = origin === undefined || origin === 'null' ? '' : `, "${origin}",`;
  return problem(
    '/problems/other-origin',
    `The request comes from a page of another origin${page} and this service has no keys that would tell who asks; add the origin to ALLOWED_ORIGINS, or make a key and send it.`,
    {},
    { 'WWW-Authenticate': CHALLENGE },
  );
}

function missingScope(scope: Caller['scopes'][number]) {
  return problem(
    '/problems/missing-scope',
    `The key does not have the scope '${scope}', which this operation asks for; use a key that has it.`,
    {},
    { 'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  );
}
