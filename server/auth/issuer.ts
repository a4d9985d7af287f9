import { hash } from 'node:crypto';
import { urlToHttpOptions } from 'node:url';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import type { Logger } from 'pino';
import * as v from 'valibot';
import { parseJson } from '../../contract/json-record.js';
import { isSecureAddress } from '../common/addresses.js';
import { ExchangeError, exchange, explainExchange } from '../common/http-exchange.js';
import { unavailable } from '../problems/problem.js';

/** The time for the discovery and the keys together, in milliseconds. */
const MAX_MS = 5000;

const LIMITS = {
  firstByteMs: MAX_MS,
  silenceMs: MAX_MS,
  endMs: MAX_MS,
  // Headers count too: Node.js takes 16 KiB of them.
  maxReceivedBytes: 512 * 1024,
};

const MAX_DOCUMENT_BYTES = 256 * 1024;
const MAX_KEYS = 100;

/** The time for which keys are used without another look, in milliseconds; a key that was taken back ends then. */
const FRESH_MS = 10 * 60_000;

/** The shortest time between two questions, in milliseconds: after an answer, one without the key, and none. */
const ASK_AGAIN_MS = 1000;
const ASK_AGAIN_FOR_UNKNOWN_MS = 30_000;
const ASK_AGAIN_AFTER_FAILURE_MS = 10_000;

/** The most requests that wait for keys; more of them would only be held. */
const MAX_WAITING = 64;

/** The algorithms of signatures that are taken: none of them has a secret that the service would know. */
export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
type Algorithm = (typeof ALGORITHMS)[number];

const endpoint = v.optional(v.string());
const discovery = v.object({
  issuer: v.string(),
  jwks_uri: v.string(),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
});

const keySet = v.object({ keys: v.pipe(v.array(v.record(v.string(), v.unknown()))) });

/** A public key of the issuer. */
export interface SigningKey {
  readonly id: string | undefined;
  readonly algorithm: Algorithm;
  /** The digest of the published key: another key of the same id has another one. */
  readonly digest: string;
  readonly publicKey: CryptoKey | Uint8Array;
}

/** The addresses at which a browser signs in. */
export interface SignInEndpoints {
  readonly authorization: string;
  readonly token: string;
}

/** The reason why an answer of the issuer is not used, in words. */
class IssuerError extends Error {}

/**
 * The publications of an OIDC issuer: its keys, and where browsers sign in. It is asked when something is needed that
 * is not there or no longer fresh, and at most once in half a minute, whatever is asked for here.
 */
export class Issuer {
  #keys: readonly SigningKey[] = [];
  #endpoints: SignInEndpoints | undefined;
  /** The reason why the last question had no answer. */
  #failure: string | undefined;
  #freshUntil = Number.NEGATIVE_INFINITY;
  #askAgainAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #waiting = 0;

  /** @param url as the claim `iss` has it */
  constructor(
    readonly url: string,
    private readonly log: Logger,
  ) {}

  /** Asks for the keys ahead of their use; a failure is logged. */
  prepare(): void {
    void this.#refresh();
  }

  /**
   * Finds the key of a signature by its id; without an id, the only one for the algorithm.
   * @returns undefined if the issuer does not publish it
   * @throws {ProblemError} 503 if the issuer does not say
   */
  async findKey(id: string | undefined, algorithm: string): Promise<SigningKey | undefined> {
    const known = this.#select(id, algorithm);
    if (known) {
      this.#keepFresh();
      return known;
    }
    const wasAsked = await this.#wait();
    const found = this.#select(id, algorithm);
    if (found) return found;
    if (this.#failure !== undefined) throw this.#unreachable(NO_KEYS);
    if (wasAsked) this.#askAgainAt = performance.now() + ASK_AGAIN_FOR_UNKNOWN_MS;
    return undefined;
  }

  /** Returns whether the issuer still publishes a key. */
  publishes(digest: string): boolean {
    this.#keepFresh();
    return this.#keys.some((key) => key.digest === digest);
  }

  /**
   * Returns where browsers sign in.
   * @throws {ProblemError} 503 if the issuer does not say
   */
  async findEndpoints(): Promise<SignInEndpoints> {
    if (!this.#endpoints) await this.#wait();
    if (!this.#endpoints) throw this.#unreachable(NO_ENDPOINTS);
    return this.#endpoints;
  }

  #select(id: string | undefined, algorithm: string): SigningKey | undefined {
    const fit = this.#keys.filter((key) => key.algorithm === algorithm);
    if (id === undefined) return fit.length === 1 ? fit[0] : undefined;
    return fit.find((key) => key.id === id);
  }

  #keepFresh(): void {
    if (performance.now() >= this.#freshUntil) void this.#refresh();
  }

  /** Waits for an answer that is under way or may be asked for; returns false if it may not. */
  async #wait(): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING) {
      throw unavailable('The service waits for the keys of the OIDC issuer; try again.');
    }
    this.#waiting += 1;
    try {
      return await this.#refresh();
    } finally {
      this.#waiting -= 1;
    }
  }

