import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { isLoopback } from '../common/addresses.js';
import { LruCache } from '../common/lru-cache.js';
import type { Operation } from '../contract/document.js';
import { OPENAI_PATHS } from '../contract/operation.js';
import type { Scope } from '../contract/scopes.js';
import { type ProblemError, problem } from '../problems/problem.js';
import { findGrant, isGranted } from '../store/grants.js';
import type { Store } from '../store/index.js';
import type { ApiKey, KeptKey } from '../store/keys.js';
import { findKey, hasKeys, noteKeyUse } from '../store/keys.js';
import { type Caller, LOCAL_CALLER, seesProject, TokenError } from './caller.js';
import type { Identities, SignIn } from './identities.js';
import { isFromOtherOrigin } from './origins.js';
import { type Resource, TOKEN_SCOPES } from './resource.js';

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
  { method, path, speaksJsonRpc }: Operation,
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
  if (sent.some(({ form }) => form !== first?.form)) {
    // One of the two may not be the caller's.
    return refuse(
      'The request has both headers, Authorization and X-Api-Key; send the key in one of them.',
    );
  }
  const { takesTokens } = callers;
  const presented = sent.length === 1 ? readPresented(first, takesTokens) : undefined;
  if (first && presented === undefined) {
    const { name, example } = first.form;
    return refuse(
      `The header ${name} does not have the form '${example}'; send the key so, in one such header.`,
    );
  }
  const letIn = (caller: Caller | undefined) => {
    if (!caller && presented !== undefined) return refuse(BAD_KEY);
    if (!caller) {
      const detail = takesTokens ? `${NO_KEY_SENT} ${OR_A_TOKEN}` : NO_KEY_SENT;
      throw unauthorized(detail, undefined, resource);
    }
    if (callerId(caller) === undefined) refuseForeignPages(req, method, allowedOrigins);
    else if (speaksJsonRpc && !allowedOrigins.includes('*')) {
      refuseOtherOrigins(req, allowedOrigins, MCP_REMEDY);
    }
    return caller;
  };
  const explainRefusal = (error: unknown): never => {
    if (!(error instanceof TokenError)) throw error;
    throw unauthorized(error.message, 'invalid_token', resource);
  };
  const caller = callers.authenticate(presented, resource?.path);
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
const BAD_KEY =
  'The key is unknown, revoked or expired; ask those who run the service for another.';

const NO_KEY_SENT =
  "The request has no key; send one as 'Authorization: Bearer roster_…' or 'X-Api-Key: roster_…'.";

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
const MCP_REMEDY =
  'and MCP answers none of these, even with a key; add the origin to ALLOWED_ORIGINS';

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

/** Returns the id by which the requests of a caller are counted; undefined for the local caller, and for none. */
export function callerId(caller?: Pick<Caller, 'key' | 'identity'>): string | undefined {
  return caller?.identity ? `oidc:${caller.identity.subject}` : caller?.key?.id;
}

