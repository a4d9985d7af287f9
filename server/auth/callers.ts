import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { isLoopback } from '../common/loopback.js';
import { LruCache } from '../common/lru-cache.js';
import type { Operation } from '../contract/document.js';
import { OPENAI_PATHS } from '../contract/operation.js';
import { type ProblemError, problem } from '../problems/problem.js';
import type { Store } from '../store/index.js';
import type { ApiKey, KeptKey } from '../store/keys.js';
import { findKey, hasKeys, noteKeyUse } from '../store/keys.js';
import { type Caller, LOCAL_CALLER } from './caller.js';
import { isFromOtherOrigin } from './origins.js';

const CHALLENGE = 'Bearer realm="roster"';

/**
 * Identifies the caller of an operation that is not open to all; waits only if the store must be asked. Without
 * keys, refuses what would change something for a page of another origin; MCP refuses it with a key, too.
 * @param allowedOrigins the origins whose pages may use the service; `*` for those that send a key
 */
export function identifyCaller(
  req: Request,
  { method, path, speaksJsonRpc }: Operation,
  callers: Callers,
  allowedOrigins: readonly string[],
): Caller | Promise<Caller> {
  const sent = keyHeaders(req);
  const [first] = sent;
  // Users of a mock, which accepts any key, meet a service without keys with the key that they used there.
  const refuse = async (detail: string): Promise<Caller> => {
    if (await callers.needsKey()) throw unauthorized(detail, 'invalid_token');
    // These clients send a key whether or not there is any.
    if (path.startsWith(OPENAI_PATHS)) {
      refuseForeignPages(req, method, allowedOrigins);
      return LOCAL_CALLER;
    }
    const names = [...new Set(sent.map(({ form }) => form.name))].join(' and ');
    const needless = `This service has no keys: send none; leave the header ${names} out.`;
    throw unauthorized(needless, 'invalid_token');
  };
  if (sent.some(({ form }) => form !== first?.form)) {
    // One of the two may not be the caller's.
    return refuse(
      'The request has both headers, Authorization and X-Api-Key; send the key in one of them.',
    );
  }
  const presented = sent.length === 1 ? first?.form.pattern.exec(first.value)?.[1] : undefined;
  if (first && presented === undefined) {
    const { name, example } = first.form;
    return refuse(
      `The header ${name} does not have the form '${example}'; send the key so, in one such header.`,
    );
  }
  const letIn = (caller: Caller | undefined) => {
    if (!caller && presented !== undefined) return refuse(BAD_KEY);
    if (!caller) throw unauthorized(NO_KEY_SENT);
    if (caller.key === null) refuseForeignPages(req, method, allowedOrigins);
    else if (speaksJsonRpc && !allowedOrigins.includes('*')) {
      refuseOtherOrigins(req, allowedOrigins, MCP_REMEDY);
    }
    return caller;
  };
  const caller = callers.authenticate(presented);
  return caller instanceof Promise ? caller.then(letIn) : letIn(caller);
}

/** Does not say which of the three applies, or anyone could find out which keys ever existed. */
const BAD_KEY =
  'The key is unknown, revoked or expired; ask those who run the service for another.';

const NO_KEY_SENT =
  "The request has no key; send one as 'Authorization: Bearer roster_…' or 'X-Api-Key: roster_…'.";

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

/**
 * Returns every header of the request that carries a key. If Authorization is sent more than once,
 * `headers` shows only the first; `rawHeaders`, which alternates names and values, shows them all.
 */
