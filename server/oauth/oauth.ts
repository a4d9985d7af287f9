import { hash } from 'node:crypto';
import type { operations as Operations } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { PlainText } from '../api/reply/send.js';
import { type Callers, createSecret, parseSecret, randomId } from '../auth/callers.js';
import { MCP_PATH, TOKEN_SCOPES } from '../auth/resource.js';
import { isName } from '../common/names.js';
import type { Scope } from '../contract/scopes.js';
import {
  findUsualProject,
  findVisible,
  listProjects,
  lockProjectRow,
} from '../projects/projects.js';
import type { Act } from '../store/audit.js';
import { deleteGrant, findGrant, type Grant, insertGrant, replaceSecret } from '../store/grants.js';
import type { Store } from '../store/index.js';
import { findKey } from '../store/keys.js';
import { ClientError, isRegistered, readRegistered, registerClient } from './client.js';
import { ClientDocuments } from './client-documents.js';
import { type Consent, consentPage, faultPage } from './consent-page.js';

const CODE_MS = 60_000;
const ACCESS_SECONDS = 600;
const REFRESH_MS = 30 * 24 * 60 * 60 * 1000;

/** Those that a page lists. */
const MAX_PROJECTS = 100;

type OauthOperation =
  | 'getProtectedResource'
  | 'getMcpResource'
  | 'getMcpResourceOfProject'
  | 'getAuthorizationServer'
  | 'showConsent'
  | 'giveConsent'
  | 'issueToken'
  | 'registerClient'
  | 'revokeToken';

type Parameters = NonNullable<Operations['showConsent']['parameters']['query']>;
type TokenRequest =
  Operations['issueToken']['requestBody']['content']['application/x-www-form-urlencoded'];

type ErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target';

/** A request that is refused as RFC 6749, section 5.2, says. */
class OauthError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** A request of the consent page that is refused on a page. */
class PageError extends Error {
  /** @param back the address of the client with the error, if it may be told */
  constructor(
    message: string,
    readonly back?: string,
  ) {
    super(message);
  }
}

/** A request for consent that is fit to be shown. */
interface Asked extends Consent {
  readonly state: string | undefined;
  readonly challenge: string;
  /** The path of the MCP server. */
  readonly resource: string;
}

/**
 * Returns the operations of the authorization server, which is part of the service.
 * @param issuer the origin at which clients reach the service
 */