/** Refuses callers without the scope that the contract requires for the operation, if it requires one. */
export function requireScope({ scopes }: Operation, caller: Caller): void {
  const [first] = scopes;
  if (first === undefined || scopes.some((scope) => caller.scopes.includes(scope))) return;
  if (callerId(caller) === undefined) {
    throw missingScope(
      'This service has no keys; those who run it make the first one with roster keys create.',
      first,
    );
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

/** Returns the problem of a key that does not allow what is asked for. */
export function missingScope(detail: string, scope: Scope): ProblemError {
  const challenge = `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`;
  return problem('/problems/missing-scope', detail, {}, { 'WWW-Authenticate': challenge });
}

/** The headers that may carry a key, in lower case. A request has one of them. */
export const KEY_HEADERS = ['authorization', 'x-api-key'] as const;

/** Their forms; that of Authorization is RFC 6750, section 2.1. */
const KEY_FORMS = {
  authorization: {
    name: 'Authorization',
    example: 'Bearer roster_…',
    pattern: /^Bearer +(roster_\S+) *$/i,
  },
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
  if (keyHeader(headers) === undefined) return found;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const text = rawHeaders[index] ?? '';
    const name = KEY_HEADERS.find(
      (header) => header.length === text.length && header === text.toLowerCase(),
    );
    if (name) found.push({ form: KEY_FORMS[name], value: rawHeaders[index + 1] ?? '' });
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
    (resource === undefined
      ? ''
      : `, resource_metadata="${resource.metadata}", scope="${TOKEN_SCOPES.join(' ')}"`);
  return problem('/problems/unauthorized', detail, {}, { 'WWW-Authenticate': challenge });
}

/** The time that an answer of the store stays valid, in milliseconds. A revoked key is refused everywhere after it. */
const REMEMBERED = 1000;

/** The largest age of the store's answer for a running request, in milliseconds, and the time between two checks. */
const RECENT = 500;

/** The time between two records of a key's last use, in milliseconds. */
const BETWEEN_NOTES = 60_000;

const MAX_KEYS = 10_000;

/**
 * Looked up in place of a text that is not a key, so that the time of a refusal tells nothing. No key
 * has these characters.
 */
const NO_KEY = { id: '-'.repeat(16), secret: '-'.repeat(43) };
const NO_HASH = hashSecret(NO_KEY.secret);

/** A key, or a token that stands for one, whose secret was right, and whose it is. */
interface Found {
  /** Of the secret of the key, or of that of the token. */
  hash: string;
  key: KeptKey;
  caller: Caller;
  /** The path of the resource that the token is for; undefined for a key. */
  resource: string | undefined;
  /** The end of the token: milliseconds since 1970. */
  until: number;
  /** When the store was asked, and when a use was last noted, as given by `performance.now()`. */
  asked: number;
  noted: number;
}

export class Callers {
  /** Keys whose secret was right, by their id. Others are not kept: anyone can send any number. */
  readonly #good = new LruCache<Found>({ maxEntries: MAX_KEYS });
  /** The uses that are still to be noted: the moment, by the id of the key. */
  readonly #toNote = new Map<string, string>();
  #keysExist: boolean;
  #askAgainAt = Number.NEGATIVE_INFINITY;

  /**
   * @param closed whether a key is needed even if there is none, as where strangers reach the service
   * @param identities tells callers by tokens of an OIDC issuer; undefined if there is none
   */
  constructor(
    private readonly store: Store,
    private readonly log: Logger,
    closed = false,
    private readonly identities?: Identities,
  ) {
    this.#keysExist = closed || identities !== undefined;
  }

  /** Returns where browsers sign in; undefined if they do not. */
  findSignIn(): SignIn | undefined {
    return this.identities?.signIn;
  }

  /** True if a token of an OIDC issuer is as good as a key. */
  get takesTokens(): boolean {
    return this.identities !== undefined;
  }

  /**
   * Tells who sends a request. As long as no key was ever made, that is the local caller; from the first key
   * on, for ever, it takes a key that is neither revoked nor expired.
   * @param presented what the request shows as its key, or as a token: any text at all; undefined where it shows none
   * @param resource the path that a token has to be for; undefined where only a key is good
   * @returns undefined for a caller who is to be refused; at once, where the key is remembered
   * @throws what the store throws, if it does not answer
   * @throws {TokenError} for a token of the issuer that is not good; {ProblemError} 503 if the issuer does not say
   */
  authenticate(
    presented: string | undefined,
    resource?: string,
  ): Caller | undefined | Promise<Caller | undefined> {
    if (presented === undefined) return this.#withoutKey();
    if (this.identities && !presented.startsWith('roster_')) {
      return this.identities.authenticate(presented);
    }
    return this.authenticateKey(presented, resource);
  }

  /** Does the same for a text that is to be a key, and no token of the issuer. */
  authenticateKey(
    presented: string,
    resource?: string,
  ): Caller | undefined | Promise<Caller | undefined> {
    const { id, secret } = parseKey(presented, resource === undefined ? '' : ACCESS) ?? NO_KEY;
    const hash = hashSecret(secret);
    const good = this.#good.get(id);
    const isFresh = good?.hash === hash && performance.now() - good.asked < REMEMBERED;
    return isFresh
      ? this.#letIn(good, resource)
      : this.#find(id, hash).then((found) => this.#letIn(found, resource));
  }

  /** Returns whose key a refused request shows, if its secret is right: it was revoked, or has expired. */
  recall(req: Pick<Request, 'headers'>): Caller | undefined {
    const { id, secret } =
      parseKey(/roster_\w+/.exec(keyHeader(req.headers) ?? '')?.[0] ?? '', ACCESS) ?? NO_KEY;
    const good = this.#good.get(id);
    return good?.hash === hashSecret(secret) ? good.caller : undefined;
  }

  /**
   * Returns whether a caller who was let in before would still be: their key is neither revoked nor expired, their
   * token has not ended; the local caller has neither, as long as no key was made.
   * @throws what the store throws, if it does not answer; an expiry is known without it
   */
  async isValid({ key: presented, grant, identity }: Caller): Promise<boolean> {
    if (identity) return this.identities?.isValid(identity) ?? false;
    if (presented === null) return !(await this.needsKey());
    const good = this.#good.get(grant === undefined ? presented.id : ACCESS + grant.id);
    if (good && !isKeyGood(good.key)) return false;
    const asked = performance.now();
    if (good && asked - good.asked < RECENT) return true;
    const key = await findKey(this.store, presented.id);
    if (!key || !isKeyGood(key)) return false;
    // A token may end, or have a successor, while what it began goes on; its consent may not end.
    if (grant) return isGranted(this.store, grant.id);
    if (good) Object.assign(good, { key, asked });
    return true;
  }

  /**
   * Returns whether a key was ever created. Instances share a store, so the absence of keys holds for a moment only.
   * @throws what the store throws, if it does not answer
   */
  async needsKey(): Promise<boolean> {
    const now = performance.now();
    if (!this.#keysExist && now >= this.#askAgainAt) {
      if (await hasKeys(this.store)) this.#keysExist = true;
      else this.#askAgainAt = now + REMEMBERED;
    }
    return this.#keysExist;
  }

  #letIn(found: Found | undefined, resource: string | undefined): Caller | undefined {
    if (!found || !isKeyGood(found.key) || Date.now() >= found.until) return undefined;
    if (found.resource !== undefined && found.resource !== resource) return undefined;
    this.#noteUse(found);
    return found.caller;
  }

  async #withoutKey(): Promise<Caller | undefined> {
    return (await this.needsKey()) ? undefined : LOCAL_CALLER;
  }

  /** Finds the key or the token with an id and with the hash of a secret, be it valid or not. */
  async #find(id: string, hash: string): Promise<Found | undefined> {
    const asked = performance.now();
    const grant =
      id.startsWith(ACCESS) && id.length > ID_LENGTH
        ? await findGrant(this.store, id.slice(ACCESS.length))
        : undefined;
    const key = await findKey(this.store, grant?.key_id ?? id);
    const kept = grant === undefined ? key?.hash : grant.access_hash;
    const isRight = timingSafeEqual(Buffer.from(hash), Buffer.from(kept ?? NO_HASH));
    if (!key || !isRight) return undefined;
    const { owner, scopes, name, limits, project_id: projectId } = key;
    const own: Caller = {
      ...{ owner, scopes, key: { id: key.id, name } },
      ...(limits && { limits }),
      ...(projectId !== null && { projectId }),
    };
    if (grant && !seesProject(own, grant.project_id)) return undefined;
    const caller: Caller = grant
      ? {
          ...own,
          scopes: scopes.filter((scope) => grant.scopes.includes(scope)),
          projectId: grant.project_id,
          grant: { id: grant.id },
        }
      : own;
    const until = grant ? grant.access_until : Number.POSITIVE_INFINITY;
    const answer = { hash, key, caller, resource: grant?.resource, until, asked };
    const known = this.#good.get(id);
    if (known) return Object.assign(known, answer);
    const found = { ...answer, noted: Number.NEGATIVE_INFINITY };
    this.#good.set(id, found);
    return found;
  }

  /** Notes the use of a key, after the request has gone on. */
  #noteUse(found: Found): void {
    const now = performance.now();
    if (now - found.noted < BETWEEN_NOTES) return;
    found.noted = now;
    this.#toNote.set(found.key.id, new Date().toISOString());
    if (this.#toNote.size === 1) setImmediate(() => this.#writeNotes());
  }

  /** One after the other: where the store keeps them waiting, they keep nobody else waiting. */
  async #writeNotes(): Promise<void> {
    for (const [id, moment] of this.#toNote) {
      try {
        await noteKeyUse(this.store, id, moment);
        this.#toNote.delete(id);
      } catch (error) {
        this.log.warn({ err: error, key: id }, 'the last use of a key is not noted');
        this.#toNote.clear();
      }
    }
  }
}