function keyHeaders({ headers, rawHeaders }: Request) {
  const found: { form: (typeof KEY_FORMS)[keyof typeof KEY_FORMS]; value: string }[] = [];
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
function unauthorized(detail: string, error?: string): ProblemError {
  const challenge = error === undefined ? CHALLENGE : `${CHALLENGE}, error="${error}"`;
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

/** A key whose secret was right, and whose it is. */
interface Found {
  key: KeptKey;
  caller: Caller;
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

  /** @param closed whether a key is needed even if there is none, as where strangers reach the service */
  constructor(
    private readonly store: Store,
    private readonly log: Logger,
    closed = false,
  ) {
    this.#keysExist = closed;
  }

  /**
   * Tells who sends a request. As long as no key was ever made, that is the local caller; from the first key
   * on, for ever, it takes a key that is neither revoked nor expired.
   * @param presented what the request shows as its key: any text at all; undefined where it shows none
   * @returns undefined for a caller who is to be refused; at once, where the key is remembered
   * @throws what the store throws, if it does not answer
   */
  authenticate(presented: string | undefined): Caller | undefined | Promise<Caller | undefined> {
    if (presented === undefined) return this.#withoutKey();
    const { id, secret } = parseKey(presented) ?? NO_KEY;
    const hash = hashSecret(secret);
    const good = this.#good.get(id);
    const isFresh = good?.key.hash === hash && performance.now() - good.asked < REMEMBERED;
    return isFresh ? this.#letIn(good) : this.#find(id, hash).then((found) => this.#letIn(found));
  }

  /**
   * Returns whether a caller who was let in before would still be: their key is neither revoked nor expired; the
   * local caller has none, as long as no key was made.
   * @throws what the store throws, if it does not answer; an expiry is known without it
   */
  async isKeyValid({ key: presented }: Caller): Promise<boolean> {
    if (presented === null) return !(await this.needsKey());
    const good = this.#good.get(presented.id);
    if (good && !isValid(good.key)) return false;
    const asked = performance.now();
    if (good && asked - good.asked < RECENT) return true;
    const key = await findKey(this.store, presented.id);
    if (!key || !isValid(key)) return false;
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

  #letIn(found: Found | undefined): Caller | undefined {
    if (!found || !isValid(found.key)) return undefined;
    this.#noteUse(found);
    return found.caller;
  }

  async #withoutKey(): Promise<Caller | undefined> {
    return (await this.needsKey()) ? undefined : LOCAL_CALLER;
  }

  /** Finds the key with an id and with the hash of a secret, be it valid or not. */
  async #find(id: string, hash: string): Promise<Found | undefined> {
    const asked = performance.now();
    const key = await findKey(this.store, id);
    const isRight = timingSafeEqual(Buffer.from(hash), Buffer.from(key?.hash ?? NO_HASH));
    if (!key || !isRight) return undefined;
    const { owner, scopes, name } = key;
    const answer = { key, caller: { owner, scopes, key: { id, name } }, asked };
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

function isValid({ revoked_at, expires_at }: ApiKey): boolean {
  return revoked_at === null && (expires_at === null || Date.now() < Date.parse(expires_at));
}

/** Neither `_`, which separates the parts, nor `-`: a double click selects the whole key. */
const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 16;
/** 43 characters of 62 are 256 bits. */
const SECRET_LENGTH = 43;

const FORM = new RegExp(
  `^roster_([${CHARACTERS}]{${ID_LENGTH}})_([${CHARACTERS}]{${SECRET_LENGTH}})$`,
);

/** A new key: `text` is for its holder alone, the rest is for the store. */
export interface NewKey {
  /** `roster_<id>_<secret>`. */
  readonly text: string;
  readonly id: string;
  readonly hash: string;
}

export function createKey(): NewKey {
  const id = randomText(ID_LENGTH);
  const secret = randomText(SECRET_LENGTH);
  return { text: `roster_${id}_${secret}`, id, hash: hashSecret(secret) };
}

/** The parts of a key, or nothing where a text is none. However long the text is, this looks at no more of it than a key has. */
function parseKey(text: string): { id: string; secret: string } | undefined {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/**
 * The SHA-256 of a secret, in hexadecimal. A password would need a slow hash; 256 random bits are found by
 * no search, however fast.
 */
function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

function randomText(length: number): string {
  return Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
}
