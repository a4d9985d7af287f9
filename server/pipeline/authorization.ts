import type { Request, RequestHandler } from 'express';
import type { Caller } from '../auth/caller.js';
import type { Operation } from '../contract/document.js';
import { isLoopback } from '../loopback.js';
import { type ProblemError, problem } from '../problems/problem.js';

/** Returns the caller that a valid key belongs to. */
export type Authenticate = (
  presented: string | undefined,
) => Caller | undefined | Promise<Caller | undefined>;

const CHALLENGE = 'Bearer realm="roster"';

/** Returns whether the service has keys, so that requests need one. */
export type NeedsKey = () => Promise<boolean>;

/** Identifies the caller of an operation, unless it is open to all. */
export function identify(
  { isOpen }: Operation,
  authenticate: Authenticate,
  needsKey: NeedsKey,
): RequestHandler[] {
  if (isOpen) return [];
  // Users of a mock, which accepts any key, meet a service without keys with the key that they used there.
  const refuse = async (refusal: ProblemError) => {
    throw (await needsKey()) ? refusal : needlessKey();
  };
  return [
    (req, res, next) => {
      const presented = presentedKey(req);
      if (presented === MALFORMED) return refuse(noSuchHeader());
      const letIn = (caller: Caller | undefined) => {
        if (!caller) {
          if (presented === undefined) throw noKey();
          return refuse(badKey());
        }
        if (caller.key === null && !isForThisMachine(req)) throw otherHost(req.hostname);
        res.locals.caller = caller;
        return next();
      };
      const caller = authenticate(presented);
      return caller instanceof Promise ? caller.then(letIn) : letIn(caller);
    },
  ];
}

/** Refuses callers without the scope that the contract requires for the operation, if it requires one. */
export function refuseOtherScopes({ scope }: Operation): RequestHandler[] {
  if (scope === undefined) return [];
  return [
    (_req, res, next) => {
      if (!res.locals.caller?.scopes.includes(scope)) throw missingScope(scope);
      next();
    },
  ];
}

const MALFORMED = Symbol('malformed');

/**
 * Returns the key of the header Authorization (RFC 6750, section 2.1). A header of another form is malformed, and so
 * are two headers: one of them may not be the caller's.
 */
function presentedKey({ headers, rawHeaders }: Request): string | typeof MALFORMED | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const [, key] = /^Bearer +(roster_\S+) *$/i.exec(authorization) ?? [];
  // If the header is sent more than once, Node shows only the first.
  const sent = rawHeaders.filter(isAuthorization).length;
  return key === undefined || sent > 1 ? MALFORMED : key;
}

/**
 * Returns whether the item is the name of this header; `rawHeaders` alternates names and values.
 */
function isAuthorization(text: string, index: number): boolean {
  return index % 2 === 0 && /^authorization$/i.test(text);
}

function noKey() {
  return problem(
    '/problems/unauthorized',
    "The request has no key; send one as 'Authorization: Bearer roster_…'.",
    {},
    { 'WWW-Authenticate': CHALLENGE },
  );
}

function noSuchHeader() {
  return refusedKey(
    "The header Authorization does not have the form 'Bearer roster_…'; send the key so, in one such header.",
  );
}

/** Does not say which of the three applies, or anyone could find out which keys ever existed. */
function needlessKey() {
  return refusedKey('This service has no keys: send none; leave the header Authorization out.');
}

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

function missingScope(scope: Caller['scopes'][number]) {
  return problem(
    '/problems/missing-scope',
    `The key does not have the scope '${scope}', which this operation asks for; use a key that has it.`,
    {},
    { 'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  );
}
