import type { Request, RequestHandler } from 'express';
import type { Caller } from '../auth/caller.js';
import type { Operation } from '../contract/document.js';
import { isLoopback } from '../loopback.js';
import { type ProblemError, problem } from '../problems/problem.js';

/** Tells whose key it is that was presented, if it is a good one. */
export type Authenticate = (
  presented: string | undefined,
) => Caller | undefined | Promise<Caller | undefined>;

const CHALLENGE = 'Bearer realm="roster"';

/** Whether the service has keys, so that a request needs one. */
export type NeedsKey = () => Promise<boolean>;

/** Finds out who calls an operation that is not open to all. */
export function identify(
  { scope }: Operation,
  authenticate: Authenticate,
  needsKey: NeedsKey,
): RequestHandler[] {
  if (scope === undefined) return [];
  // A mock takes any key; its user then asks a service that has none for the first time.
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
        if (caller.keyId === null && !isForThisMachine(req)) throw otherHost(req.hostname);
        res.locals.caller = caller;
        return next();
      };
      const caller = authenticate(presented);
      return caller instanceof Promise ? caller.then(letIn) : letIn(caller);
    },
  ];
}

/** Lets callers in who may do what the operation does; the scope that it takes is the contract's. */
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
 * The key of a request (RFC 6750, section 2.1). A header of another form is malformed, and so are two: one of
 * them is not the caller's.
 */
function presentedKey({ headers, rawHeaders }: Request): string | typeof MALFORMED | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const [, key] = /^Bearer +(roster_\S+) *$/i.exec(authorization) ?? [];
  // Of several, Node shows the first one alone.
  const sent = rawHeaders.filter(isAuthorization).length;
  return key === undefined || sent > 1 ? MALFORMED : key;
}

/** Names and values of headers stand alternately. */
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

function needlessKey() {
  return refusedKey('This service has no keys: send none; leave the header Authorization out.');
}

/** Which of the three it is, is not told: whoever tries keys would learn which there were. */
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

/** Whoever sends no Host, which HTTP/1.0 allows, is no browser. */
function isForThisMachine(req: Request): boolean {
  return req.headers.host === undefined || isLoopback(req.hostname);
}

/**
 * Without keys, the browser on this machine is trusted; but a page from elsewhere may have its own host's
 * name lead here (DNS rebinding), and would then be of one origin with the service.
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
