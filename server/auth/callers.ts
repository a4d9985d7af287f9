import { timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import { LruCache } from '../common/lru-cache.js';
import { findGrant, isGranted, listAccessTokens } from '../store/grants.js';
import { isUnavailable, type Store } from '../store/index.js';
import type { ApiKey, KeptKey } from '../store/keys.js';
import { findKey, hasKeys, noteKeyUse } from '../store/keys.js';
import { type Caller, LOCAL_CALLER, seesProject } from './caller.js';
import type { Identities, SignIn } from './identities.js';
import { type PresentedSecret, parseSecret } from './secrets.js';

/** The time that an answer of the store stays valid, in milliseconds. A revoked key is refused everywhere after it. */
const REMEMBERED = 1000;

/** The largest age of the store's answer for a running request, in milliseconds, and the time between two checks. */
const RECENT = 500;

/** The time for which the last answer holds for what the store is not needed for, while it does not answer, in milliseconds. */
const REMEMBERED_WITHOUT_STORE = 3_600_000;

/** The time between two records of a key's last use, in milliseconds. */
const BETWEEN_NOTES = 60_000;

const MAX_KEYS = 10_000;

/** The secret of a key, or of a token that stands for one. */
type KeySecret = PresentedSecret<'' | 'at'>;

/**
 * Looked up in place of a text that is not a key, so that the time of a refusal reveals nothing. No key
 * has these characters.
 */
const NO_KEY: KeySecret = { kind: '', id: '-'.repeat(16), hash: '-'.repeat(64) };

/** A key, or a token that stands for one, whose secret was right, and whose it is. */
interface Found {
  /** The hash of the secret of the key, or of that of the token. */
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
  /** Keys and tokens whose secret was right, by `nameOf`. Others are not kept: anyone can send any number. */
  readonly #good = new LruCache<Found>({ maxEntries: MAX_KEYS });
  /** The uses that are still to be noted: the moment, by the id of the key. */
  readonly #toNote = new Map<string, string>();
  /** True if a token of an OIDC issuer is as good as a key. */
  readonly takesTokens: boolean;
  #keysExist: boolean;
  /** When the store last said that there is no key, as given by `performance.now()`. */
  #noKeysAt = Number.NEGATIVE_INFINITY;

  /**
   * @param closed whether a key is needed even if there is none, as where strangers reach the service
   * @param identities identifies callers by tokens of an OIDC issuer; undefined if there is none
   */
  constructor(
    private readonly store: Store,
    private readonly log: Logger,
    closed = false,
    private readonly identities?: Identities,
  ) {
    this.takesTokens = identities !== undefined;
    this.#keysExist = closed || this.takesTokens;
  }

  /** Returns where browsers sign in; undefined if they do not. */
  findSignIn(): SignIn | undefined {
    return this.identities?.signIn;
  }

  /**
   * Identifies the caller of a request. As long as no key was ever made, that is the local caller; from the first key
   * on, for ever, it takes a key that is neither revoked nor expired.
   * @param presented what the request shows as its key, or as a token: any text at all; undefined where it shows none
   * @param resource the path that a token has to be for; undefined where only a key is good
   * @returns undefined for a caller who is to be refused; at once, where the key is remembered
   * @throws what the store throws, if it does not answer
   * @throws {TokenError} for a token of the issuer that is not good; {ProblemError} 503 if the issuer does not say
   */
  authenticate(presented: string | undefined, resource?: string): Caller | undefined | Promise<Caller | undefined> {
    if (presented === undefined) return this.#withoutKey();
    if (this.identities && !presented.startsWith('roster_')) {
      return this.identities.authenticate(presented);
    }
    return this.authenticateKey(presented, resource);
  }

  /**
   * Does the same for what works without the store: while it does not answer, its last answer holds for an hour. Keys
   * that were not used before are not known then.
   */
  async authenticateFromMemory(presented: string | undefined): Promise<Caller | undefined> {
    try {
      return await this.authenticate(presented);
    } catch (error) {
      const known = isUnavailable(error) && this.#recallCaller(presented);
      if (!known) throw error;
      return known;
    }
  }

  #recallCaller(presented: string | undefined): Caller | undefined {
    const since = performance.now() - REMEMBERED_WITHOUT_STORE;
    if (presented === undefined) return this.#noKeysAt > since && !this.#keysExist ? LOCAL_CALLER : undefined;
    const secret = parseSecret(presented, '') ?? NO_KEY;
    const good = this.#good.get(nameOf(secret));
    return good?.hash === secret.hash && good.asked > since ? this.#letIn(good, undefined) : undefined;
  }

  /** Does the same for a text that is to be a key, and no token of the issuer. */
  authenticateKey(presented: string, resource?: string): Caller | undefined | Promise<Caller | undefined> {
    const secret = (resource === undefined ? parseSecret(presented, '') : parseSecret(presented, '', 'at')) ?? NO_KEY;
    const good = this.#good.get(nameOf(secret));
    const isFresh = good?.hash === secret.hash && performance.now() - good.asked < REMEMBERED;
    return isFresh ? this.#letIn(good, resource) : this.#find(secret).then((found) => this.#letIn(found, resource));
  }

  /**
   * Returns whose key a refused request shows, if its secret is right: it was revoked, or has expired.
   * @param header the value of the header that carries the key
   */
  recall(header = ''): Caller | undefined {
    const secret = parseSecret(/roster_\w+/.exec(header)?.[0], '', 'at') ?? NO_KEY;
    const good = this.#good.get(nameOf(secret));
    return good?.hash === secret.hash ? good.caller : undefined;
  }

  /**
   * Returns whether a caller who was let in before would still be: their key is neither revoked nor expired, their
   * token has not ended; the local caller has neither, as long as no key was made.
   * @throws what the store throws, if it does not answer; an expiry is known without it
   */
  async isValid({ key: presented, grant, identity }: Pick<Caller, 'key' | 'grant' | 'identity'>): Promise<boolean> {
    if (identity) return this.identities?.isValid(identity) ?? false;
    if (presented === null) return !(await this.needsKey());
    const good = this.#good.get(nameOf(grant ? { kind: 'at', ...grant } : { kind: '', id: presented.id }));
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
    if (!this.#keysExist && now >= this.#noKeysAt + REMEMBERED) {
      if (await hasKeys(this.store)) this.#keysExist = true;
      else this.#noKeysAt = now;
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

  /** Finds the key or the token that has a secret, be it valid or not. */
  async #find(secret: KeySecret): Promise<Found | undefined> {
    const { kind, id, hash } = secret;
    const asked = performance.now();
    const grant = kind === 'at' ? await findGrant(this.store, id) : undefined;
    const keyId = kind === 'at' ? grant?.key_id : id;
    const key = await findKey(this.store, keyId ?? NO_KEY.id);
    const token = grant && listAccessTokens(grant).find((one) => isSame(one.hash, hash));
    const isRight = isSame((kind === 'at' ? token : key)?.hash ?? NO_KEY.hash, hash);
    if (!key || !isRight) return undefined;
    const { owner, scopes, name, limits, project_id: projectId } = key;
    const own: Caller = {
      id: key.id,
      owner,
      scopes,
      key: { id: key.id, name },
      ...(limits && { limits }),
      ...(projectId !== null && { projectId }),
    };
    if (grant && !seesProject(own, grant.project_id)) return undefined;
    const caller: Caller =
      grant && token
        ? {
            ...own,
            scopes: scopes.filter((scope) => token.scopes.includes(scope)),
            projectId: grant.project_id,
            grant: { id: grant.id, hash },
          }
        : own;
    const until = token?.until ?? Number.POSITIVE_INFINITY;
    const answer = { hash, key, caller, resource: grant?.resource, until, asked };
    const known = this.#good.get(nameOf(secret));
    if (known) return Object.assign(known, answer);
    const found = { ...answer, noted: Number.NEGATIVE_INFINITY };
    this.#good.set(nameOf(secret), found);
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

/** Returns the name of a key or a token in the cache. A consent has several tokens at a time. */
function nameOf({
  kind,
  id,
  hash = '',
}: {
  readonly kind: string;
  readonly id: string;
  readonly hash?: string;
}): string {
  return kind === 'at' ? `at${id}.${hash}` : id;
}

function isSame(kept: string, presented: string): boolean {
  return timingSafeEqual(Buffer.from(kept), Buffer.from(presented));
}

function isKeyGood({ revoked_at, expires_at }: ApiKey): boolean {
  return revoked_at === null && (expires_at === null || Date.now() < Date.parse(expires_at));
}
