import type { Scope } from '../../contract/scopes.js';
import type { operations as Operations } from '../../generated/openapi.js';
import type { Callers } from '../auth/callers.js';
import { MCP_PATH, readResource, TOKEN_SCOPES } from '../auth/resource.js';
import { createSecret, randomId } from '../auth/secrets.js';
import { isName } from '../common/names.js';
import { findImpliedProject, findVisible, listProjects, lockProjectRow } from '../projects/projects.js';
import type { Act } from '../store/audit.js';
import { insertGrant } from '../store/grants.js';
import type { Store } from '../store/index.js';
import { type Client, ClientError, isRegistered, readRegistered } from './client.js';
import type { Consent } from './consent-page.js';
import { changeConsent } from './tokens.js';

const CODE_MS = 60_000;

/** Those that a page lists. */
const MAX_PROJECTS = 100;
type Parameters = NonNullable<Operations['showConsent']['parameters']['query']>;

/** A request of the consent page that is refused on a page. */
class PageError extends Error {
  /** @param back the address of the client with the error, if it may learn of it */
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

/** Returns what a page says of an error, and the way back. */
export function explainRefusal(error: unknown): [fault: string, back?: string] {
  if (error instanceof ClientError) return [error.message];
  if (error instanceof PageError) return error.back ? [error.message, error.back] : [error.message];
  throw error;
}

/** Adds an answer to the address of a client, which stays as it is registered. */
export function addAnswer(uri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(answer)) {
    if (value !== undefined) query.append(name, value);
  }
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`;
}

/**
 * Reads a request for consent (RFC 6749, section 4.1.1). As long as the client and its address are not known to be
 * right, no error may be sent to that address.
 * @throws {ClientError | PageError} if it is refused
 */
export async function readConsentRequest(
  sent: Parameters,
  issuer: string,
  findClient: (id: string) => Promise<Client>,
): Promise<Asked> {
  const { client_id: id, redirect_uri: redirectUri, state, code_challenge: challenge } = sent;
  if (!id) throw new PageError('The request has no client_id; the client has to send it.');
  const client = readRegistered(id) ?? (await findClient(id));
  if (!redirectUri || !isRegistered(client, redirectUri)) {
    throw new PageError('The redirect_uri of the request is missing, or is not one that the client has registered.');
  }
  const refuse = (error: string, message: string): never => {
    const answer = { error, error_description: message, state, iss: issuer };
    throw new PageError(message, addAnswer(redirectUri, answer));
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
  const parameters = Object.fromEntries(PARAMETERS.flatMap((name) => (sent[name] ? [[name, sent[name]]] : [])));
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
export async function keepConsent(
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
    return refuse('The key is unknown, revoked or expired. Paste one that roster keys create made.');
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
    name === '' ? await findImpliedProject(store, caller) : isName(name) && (await findVisible(store, caller, name));
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
      id,
      key_id: key.id,
      project_id: project.id,
      resource: asked.resource,
      scopes: allowed,
      client_id: asked.client.id,
      client_name: asked.client.name ?? '',
      redirect_uri: asked.redirectUri,
      challenge: asked.challenge,
      code_hash: code.hash,
      access_hash: null,
      refresh_hash: null,
      access_until: 0,
      valid_until: Date.now() + CODE_MS,
      created_at: new Date().toISOString(),
    });
    return true;
  });
  return isKept ? code.text : refuse('The project was just deleted; choose another.');
}
