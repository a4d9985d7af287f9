import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { ApiKey, KeptKey, Store } from '../store/index.js';
import { hashOf, parseKey } from './api-key.js';
import { type Caller, LOCAL_CALLER } from './caller.js';

/** How long the store's word is taken again, in milliseconds: so soon a revoked key is refused everywhere. */
const REMEMBERED = 1000;

/** How long between two notes of a key's last use, in milliseconds. */
const BETWEEN_NOTES = 60_000;

/** How many keys are remembered at the same time. */
const MOST_KEYS = 10_000;

/**
 * What is looked up in place of a text that is no key, so that the time of a refusal tells nothing. No key
 * has these characters.
 */
const NO_KEY = { id: '-'.repeat(16), secret: '-'.repeat(43) };
const NO_HASH = hashOf(NO_KEY.secret);

/** Knows callers by their keys. */
export class Callers {
  /** Keys that were found good, by the hash of their secret. Those found wrong are not kept: anyone can send any number. */
  readonly #good = new LRUCache<string, { key: KeptKey; asked: number }>({ max: MOST_KEYS });
  /** When the use of a key was last noted, by its id. */
  readonly #noted = new LRUCache<string, number>({ max: MOST_KEYS });
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
   * @returns undefined for a caller who is to be refused
   * @throws what the store throws, if it does not answer
   */
  async authenticate(presented: string | undefined): Promise<Caller | undefined> {
    if (presented === undefined) return (await this.#needsKey()) ? undefined : LOCAL_CALLER;
    const key = await this.#find(presented);
    if (!key || !isValid(key)) return undefined;
    this.#noteUse(key.id);
    return { owner: key.owner, scopes: key.scopes, keyId: key.id };
  }

  /** Whether a key was ever made. Several instances share a store: that there is none holds for a moment only. */
  async #needsKey(): Promise<boolean> {
    const now = performance.now();
    if (!this.#keysExist && now >= this.#askAgainAt) {
      if (await this.store.keys.exist()) this.#keysExist = true;
      else this.#askAgainAt = now + REMEMBERED;
    }
    return this.#keysExist;
  }

  /** Finds the key whose id and secret were presented, be it valid or not. */
  async #find(presented: string): Promise<KeptKey | undefined> {
    const { id, secret } = parseKey(presented) ?? NO_KEY;
    const hash = hashOf(secret);
    const now = performance.now();
    const good = this.#good.get(hash);
    if (good?.key.id === id && now - good.asked < REMEMBERED) return good.key;

    const key = await this.store.keys.find(id);
    const isRight = timingSafeEqual(Buffer.from(hash), Buffer.from(key?.hash ?? NO_HASH));
    if (!key || !isRight) return undefined;
    this.#good.set(hash, { key, asked: now });
    return key;
  }

  /** Notes the use of a key, after the request has gone on. */
  #noteUse(id: string): void {
    const now = performance.now();
    if (now - (this.#noted.get(id) ?? Number.NEGATIVE_INFINITY) < BETWEEN_NOTES) return;
    this.#noted.set(id, now);
    const moment = new Date().toISOString();
    setImmediate(async () => {
      try {
        await this.store.keys.noteUse(id, moment);
      } catch (error) {
        this.log.warn({ err: error, key: id }, 'the last use of a key is not noted');
      }
    });
  }
}

function isValid({ revoked_at, expires_at }: ApiKey): boolean {
  return revoked_at === null && (expires_at === null || Date.now() < Date.parse(expires_at));
}