function isKeyGood({ revoked_at, expires_at }: ApiKey): boolean {
  return revoked_at === null && (expires_at === null || Date.now() < Date.parse(expires_at));
}

/** Neither `_`, which separates the parts, nor `-`: a double click selects the whole key. */
const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 16;
/** 43 characters of 62 are 256 bits. */
const SECRET_LENGTH = 43;

/** The beginning of the id in each text of a consent, which has two characters more than that of a key. */
export type TokenKind = 'at' | 'rt' | 'ac';
const ACCESS = 'at';

const FORM = new RegExp(
  `^roster_((?:ac|at|rt)?)([${CHARACTERS}]{${ID_LENGTH}})_([${CHARACTERS}]{${SECRET_LENGTH}})$`,
);

/** A new key: `text` is for its holder alone, the rest is for the store. */
export interface NewKey {
  /** `roster_<id>_<secret>`. */
  readonly text: string;
  readonly id: string;
  readonly hash: string;
}

/** Returns the random id of a key or of a consent. */
export function randomId(): string {
  return randomText(ID_LENGTH);
}

/** @param id that of a key which gets another secret; a random one by default */
export function createKey(id = randomId()): NewKey {
  const secret = randomText(SECRET_LENGTH);
  return { text: `roster_${id}_${secret}`, id, hash: hashSecret(secret) };
}

