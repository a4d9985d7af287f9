import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { LruCache } from '../common/lru-cache.js';
import type { Store } from '../store/index.js';
import type { ApiKey, KeptKey } from '../store/keys.js';
import { findKey, hasKeys, noteKeyUse } from '../store/keys.js';
import { type Caller, LOCAL_CALLER } from './caller.js';

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
   * Tells whether a caller who was let in before would still be: their key is neither revoked nor expired; the
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

/** The headers that may carry a key, in lower case. A request has one of them. */
export const KEY_HEADERS = ['authorization', 'x-api-key'] as const;

/** Returns the unchecked value of the header that carries the key; undefined if there is none. */
export function keyHeader(headers: IncomingHttpHeaders): string | undefined {
  const { authorization, 'x-api-key': key } = headers;
  return authorization ?? (Array.isArray(key) ? key.join() : key);
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