  #unreachable(detail: string) {
    const seconds = Math.max(1, Math.ceil((this.#askAgainAt - performance.now()) / 1000));
    return unavailable(detail, seconds);
  }

  async #refresh(): Promise<boolean> {
    if (!this.#asking && performance.now() < this.#askAgainAt) return false;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
    return true;
  }

  async #ask(): Promise<void> {
    let wait = ASK_AGAIN_MS;
    try {
      const { keys, endpoints } = await readIssuer(this.url, this.#keys);
      this.#keys = keys;
      this.#endpoints = endpoints;
      this.#freshUntil = performance.now() + FRESH_MS;
      if (this.#failure !== undefined) this.log.info('the OIDC issuer answers again');
      this.#failure = undefined;
    } catch (error) {
      wait = ASK_AGAIN_AFTER_FAILURE_MS;
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#failure) {
        this.log.warn({ issuer: this.url }, `tokens of new keys are not taken: ${reason}`);
      }
      this.#failure = reason;
    }
    this.#askAgainAt = performance.now() + wait;
  }
}

/**
 * Asks an issuer for what it publishes.
 * @param known the keys that are imported already
 * @throws what is wrong with the issuer, in a line
 */
export async function readIssuer(
  url: string,
  known: readonly SigningKey[] = [],
): Promise<{ keys: readonly SigningKey[]; endpoints: SignInEndpoints | undefined }> {
  try {
    const signal = AbortSignal.timeout(MAX_MS);
    const { jwks_uri, authorization_endpoint, token_endpoint } = await discover(url, signal);
    const published = await fetchJson(jwks_uri, 'its keys', keySet, signal);
    const endpoints =
      isSecureAddress(authorization_endpoint) && isSecureAddress(token_endpoint)
        ? { authorization: authorization_endpoint, token: token_endpoint }
        : undefined;
    return { keys: await readKeys(published.keys, known), endpoints };
  } catch (error) {
    throw new Error(explain(error), { cause: error });
  }
}

async function discover(url: string, signal: AbortSignal) {
  const address = `${url.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = await fetchJson(address, 'its configuration', discovery, signal);
  if (found.issuer !== url) {
    throw new IssuerError(
      `The OIDC issuer calls itself ${JSON.stringify(found.issuer).slice(0, 200)}. Set OIDC_ISSUER to that, to the letter, if it is the right one.`,
    );
  }
  if (isSecureAddress(found.jwks_uri)) return found;
  throw new IssuerError('The OIDC issuer names no https address of its keys.');
}

/** Takes the keys for the algorithms, and leaves out all others. */
async function readKeys(published: readonly JWK[], known: readonly SigningKey[]): Promise<SigningKey[]> {
  const read = published.slice(0, MAX_KEYS).map(async (jwk) => {
    const algorithm = findAlgorithm(jwk);
    if (algorithm === undefined) return [];
    const digest = hash('sha256', JSON.stringify(jwk));
    const id = typeof jwk.kid === 'string' ? jwk.kid : undefined;
    const imported = known.find((key) => key.digest === digest)?.publicKey;
    try {
      const publicKey = imported ?? (await importJWK(publicPart(jwk), algorithm));
      return [{ id, algorithm, digest, publicKey }];
    } catch {
      return [];
    }
  });
  return (await Promise.all(read)).flat();
}

/** Returns the algorithm that a published key is for; undefined if none of it is taken. */
function findAlgorithm({ kty, crv, alg, use, key_ops: uses }: JWK): Algorithm | undefined {
  if (use !== undefined && use !== 'sig') return undefined;
  if (Array.isArray(uses) && !uses.includes('verify')) return undefined;
  const found = [
    { algorithm: 'RS256', isIt: kty === 'RSA', names: ['RS256'] },
    { algorithm: 'ES256', isIt: kty === 'EC' && crv === 'P-256', names: ['ES256'] },
    {
      algorithm: 'EdDSA',
      isIt: kty === 'OKP' && crv === 'Ed25519',
      // RFC 9864 has its own name for the curve.
      names: ['EdDSA', 'Ed25519'],
    },
  ].find(({ isIt }) => isIt);
  const isNamed = alg === undefined || found?.names.includes(String(alg));
  return ALGORITHMS.find((algorithm) => isNamed && algorithm === found?.algorithm);
}

/** Drops what is not the public key itself, such as a private one that was published by mistake. */
function publicPart({ kty, crv, n, e, x, y }: JWK): JWK {
  return Object.fromEntries(
    Object.entries({ kty, crv, n, e, x, y }).filter(([, value]) => typeof value === 'string'),
  ) as JWK;
}

/**
 * Fetches a document of the issuer, without a redirect.
 * @throws {IssuerError | ExchangeError} if there is none
 */
async function fetchJson<T>(
  address: string,
  noun: string,
  schema: v.GenericSchema<unknown, T>,
  signal: AbortSignal,
): Promise<T> {
  const target = {
    ...urlToHttpOptions(new URL(address)),
    method: 'GET',
    headers: { accept: 'application/json', 'user-agent': 'Roster' },
    // Questions are rare: a connection that was kept would be closed by then.
    agent: false,
  };
  const response = await exchange(target, undefined, LIMITS, signal);
  if (response.status !== 200) {
    response.cancel();
    throw new IssuerError(`The OIDC issuer answers ${response.status} when asked for ${noun}.`);
  }
  const text = await response.readBeginning(MAX_DOCUMENT_BYTES + 1);
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) {
    throw new IssuerError(`The OIDC issuer sends more than ${MAX_DOCUMENT_BYTES} bytes as ${noun}.`);
  }
  const { success, output } = v.safeParse(schema, parseJson(text));
  if (success) return output;
  throw new IssuerError(`The OIDC issuer does not send JSON of the right form as ${noun}. Check OIDC_ISSUER.`);
}

const NO_KEYS =
  'The OIDC issuer does not give its keys now, so that the token cannot be checked; try again, or use a key of Roster.';

const NO_ENDPOINTS = 'The OIDC issuer does not say now where users sign in; try again, or use a key of Roster.';

const WORDS = {
  server: 'The OIDC issuer',
  setting: 'OIDC_ISSUER',
  patience: 'It may be overloaded: it is asked again.',
};

function explain(error: unknown): string {
  if (error instanceof IssuerError) return error.message;
  if (error instanceof ExchangeError) return explainExchange(error, LIMITS, WORDS);
  return `The OIDC issuer took more than ${MAX_MS / 1000} seconds.`;
}