/** Makes a secret of a consent: its text is for the client alone, its hash for the store. */
export function createSecret(kind: TokenKind, id: string): { text: string; hash: string } {
  const secret = randomText(SECRET_LENGTH);
  return { text: `roster_${kind}${id}_${secret}`, hash: hashSecret(secret) };
}

/** Returns the id of a consent and the hash of a secret of it; undefined for any text that is not of the kind. */
export function parseSecret(
  text: string | undefined,
  kind: TokenKind,
): { id: string; hash: string } | undefined {
  const [, sent, id, secret] = FORM.exec(text ?? '') ?? [];
  if (sent !== kind || id === undefined || secret === undefined) return undefined;
  return { id, hash: hashSecret(secret) };
}

/**
 * The parts of a key, or of a token where one is good; nothing where a text is none. However long the text is, this
 * looks at no more of it than a key has.
 */
function parseKey(text: string, kind: '' | typeof ACCESS) {
  const [, sent, id, secret] = FORM.exec(text) ?? [];
  if (id === undefined || secret === undefined || (sent !== '' && sent !== kind)) return undefined;
  return { id: `${sent}${id}`, secret };
}

/**
 * The SHA-256 of a secret, in hexadecimal. A password would need a slow hash; 256 random bits are found by
 * no search, however fast.
 */
function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** Returns a random text of so many characters, none of which a key separates its parts by. */
export function randomText(length: number): string {
  return Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
}
