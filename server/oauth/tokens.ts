import { hash } from 'node:crypto';
import type { Scope } from '../../contract/scopes.js';
import type { operations as Operations } from '../../generated/openapi.js';
import type { Callers } from '../auth/callers.js';
import { readResource } from '../auth/resource.js';
import { createSecret, createSeed, deriveSecret, type NewSecret, parseSecret } from '../auth/secrets.js';
import type { Act } from '../store/audit.js';
import { addTokens, deleteGrant, findGrant, type Grant, listAccessTokens, lockGrant } from '../store/grants.js';
import type { Store } from '../store/index.js';
import { findKey } from '../store/keys.js';

const ACCESS_SECONDS = 600;
const REFRESH_MS = 30 * 24 * 60 * 60 * 1000;

/** The time for which a used refresh token still leads to its successor: clients refresh in parallel. */
const RACE_MS = 10_000;

/**
 * The time for which a refresh token stays the current one, also when it is used. Longer than the race: a client that got
 * its answer late may write the older tokens over the newer ones, which must be the same.
 */
const KEPT_MS = 2 * RACE_MS;

type Form<O extends 'issueToken' | 'revokeToken'> =
  Operations[O]['requestBody']['content']['application/x-www-form-urlencoded'];
type TokenRequest = Form<'issueToken'>;
type RevocationRequest = Form<'revokeToken'>;

type ErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target';

/** A request that is refused as RFC 6749, section 5.2, says. */
export class OauthError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** @throws {OauthError} if the request is refused */
export async function issueTokens(
  store: Store,
  callers: Callers,
  issuer: string,
  sent: TokenRequest,
  act: Act | undefined,
) {
  const { grant_type: type } = sent;
  if (type !== 'authorization_code' && type !== 'refresh_token') {
    throw new OauthError(
      type ? 'unsupported_grant_type' : 'invalid_request',
      'The grant_type must be authorization_code or refresh_token.',
    );
  }
  requireClient(sent.client_id);
  const isCode = type === 'authorization_code';
  const text = isCode ? sent.code : sent.refresh_token;
  const secret = parseSecret(text, isCode ? 'ac' : 'rt');
  const found = secret && (await findGrant(store, secret.id));
  if (text === undefined || !secret || !found || found.client_id !== sent.client_id) throw badGrant();
  const key = { id: found.key_id, name: '' };
  if (!(await callers.isValid({ key }))) throw badGrant();
  const presented = { text, hash: secret.hash };
  const outcome = await changeConsent(store, found, act, async (tx) => {
    const grant = await lockGrant(tx, found.id);
    if (!grant) {
      tx.skipEvent();
      return badGrant();
    }
    return isCode ? useCode(tx, issuer, grant, presented, sent) : useRefreshToken(tx, issuer, grant, presented, sent);
  });
  if (outcome instanceof OauthError) throw outcome;
  return outcome;
}

/** @throws {OauthError} if a request names no client: its sender can register, and try again */
function requireClient(id: string | undefined): void {
  if (id) return;
  throw new OauthError('invalid_client', 'The request has no client_id; send that of the client.');
}

/**
 * Ends the consent of a token; of an unknown one, nothing.
 * @throws {OauthError} if the request names no client
 */
export async function revokeToken(
  store: Store,
  { token, client_id: client }: RevocationRequest,
  act: Act | undefined,
): Promise<void> {
  requireClient(client);
  const secret = parseSecret(token, 'at', 'rt');
  const found = secret && (await findGrant(store, secret.id));
  if (!found || found.client_id !== client) return;
  const kept =
    secret.kind === 'at'
      ? listAccessTokens(found).map(({ hash }) => hash)
      : [found.refresh_hash, found.used_refresh_hash];
  if (kept.includes(secret.hash)) {
    await changeConsent(store, found, act, (tx) => deleteGrant(tx, found.id));
  }
}

/** Changes a consent in a separate transaction, which the audit log records. */
export async function changeConsent<T>(
  store: Store,
  { id, key_id: keyId }: Pick<Grant, 'id' | 'key_id'>,
  act: Act | undefined,
  change: (tx: Store) => Promise<T>,
): Promise<T> {
  const owner = (await findKey(store, keyId))?.owner ?? '';
  const own = act && { ...act, owner, key: keyId, resource: `/oauth/consents/${id}` };
  return store.transaction(change, { owner, act: own });
}

