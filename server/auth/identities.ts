import { hash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import { SCOPES, type Scope } from '../../contract/scopes.js';
import { LruCache } from '../common/lru-cache.js';
import { type KeyLimits, LIMIT_NAMES } from '../store/key-limits.js';
import { type Caller, type Identity, isOwnerName, OWNER_FORM, TokenError } from './caller.js';
import { ALGORITHMS, Issuer, type SignInEndpoints } from './issuer.js';

/** The settings of the OIDC issuer, and what its claims stand for. */
export interface OidcConfig {
  /** As the claim `iss` has it, to the letter. */
  readonly issuer: string;
  /** One of them has to be in the claim `aud`. */
  readonly audiences: readonly string[];
  /** The claim that names the owner. */
  readonly ownerClaim: string;
  /** The text before its value in the name of the owner. */
  readonly ownerPrefix: string;
  readonly scopesClaim: string;
  /** The scopes by a value of their claim; `*` for every token. */
  readonly scopes: ReadonlyMap<string, readonly Scope[]>;
  /** The limits by a value of that claim; `*` for tokens without a value that is here. */
  readonly limits: ReadonlyMap<string, KeyLimits>;
  /** The client that the console signs in as, and the scopes of OAuth that it asks for; undefined if it does not. */
  readonly client: { readonly id: string; readonly scope: string } | undefined;
}

/** The client of the issuer that the console signs in as. */
export interface SignIn {
  readonly issuer: string;
  readonly id: string;
  /** The scopes of OAuth that it asks for. */
  readonly scope: string;
  /** @throws {ProblemError} 503 if the issuer does not say */
  findEndpoints(): Promise<SignInEndpoints>;
}

/** The most characters of a token, which is looked at no further if it is longer. */
const MAX_TOKEN_LENGTH = 12_000;

/** OpenID Connect Core 1.0, section 2. */
const MAX_SUBJECT_LENGTH = 255;

/** The difference of the clocks of issuer and service that does not matter, in seconds. */
const SKEW_SECONDS = 5;

/** The types of tokens that stand for a caller: a token of logout or of DPoP has another one. */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt'];

/** The last moment of ISO 8601 with four digits of a year: milliseconds since 1970. */
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59Z');

const MAX_TOKENS = 10_000;
const MAX_OWNERS = 10_000;

/** Identifies callers by tokens of an OIDC issuer. */
export class Identities {
  readonly #issuer: Issuer;
  /** Callers whose token was right, by its digest. Others are not kept: anyone can send any number. */
  readonly #good = new LruCache<Caller & { readonly identity: Identity }>({ maxEntries: MAX_TOKENS });
  /** The owners who have begun. */
  readonly #begun = new LruCache<true>({ maxEntries: MAX_OWNERS });

  /** @param beginOwner prepares the store for an owner, who may be new */
  constructor(
    private readonly config: OidcConfig,
    private readonly beginOwner: (owner: string) => Promise<void>,
    private readonly log: Logger,
  ) {
    this.#issuer = new Issuer(config.issuer, log);
  }

  /** Asks the issuer for its keys, so that the first token does not wait for them. */
  prepare(): void {
    this.#issuer.prepare();
  }

  /** Where the console signs in; undefined if it does not. */
  get signIn(): SignIn | undefined {
    const { issuer, client } = this.config;
    return client && { issuer, ...client, findEndpoints: () => this.#issuer.findEndpoints() };
  }

  /**
   * Identifies the caller of a token; at once, if it was shown before.
   * @param token any text at all
   * @returns rejects with a `TokenError` if it is not good, and with the problem 503 if the issuer does not say
   */
  authenticate(token: string): Caller | Promise<Caller> {
    const digest = token.length > MAX_TOKEN_LENGTH ? '' : hash('sha256', token);
    const known = this.#good.get(digest);
    return known && this.isValid(known.identity) ? known : this.#verify(token, digest);
  }

  /** Returns whether a token that was good still is: it has not ended, and the issuer has not taken back its key. */
  isValid({ until, signedBy }: Identity): boolean {
    return Date.now() < until && this.#issuer.publishes(signedBy);
  }

  async #verify(token: string, digest: string): Promise<Caller> {
    if (token.length > MAX_TOKEN_LENGTH) {
      throw new TokenError(
        `The token has more than ${MAX_TOKEN_LENGTH} characters; let the issuer put fewer claims into it.`,
      );
    }
    const { algorithm, keyId, claims } = readToken(token);
    // It refuses in words, and before the issuer is asked for a key. The verification below decides.
    this.#refuseUnfit(claims);
    const key = await this.#issuer.findKey(keyId, algorithm);
    if (!key) {
      throw new TokenError(
        'The token is signed by a key that the OIDC issuer does not publish; if its keys have just changed, try again in half a minute.',
      );
    }
    const { issuer, audiences } = this.config;
    const verified = await jwtVerify(token, key.publicKey, {
      algorithms: [...ALGORITHMS],
      issuer,
      audience: [...audiences],
      clockTolerance: SKEW_SECONDS,
      requiredClaims: ['exp', 'sub'],
    }).catch((cause: unknown) => {
      throw new TokenError('The token does not stand up to its signature; send it unchanged.', { cause });
    });
    const caller = this.#toCaller(verified.payload, key.digest);
    await this.#begin(caller.owner);
    this.#good.set(digest, caller);
    return caller;
  }

  #refuseUnfit({ iss, aud, exp, nbf, sub, cnf }: JWTPayload): void {
    const now = Date.now() / 1000;
    const { issuer, audiences } = this.config;
    const sentTo = [aud].flat();
    if (iss !== issuer) {
      throw new TokenError(`The token is of another issuer than ${issuer}, the only one here.`);
    }
    if (!audiences.some((audience) => sentTo.includes(audience))) {
      throw new TokenError(
        `The token is for another audience; its claim "aud" must have ${audiences.map((name) => JSON.stringify(name)).join(' or ')}.`,
      );
    }
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH || sub.includes('\0')) {
      throw new TokenError(
        `The token has no claim "sub" of 1 to ${MAX_SUBJECT_LENGTH} characters, which would say whose it is.`,
      );
    }
    if (cnf !== undefined) {
      throw new TokenError(
        'The token is bound to a key of its client (claim "cnf"), which Bearer does not prove; send one that is not.',
      );
    }
    if (typeof exp !== 'number') throw new TokenError('The token has no claim "exp", so no end.');
    if (exp + SKEW_SECONDS <= now) {
      throw new TokenError(
        `The token expired ${Math.ceil(now - exp)} seconds ago by the clock of the service; send a new one. If it is new, the clocks of the issuer and the service differ.`,
      );
    }
    if (typeof nbf === 'number' && nbf - SKEW_SECONDS > now) {
      throw new TokenError(
        `The token is not valid for another ${Math.ceil(nbf - now)} seconds by the clock of the service. If it should be, the clocks of the issuer and the service differ.`,
      );
    }
  }

  #toCaller(claims: JWTPayload, signedBy: string) {
    const end = ((claims.exp ?? 0) + SKEW_SECONDS) * 1000;
    const identity = { subject: `${claims.sub}`, until: Math.min(end, LAST_MOMENT), signedBy };
    const owner = this.#readOwner(claims);
    const values = this.#readValues(claims);
    const limits = this.#findLimits(values);
    return {
      id: `oidc:${identity.subject}`,
      owner,
      scopes: this.#findScopes(values),
      key: null,
      identity,
      ...(limits && { limits }),
    };
  }

  #readOwner(claims: JWTPayload): string {
    const { ownerClaim, ownerPrefix } = this.config;
    const found = readClaim(claims, ownerClaim);
    const claim = `The claim "${ownerClaim}" of the token, which names its owner,`;
    if (typeof found !== 'string') {
      throw new TokenError(
        `${claim} is ${found === undefined ? 'missing' : 'not a text'}; let the issuer add it, or correct OIDC_OWNER_CLAIM.`,
      );
    }
    // A user who may choose an address could choose another user's, and with it that user's projects.
    if (ownerClaim === 'email' && claims['email_verified'] === false) {
      throw new TokenError(`${claim} is not verified by the issuer (claim "email_verified").`);
    }
    const owner = ownerPrefix + found;
    if (found !== '' && isOwnerName(owner)) return owner;
    throw new TokenError(`${claim} does not make the name of one, which has ${OWNER_FORM}.`);
  }

  /** Reads the values of the claim of scopes. */
  #readValues(claims: JWTPayload): readonly string[] {
    const found = readClaim(claims, this.config.scopesClaim);
    return typeof found === 'string' ? found.split(' ') : [found].flat().map(String);
  }

  #findScopes(values: readonly string[]): readonly Scope[] {
    const { scopesClaim, scopes } = this.config;
    const given = ['*', ...values].flatMap((value) => scopes.get(value) ?? []);
    if (given.length > 0) return SCOPES.filter((scope) => given.includes(scope));
    throw new TokenError(
      `The token gives no scope of Roster: nothing in its claim "${scopesClaim}" stands for one (OIDC_SCOPES).`,
    );
  }

  /** Finds the limits of a token: of each name the largest, unless one of its values has no such limit. */
  #findLimits(values: readonly string[]): KeyLimits | undefined {
    const { limits } = this.config;
    // A token that has the value `*` itself is one like others.
    const own = values.flatMap((value) => (value === '*' ? [] : (limits.get(value) ?? [])));
    const all = own.length > 0 ? own : [limits.get('*') ?? {}];
    const most = LIMIT_NAMES.flatMap((name) => {
      const max = Math.max(...all.map((each) => each[name] ?? Number.POSITIVE_INFINITY));
      return Number.isFinite(max) ? [[name, max] as const] : [];
    });
    return most.length > 0 ? Object.fromEntries(most) : undefined;
  }

  /** Gives a new owner the project `default`. Without it, the owner can make one. */
  async #begin(owner: string): Promise<void> {
    if (this.#begun.get(owner)) return;
    try {
      await this.beginOwner(owner);
      this.#begun.set(owner, true);
    } catch (error) {
      this.log.warn({ err: error, owner }, 'the project of a new owner is not created yet');
    }
  }
}

/**
 * Reads a token without verifying it.
 * @throws {TokenError} if it is not one that could be taken
 */
function readToken(token: string) {
  const parts = token.split('.');
  if (parts.length === 5) throw new TokenError('The token is encrypted; send one that is signed.');
  const { header, claims } = decode(token);
  const { alg, kid, typ } = header;
  const algorithm = ALGORITHMS.find((name) => name === alg);
  if (algorithm === undefined) {
    throw new TokenError(
      `The token is signed with ${JSON.stringify(alg)}; the service takes ${ALGORITHMS.join(', ')}.`,
    );
  }
  if (!TYPES.includes(typ)) {
    throw new TokenError(`The token has the type ${JSON.stringify(typ)}; send an access or ID token.`);
  }
  return { algorithm, keyId: typeof kid === 'string' ? kid : undefined, claims };
}

function decode(token: string) {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    throw new TokenError(
      'What the request has in Authorization is neither a key (roster_…) nor a signed JWT of the OIDC issuer.',
    );
  }
}

/** Reads a claim by its name, or by the names on the way to it, such as `realm_access.roles`. */
function readClaim(claims: object, name: string): unknown {
  if (Object.hasOwn(claims, name)) return Reflect.get(claims, name);
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
