import { hash } from 'node:crypto';
import type { operations as Operations } from '../../generated/openapi.js';
import type { Callers } from '../auth/callers.js';
import { createSecret, parseSecret } from '../auth/secrets.js';
import type { Act } from '../store/audit.js';
import { deleteGrant, findGrant, type Grant, replaceSecret } from '../store/grants.js';
import type { Store } from '../store/index.js';
import { findKey } from '../store/keys.js';

const ACCESS_SECONDS = 600;
const REFRESH_MS = 30 * 24 * 60 * 60 * 1000;

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
  const isCode = type === 'authorization_code';
  const secret = parseSecret(isCode ? sent.code : sent.refresh_token, isCode ? 'ac' : 'rt');
  const found = secret && (await findGrant(store, secret.id));
  if (!secret || !found || found.client_id !== sent.client_id) throw badGrant();
  const key = { id: found.key_id, name: '' };
  if (!(await callers.isValid({ key }))) throw badGrant();
  const use = isCode ? useCode : useRefreshToken;
  const outcome = await changeConsent(store, found, act, (tx) => use(tx, issuer, found, secret.hash, sent));
  if (outcome instanceof OauthError) throw outcome;
  return outcome;
}

/** Ends the consent of a token; of an unknown one, nothing. */
export async function revokeToken(
  store: Store,
  { token, client_id: client }: RevocationRequest,
  act: Act | undefined,
): Promise<void> {
  const access = parseSecret(token, 'at');
  const refresh = parseSecret(token, 'rt');
  const { id, hash: secret } = access ?? refresh ?? {};
  const found = id === undefined ? undefined : await findGrant(store, id);
  const kept = access ? found?.access_hash : found?.refresh_hash;
  if (found && kept === secret && found.client_id === client) {
    await changeConsent(store, found, act, (tx) => deleteGrant(tx, found.id));
  }
}

/** Changes a consent in a transaction of its own, which the audit log tells of. */
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

async function useCode(store: Store, issuer: string, found: Grant, code: string, sent: TokenRequest) {
  if (found.code_hash !== code) throw badGrant();
  const { redirect_uri: redirectUri, code_verifier: verifier = '', resource } = sent;
  const isRight =
    found.refresh_hash === null &&
    (!redirectUri || redirectUri === found.redirect_uri) &&
    /^[\w.~-]{43,128}$/.test(verifier) &&
    hash('sha256', verifier, 'base64url') === found.challenge;
  if (!isRight || !isForResource(resource, issuer, found)) {
    // A code is good for one try. The second may be that of a thief, or the first was: the tokens end, too.
    await deleteGrant(store, found.id);
    // Not thrown: it has to stay deleted.
    return isRight ? badTarget() : badGrant();
  }
  const { body, tokens } = createTokens(found);
  if (await replaceSecret(store, found.id, { code }, tokens)) return body;
  await deleteGrant(store, found.id);
  return badGrant();
}

async function useRefreshToken(store: Store, issuer: string, found: Grant, refresh: string, sent: TokenRequest) {
  if (found.refresh_hash === refresh) {
    const known: readonly string[] = found.scopes;
    if (sent.scope && !sent.scope.split(' ').every((scope) => known.includes(scope))) {
      throw new OauthError('invalid_scope', `The consent has the scopes ${known.join(' ')}.`);
    }
    if (!isForResource(sent.resource, issuer, found)) throw badTarget();
    const { body, tokens } = createTokens(found);
    if (await replaceSecret(store, found.id, { refresh }, tokens)) return body;
  }
  // It was used before, by its client or by a thief (RFC 9700, section 4.14.2).
  await deleteGrant(store, found.id);
  return badGrant();
}

function isForResource(resource: string | undefined, issuer: string, found: Grant): boolean {
  return !resource || resource === issuer + found.resource;
}

function createTokens({ id, scopes }: Grant) {
  const access = createSecret('at', id);
  const refresh = createSecret('rt', id);
  const now = Date.now();
  return {
    tokens: {
      access_hash: access.hash,
      access_until: now + ACCESS_SECONDS * 1000,
      refresh_hash: refresh.hash,
      valid_until: now + REFRESH_MS,
    },
    body: {
      access_token: access.text,
      token_type: 'Bearer' as const,
      expires_in: ACCESS_SECONDS,
      refresh_token: refresh.text,
      scope: scopes.join(' '),
    },
  };
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