async function useCode(tx: Store, issuer: string, grant: Grant, code: NewSecret, sent: TokenRequest) {
  const { redirect_uri: redirectUri, code_verifier: verifier = '', resource } = sent;
  if (grant.code_hash !== code.hash) {
    tx.skipEvent();
    return badGrant();
  }
  const isRight =
    grant.refresh_hash === null &&
    (!redirectUri || redirectUri === grant.redirect_uri) &&
    /^[\w.~-]{43,128}$/.test(verifier) &&
    hash('sha256', verifier, 'base64url') === grant.challenge;
  if (!isRight || !isForResource(resource, issuer, grant)) {
    // A code is good for one try. The second may be that of a thief, or the first was: the tokens end, too.
    await deleteGrant(tx, grant.id);
    // Not thrown: it has to stay deleted.
    return isRight ? badTarget() : badGrant();
  }
  return giveTokens(tx, grant, createSecret('rt', grant.id), { seed: createSeed(), scopes: grant.scopes, used: null });
}

async function useRefreshToken(tx: Store, issuer: string, grant: Grant, sentToken: NewSecret, sent: TokenRequest) {
  const { refresh_seed: seed, scopes: known } = grant;
  const age = Date.now() - grant.refresh_since;
  const current = findCurrent(grant, sentToken, age);
  if (!current) {
    // It was used before, by its client or by a thief (RFC 9700, section 4.14.2).
    await deleteGrant(tx, grant.id);
    return badGrant();
  }
  const asked = sent.scope ? sent.scope.split(' ') : known;
  const scopes = known.filter((scope) => asked.includes(scope));
  if (!asked.every((scope) => scopes.some((one) => one === scope))) {
    throw new OauthError('invalid_scope', `The consent has the scopes ${known.join(' ')}.`);
  }
  if (!isForResource(sent.resource, issuer, grant)) throw badTarget();
  if (seed !== null && (current !== sentToken || age < KEPT_MS))
    return giveTokens(tx, grant, current, { seed, scopes });
  const next = createSeed();
  const successor = deriveSecret('rt', grant.id, sentToken.text, next);
  return giveTokens(tx, grant, successor, { seed: next, scopes, used: sentToken.hash });
}

/**
 * Returns the current refresh token, if the sent one is it, or was it a moment ago; undefined if it was used before.
 * @param age of the current one, in milliseconds
 */
function findCurrent(grant: Grant, sent: NewSecret, age: number): NewSecret | undefined {
  if (sent.hash === grant.refresh_hash) return sent;
  if (sent.hash !== grant.used_refresh_hash || grant.refresh_seed === null || age > RACE_MS) return undefined;
  const successor = deriveSecret('rt', grant.id, sent.text, grant.refresh_seed);
  return successor.hash === grant.refresh_hash ? successor : undefined;
}

interface Issue {
  readonly seed: string;
  readonly scopes: readonly Scope[];
  /** The hash of the refresh token that another one replaces, null if it replaces a code; left out if it stays. */
  readonly used?: string | null;
}

/** Gives the tokens that follow from a refresh token: those that it gave before, as long as it stays. */
async function giveTokens(tx: Store, grant: Grant, refresh: NewSecret, { seed, scopes, used }: Issue) {
  const { id } = grant;
  const now = Date.now();
  const scope = scopes.join(' ');
  const access = deriveSecret('at', id, refresh.text, seed, scope);
  const living = listAccessTokens(grant).find(({ hash, until }) => hash === access.hash && until > now);
  const until = living?.until ?? now + ACCESS_SECONDS * 1000;
  if (living) {
    tx.skipEvent();
  } else {
    const next = used !== undefined && {
      refresh_hash: refresh.hash,
      used_refresh_hash: used,
      refresh_seed: seed,
      refresh_since: now,
      valid_until: now + REFRESH_MS,
    };
    await addTokens(tx, grant, { hash: access.hash, until, scopes }, next || undefined);
  }
  return {
    access_token: access.text,
    token_type: 'Bearer' as const,
    expires_in: Math.ceil((until - now) / 1000),
    refresh_token: refresh.text,
    scope,
  };
}

function isForResource(resource: string | undefined, issuer: string, grant: Grant): boolean {
  return !resource || readResource(resource, issuer) === grant.resource;
}

/** Does not say which it is. */
function badGrant(): OauthError {
  return new OauthError(
    'invalid_grant',
    'The code or the refresh token is unknown, used, expired or of another client; ask for consent again.',
  );
}

function badTarget(): OauthError {
  return new OauthError('invalid_target', 'The resource is not that of the consent.');
}
