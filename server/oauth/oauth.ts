import type { Handlers } from '../api/handlers.js';
import { PlainText } from '../api/reply/send.js';
import type { Callers } from '../auth/callers.js';
import { describedResource, MCP_PATH, TOKEN_SCOPES } from '../auth/resource.js';
import { subscriberOf } from '../common/addresses.js';
import type { Store } from '../store/index.js';
import { ClientError, registerClient } from './client.js';
import { ClientDocuments } from './client-documents.js';
import { addAnswer, explainRefusal, keepConsent, readConsentRequest } from './consent.js';
import { consentPage, faultPage } from './consent-page.js';
import { issueTokens, OauthError, revokeToken } from './tokens.js';

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

/**
 * Returns the operations of the authorization server, which is part of the service.
 * @param issuer the origin at which clients reach the service
 */
export function oauthOperations(store: Store, callers: Callers, issuer: string): Pick<Handlers, OauthOperation> {
  const documents = new ClientDocuments();
  const describeResource = (url: string, path: string) => ({
    resource: describedResource(url, path, issuer),
    authorization_servers: [issuer],
    scopes_supported: [...TOKEN_SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'Roster',
  });
  const read = (parameters: Parameters<typeof readConsentRequest>[0], address: string) =>
    readConsentRequest(parameters, issuer, (id) => documents.find(id, subscriberOf(address)));
  return {
    getProtectedResource: ({ url, reply }) => reply({ status: 200, body: describeResource(url, MCP_PATH) }),
    getMcpResource: ({ url, reply }) => reply({ status: 200, body: describeResource(url, MCP_PATH) }),
    getMcpResourceOfProject: ({ url, params, reply }) =>
      reply({ status: 200, body: describeResource(url, `${MCP_PATH}/${params.project_name}`) }),

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

    showConsent: async ({ query, address, reply }) => {
      try {
        const { html, headers } = consentPage(await read(query, address));
        return reply({ status: 200, body: new PlainText('text/html', html), headers });
      } catch (error) {
        const { html, headers } = faultPage(...explainRefusal(error));
        return reply({ status: 400, body: new PlainText('text/html', html), headers });
      }
    },

    giveConsent: async ({ body, headers: sent, caller: { act }, address, reply }) => {
      // A page of another origin must not choose for its reader, not even the key of somebody else.
      const site = sent['Sec-Fetch-Site'];
      if (sent.Origin !== issuer || (site !== undefined && site !== 'same-origin')) {
        const { html, headers } = faultPage(
          `The form was not sent by the page at ${issuer}. Connect again, and open the page that the client leads to.`,
        );
        return reply({ status: 403, body: new PlainText('text/html', html), headers });
      }
      try {
        const asked = await read(body, address);
        const { redirectUri, state } = asked;
        const lead = (answer: Readonly<Record<string, string>>) =>
          reply({ status: 303, headers: { Location: addAnswer(redirectUri, { ...answer, state, iss: issuer }) } });
        if (body.decision !== 'allow') return lead({ error: 'access_denied' });
        const outcome = await keepConsent(store, callers, asked, body, act);
        if (typeof outcome === 'string') return lead({ code: outcome });
        const { html, headers } = consentPage(asked, outcome);
        return reply({ status: 400, body: new PlainText('text/html', html), headers });
      } catch (error) {
        const { html, headers } = faultPage(...explainRefusal(error));
        return reply({ status: 400, body: new PlainText('text/html', html), headers });
      }
    },

    issueToken: async ({ body, caller: { act }, reply }) => {
      try {
        return reply({ status: 200, body: await issueTokens(store, callers, issuer, body, act) });
      } catch (error) {
        return reply({ status: 400, body: describeError(error) });
      }
    },

    registerClient: ({ body, reply }) => {
      const { redirect_uris, client_name } = body;
      try {
        const { id, redirectUris } = registerClient(client_name, redirect_uris);
        const leftOut = redirect_uris.filter((uri) => !redirectUris.includes(uri));
        return reply({
          status: 201,
          body: {
            client_id: id,
            client_id_issued_at: Math.floor(Date.now() / 1000),
            ...(client_name !== undefined && { client_name }),
            redirect_uris: [...redirectUris],
            ...(leftOut.length > 0 && { left_out_redirect_uris: leftOut }),
            token_endpoint_auth_method: 'none',
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
          },
        });
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        const refusal = { error: 'invalid_redirect_uri', error_description: error.message } as const;
        return reply({ status: 400, body: refusal });
      }
    },

    revokeToken: async ({ body, caller: { act }, reply }) => {
      try {
        await revokeToken(store, body, act);
        return reply({ status: 200 });
      } catch (error) {
        return reply({ status: 400, body: describeError(error) });
      }
    },
  };
}

/** @throws the error, if it is none of OAuth */
function describeError(error: unknown) {
  if (!(error instanceof OauthError)) throw error;
  return { error: error.code, error_description: error.message };
}
