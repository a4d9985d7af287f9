import type { Request } from 'express';
import type { Caller } from '../auth/caller.js';
import { type Callers, KEY_HEADERS } from '../auth/callers.js';
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
  // Users of a mock, which accepts any key, meet a service without keys with the key that they used there.
  const refuse = async (detail: string): Promise<never> => {
    throw unauthorized((await callers.needsKey()) ? detail : needlessKey(headers), 'invalid_token');
  };
  if (headers.some(({ name }) => name !== sent?.name)) {
    // One of the two may not be the caller's.
    return refuse(
      'The request has both headers, Authorization and X-Api-Key; send the key in one of them.',
    );
  }
  const presented =
    sent && headers.length === 1 ? FORMS[sent.name].form.exec(sent.value)?.[1] : undefined;
  if (sent && presented === undefined) {
    const { name, example } = FORMS[sent.name];
    return refuse(
      `The header ${name} does not have the form '${example}'; send the key so, in one such header.`,
    );
  }
  const letIn = (caller: Caller | undefined) => {
    if (!caller) return presented === undefined ? refuseWithoutKey() : refuse(BAD_KEY);
    if (caller.key === null) refuseForeignPages(req, method, allowedOrigins);
    return caller;
  };
  const caller = callers.authenticate(presented);
  return caller instanceof Promise ? caller.then(letIn) : letIn(caller);
}

/** Does not say which of the three applies, or anyone could find out which keys ever existed. */
const BAD_KEY =
  'The key is unknown, revoked or expired; ask those who run the service for another.';

function refuseWithoutKey(): never {
  throw unauthorized(
    "The request has no key; send one as 'Authorization: Bearer roster_…' or 'X-Api-Key: roster_…'.",
  );
}

/**
 * Without keys, the service trusts browsers on this machine. A page from elsewhere could point its
 * own host name at this machine (DNS rebinding), and would then share the origin of the service.
 */
function refuseForeignPages(req: Request, method: string, allowedOrigins: readonly string[]): void {
  const { host, origin } = req.headers;
  // A client that sends no Host, which HTTP/1.0 allows, is not a browser.
  if (host !== undefined && !isLoopback(req.hostname)) {
    throw unauthorized(
      `The service has no keys, and so is there for this machine alone: ask it as localhost or 127.0.0.1, not as "${req.hostname}".`,
    );
  }
  // A browser sends what has no body, or a form's, without a preflight.
  if (method === 'get' || !isFromOtherOrigin(req, allowedOrigins)) return;
  const page = origin === undefined || origin === 'null' ? '' : `, "${origin}",`;
  throw problem(
    '/problems/other-origin',
    `The request comes from a page of another origin${page} and this service has no keys that would tell who asks; add the origin to ALLOWED_ORIGINS, or make a key and send it.`,
    {},
    { 'WWW-Authenticate': CHALLENGE },
  );
}

/** Refuses callers without the scope that the contract requires for the operation, if it requires one. */
export function requireScope({ scope }: Operation, caller: Caller): void {
  if (scope === undefined || caller.scopes.includes(scope)) return;
  throw problem(
    '/problems/missing-scope',
    `The key does not have the scope '${scope}', which this operation asks for; use a key that has it.`,
    {},
    { 'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  );
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
    example: 'Bearer roster_…',
    form: /^Bearer +(roster_\S+) *$/i,
  },
  'x-api-key': { name: 'X-Api-Key', example: 'roster_…', form: /^(roster_\S+)$/ },
};

function needlessKey(headers: readonly KeyHeader[]): string {
  const names = [...new Set(headers.map(({ name }) => FORMS[name].name))].join(' and ');
  return `This service has no keys: send none; leave the header ${names} out.`;
}

/** @param error the value of `error` in the challenge (RFC 6750, section 3.1) */
function unauthorized(detail: string, error?: string): ProblemError {
  const challenge = error === undefined ? CHALLENGE : `${CHALLENGE}, error="${error}"`;
  return problem('/problems/unauthorized', detail, {}, { 'WWW-Authenticate': challenge });
}