export function oauthOperations(
  store: Store,
  callers: Callers,
  issuer: string,
): Pick<Handlers, OauthOperation> {
  const documents = new ClientDocuments();
  const describeResource = (path: string) => ({
    resource: issuer + path,
    authorization_servers: [issuer],
    scopes_supported: [...TOKEN_SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'Roster',
  });
  const read = (parameters: Parameters) => readRequest(parameters, issuer, documents);
  return {
    getProtectedResource: ({ reply }) => reply({ status: 200, body: describeResource(MCP_PATH) }),
    getMcpResource: ({ reply }) => reply({ status: 200, body: describeResource(MCP_PATH) }),
    getMcpResourceOfProject: ({ params, reply }) =>
      reply({ status: 200, body: describeResource(`${MCP_PATH}/${params.project_name}`) }),

    getAuthorizationServer: ({ reply }) =>
      reply({
        status: 200,
        body: {
          issuer,
          authorization_endpoint: `${issuer}/oauth/authorize`,
          token_endpoint: `${issuer}/oauth/token`,
          registration_endpoint: `${issuer}/oauth/register`,
          revocation_endpoint: `${issuer}/oauth/revoke`,
          scopes_supported: [...TOKEN_SCOPES],
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          revocation_endpoint_auth_methods_supported: ['none'],
          client_id_metadata_document_supported: true,
          authorization_response_iss_parameter_supported: true,
        },
      }),

    showConsent: async ({ query, reply }) => {
      try {
        const { html, headers } = consentPage(await read(query));
        return reply({ status: 200, body: new PlainText('text/html', html), headers });
      } catch (error) {
        const { html, headers } = faultPage(...explain(error));
        return reply({ status: 400, body: new PlainText('text/html', html), headers });
      }
    },

    giveConsent: async ({ body, headers: sent, caller: { act }, reply }) => {
      // A page of another origin must not choose for its reader, not even the key of somebody else.
      const site = sent['Sec-Fetch-Site'];
      if (sent.Origin !== issuer || (site !== undefined && site !== 'same-origin')) {
        const { html, headers } = faultPage(
          `The form was not sent by the page at ${issuer}. Connect again, and open the page that the client leads to.`,
        );
        return reply({ status: 403, body: new PlainText('text/html', html), headers });
      }
      try {
        const asked = await read(body);
        const { redirectUri, state } = asked;
        const lead = (answer: Readonly<Record<string, string>>) =>
          reply({
            status: 303,
            headers: { Location: addressOf(redirectUri, { ...answer, state, iss: issuer }) },
          });
        if (body.decision !== 'allow') return lead({ error: 'access_denied' });
        const outcome = await grant(store, callers, asked, body, act);
        if (typeof outcome === 'string') return lead({ code: outcome });
        const { html, headers } = consentPage(asked, outcome);
        return reply({ status: 400, body: new PlainText('text/html', html), headers });
      } catch (error) {
        const { html, headers } = faultPage(...explain(error));
        return reply({ status: 400, body: new PlainText('text/html', html), headers });
      }
    },

    issueToken: async ({ body, caller: { act }, reply }) => {
      try {
        return reply({ status: 200, body: await issueTokens(store, callers, issuer, body, act) });
      } catch (error) {
        if (!(error instanceof OauthError)) throw error;
        const { code, message } = error;
        return reply({ status: 400, body: { error: code, error_description: message } });
      }
    },

    registerClient: ({ body, reply }) => {
      const { redirect_uris, client_name } = body;
      try {
        const { id } = registerClient(client_name, redirect_uris);
        return reply({
          status: 201,
          body: {
            client_id: id,
            client_id_issued_at: Math.floor(Date.now() / 1000),
            ...(client_name !== undefined && { client_name }),
            redirect_uris,
            token_endpoint_auth_method: 'none',
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
          },
        });
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        const refusal = {
          error: 'invalid_redirect_uri',
          error_description: error.message,
        } as const;
        return reply({ status: 400, body: refusal });
      }
    },

    revokeToken: async ({ body, caller: { act }, reply }) => {
      const access = parseSecret(body.token, 'at');
      const refresh = parseSecret(body.token, 'rt');
      const { id, hash: secret } = access ?? refresh ?? {};
      const found = id === undefined ? undefined : await findGrant(store, id);
      const kept = access ? found?.access_hash : found?.refresh_hash;
      if (found && kept === secret && found.client_id === body.client_id) {
        await changeConsent(store, found, act, (tx) => deleteGrant(tx, found.id));
      }
      return reply({ status: 200 });
    },
  };
}

/** Returns what a page says of an error, and the way back. */
function explain(error: unknown): [fault: string, back?: string] {
  if (error instanceof ClientError) return [error.message];
  if (error instanceof PageError) return error.back ? [error.message, error.back] : [error.message];
  throw error;
}

/** Adds an answer to the address of a client, which stays as it is registered. */
function addressOf(uri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(answer)) {
    if (value !== undefined) query.append(name, value);
  }
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`;
}

/**
 * Reads a request for consent (RFC 6749, section 4.1.1). As long as the client and its address are not known to be
 * right, no error may be told to that address.
 * @throws {ClientError | PageError} if it is refused
 */
async function readRequest(
  sent: Parameters,
  issuer: string,
  documents: ClientDocuments,
): Promise<Asked> {
  const { client_id: id, redirect_uri: redirectUri, state, code_challenge: challenge } = sent;
  if (!id) throw new PageError('The request has no client_id; the client has to send it.');
  const client = readRegistered(id) ?? (await documents.find(id));
  if (!redirectUri || !isRegistered(client, redirectUri)) {
    throw new PageError(
      'The redirect_uri of the request is missing, or is not one that the client has registered.',
    );
  }
  const refuse = (error: string, message: string): never => {
    const answer = { error, error_description: message, state, iss: issuer };
    throw new PageError(message, addressOf(redirectUri, answer));
  };
  if (sent.response_type !== 'code') {
    return refuse('unsupported_response_type', 'The response_type must be code.');
  }
  if (sent.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(challenge ?? '') || !challenge) {
    return refuse(
      'invalid_request',
      'The request must use PKCE: code_challenge_method S256, and a code_challenge of 43 characters.',
    );
  }
  const resource = readResource(sent.resource, issuer);
  if (resource === undefined) {
    const servers = `${issuer}${MCP_PATH}, or ${issuer}${MCP_PATH}/PROJECT`;
    return refuse('invalid_target', `The resource must be the MCP server: ${servers}.`);
  }
  const scopes = readScopes(sent.scope);
  if (scopes.length === 0) {
    return refuse('invalid_scope', `The scope must have one of ${TOKEN_SCOPES.join(', ')}.`);
  }
  const project = resource === MCP_PATH ? undefined : resource.slice(MCP_PATH.length + 1);
  const parameters = Object.fromEntries(
    PARAMETERS.flatMap((name) => (sent[name] ? [[name, sent[name]]] : [])),
  );
  return { client, redirectUri, state, challenge, resource, scopes, project, parameters };
}

/** The parameters that the form repeats. */
const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'resource',
] as const;

/** Returns the path of the MCP server that a token is to be for; undefined if it is none. */
function readResource(resource: string | undefined, issuer: string): string | undefined {
  if (!resource) return MCP_PATH;
  if (!resource.startsWith(`${issuer}/`)) return undefined;
  const path = resource.slice(issuer.length);
  if (path === MCP_PATH) return path;
  return path.startsWith(`${MCP_PATH}/`) && isName(path.slice(MCP_PATH.length + 1))
    ? path
    : undefined;
}

/** Returns the scopes that are asked for and known; all, if none is asked for. */
function readScopes(text: string | undefined): readonly Scope[] {
  if (!text) return TOKEN_SCOPES;
  const asked = text.split(' ');
  return TOKEN_SCOPES.filter((scope) => asked.includes(scope));
}

/**
 * Keeps a consent.
 * @returns the code, or what is wrong with what was entered
 */
async function grant(
  store: Store,
  callers: Callers,
  asked: Asked,
  body: Readonly<Record<string, unknown>>,
  act: Act | undefined,
) {
  const scopes = asked.scopes.filter((scope) => body[`allow_${scope}`] !== undefined);
  const named = String(body['project'] ?? '').trim();
  const refuse = (fault: string) => ({ fault, scopes, project: named });
  const caller = await callers.authenticateKey(String(body['key'] ?? '').trim());
  if (!caller?.key) {
    return refuse(
      'The key is unknown, revoked or expired. Paste one that roster keys create made.',
    );
  }
  const allowed = scopes.filter((scope) => caller.scopes.includes(scope));
  if (allowed.length === 0) {
    return refuse(
      scopes.length === 0
        ? 'Choose what the client may do.'
        : `The key has none of the chosen scopes; it has ${caller.scopes.join(', ')}.`,
    );
  }
  const name = asked.project ?? named;
  const project =
    name === ''
      ? await findUsualProject(store, caller)
      : isName(name) && (await findVisible(store, caller, name));
  if (!project) {
    const fault = name === '' ? 'Choose a project' : `The key sees no project "${name}"`;
    const refusal = refuse(`${fault}; paste the key again.`);
    // The names are for those who may list them.
    if (!caller.scopes.includes('read')) return refusal;
    const projects = await listProjects(store, caller, { limit: MAX_PROJECTS });
    return { ...refusal, projects: projects.map((one) => one.name) };
  }
  const id = randomId();
  const code = createSecret('ac', id);
  const { key, owner } = caller;
  const isKept = await changeConsent(store, { id, key_id: key.id }, act, async (tx) => {
    // It may have been deleted since.
    if ((await lockProjectRow(tx, owner, project.name))?.id !== project.id) {
      tx.skipEvent();
      return false;
    }
    await insertGrant(tx, {
      ...{ id, key_id: key.id, project_id: project.id, resource: asked.resource },
      scopes: allowed,
      client_id: asked.client.id,
      client_name: asked.client.name ?? '',
      ...{ redirect_uri: asked.redirectUri, challenge: asked.challenge },
      ...{ code_hash: code.hash, access_hash: null, refresh_hash: null, access_until: 0 },
      valid_until: Date.now() + CODE_MS,
      created_at: new Date().toISOString(),
    });
    return true;
  });
  return isKept ? code.text : refuse('The project was just deleted; choose another.');
}

/** @throws {OauthError} if the request is refused */
async function issueTokens(
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
  if (!(await callers.isValid({ owner: '', scopes: [], key }))) throw badGrant();
  const use = isCode ? useCode : useRefreshToken;
  const outcome = await changeConsent(store, found, act, (tx) =>
    use(tx, issuer, found, secret.hash, sent),
  );
  if (outcome instanceof OauthError) throw outcome;
  return outcome;
}

/** Changes a consent in a transaction of its own, which the audit log tells of. */
async function changeConsent<T>(
  store: Store,
  { id, key_id: keyId }: Pick<Grant, 'id' | 'key_id'>,
  act: Act | undefined,
  change: (tx: Store) => Promise<T>,
): Promise<T> {
  const owner = (await findKey(store, keyId))?.owner ?? '';
  const own = act && { ...act, owner, key: keyId, resource: `/oauth/consents/${id}` };
  return store.transaction(change, { owner, act: own });
}

async function useCode(
  store: Store,
  issuer: string,
  found: Grant,
  code: string,
  sent: TokenRequest,
) {
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

async function useRefreshToken(
  store: Store,
  issuer: string,
  found: Grant,
  refresh: string,
  sent: TokenRequest,
) {
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
      ...{ access_hash: access.hash, access_until: now + ACCESS_SECONDS * 1000 },
      ...{ refresh_hash: refresh.hash, valid_until: now + REFRESH_MS },
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
