import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../testkit/service/server-process.js';
import { CALLBACK, ISSUER, OauthService, type Tokens } from './oauth-service.js';

const DOCUMENT = 'https://host.example/client.json';
const HOSTED = 'https://host.example/callback';

let oauth: OauthService;
let client: string;
beforeAll(async () => {
  oauth = await OauthService.open((req, res) => {
    const id = `https://${req.headers.host}${req.url}`;
    const body = { client_id: id, client_name: 'Host', redirect_uris: [HOSTED] };
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
  client = (await oauth.register()).body.client_id;
  await oauth.createProject('shop');
});
afterAll(() => oauth.close());

describe('a host that has no key', () => {
  test.each([
    ['/mcp', '/mcp'],
    ['/mcp/', '/mcp/'],
    ['/mcp?tools=search_care,predict_prices', '/mcp?tools=search_care,predict_prices'],
    ['/mcp/?tools=search_care', '/mcp/?tools=search_care'],
    ['/mcp/shop', '/mcp/shop'],
    ['/mcp/shop/', '/mcp/shop/'],
    ['/mcp/shop?tools=search_care%2Cpredict_prices', '/mcp/shop?tools=search_care%2Cpredict_prices'],
    ['/mcp/default', '/mcp/default'],
  ])('is led from %s to the authorization server', async (path, suffix) => {
    const { status, challenge } = await oauth.tools('roster_x', path);
    expect(status).toBe(401);
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    expect(address).toBe(`${ISSUER}/.well-known/oauth-protected-resource${suffix}`);
    const { pathname, search } = new URL(address);
    const resource = await oauth.metadata(pathname + search);
    expect(resource).toMatchObject({ resource: ISSUER + path, authorization_servers: [ISSUER] });
  });

  test.each(['/mcp', '/mcp/shop'])('finds the metadata of %s with its choice of tools', async (path) => {
    const chosen = `${path}?tools=predict_diamond_prices,search_care`;
    const { resource } = await oauth.metadata(`/.well-known/oauth-protected-resource${chosen}`);
    expect(resource).toBe(ISSUER + chosen);
  });

  test('is led from a name that is no address to the one without', async () => {
    const { challenge } = await oauth.tools('roster_x', '/mcp/sh%6Fp');
    expect(challenge).toContain('/.well-known/oauth-protected-resource/mcp/shop"');
    const { resource } = await oauth.metadata('/.well-known/oauth-protected-resource/mcp?other=1');
    expect(resource).toBe(`${ISSUER}/mcp`);
  });

  test.each(['/mcp/', '/mcp?tools=search_of_shop', '/mcp/shop/', '/mcp/shop?tools=search_of_shop'])(
    'gets a token for %s as it is named',
    async (path) => {
      const resource = ISSUER + path;
      const code = await oauth.code(client, { resource, project: 'shop' });
      const { status, tokens } = await oauth.redeem(client, code, { resource });
      expect(status).toBe(200);
      expect((await oauth.tools(tokens.access_token, path)).names).toEqual(['search_of_shop']);
      expect((await oauth.refresh(client, tokens.refresh_token, { resource })).status).toBe(200);
    },
  );

  test('finds the server by its issuer alone', async () => {
    const root = await oauth.metadata('/.well-known/oauth-protected-resource');
    expect(root).toMatchObject({ resource: `${ISSUER}/mcp` });
    expect(await oauth.metadata('/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
    });
  });

  test('hears of no server at an address that is none of MCP', async () => {
    const answer = await oauth.send('/projects');
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="roster"');
    expect((await oauth.send('/.well-known/oauth-protected-resource/mcp/a%20b')).status).toBe(400);
  });
});

describe.each([
  ['a registered client', async () => client, CALLBACK],
  ['a client with a metadata document', async () => DOCUMENT, HOSTED],
])('%s', (_, find, redirect_uri) => {
  test('goes from the consent page to tools, and on with the next tokens', async () => {
    const id = await find();
    const page = await oauth.page(id, { redirect_uri, scope: 'read predict', resource: `${ISSUER}/mcp` });
    expect(page.status).toBe(200);
    const sent = { redirect_uri, scope: 'read predict', resource: `${ISSUER}/mcp`, project: 'shop' };
    const { status, answer } = await oauth.consent(id, sent);
    expect(status).toBe(303);
    expect(`${answer?.origin}${answer?.pathname}`).toBe(redirect_uri);
    expect(answer?.searchParams.get('state')).toBe('af0ifjsldkj');
    expect(answer?.searchParams.get('iss')).toBe(ISSUER);

    const code = `${answer?.searchParams.get('code')}`;
    const first = await oauth.redeem(id, code, { redirect_uri, resource: `${ISSUER}/mcp` });
    expect(first.status).toBe(200);
    expect(first.tokens).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'read predict' });
    expect(first.headers.get('Cache-Control')).toBe('no-store');
    expect(await oauth.tools(first.tokens.access_token)).toMatchObject({ names: ['search_of_shop'] });

    await oauth.ageRefreshTokens(60_000);
    const next = await oauth.refresh(id, first.tokens.refresh_token);
    expect(next.tokens.access_token).not.toBe(first.tokens.access_token);
    expect(await oauth.tools(next.tokens.access_token)).toMatchObject({ names: ['search_of_shop'] });
    expect(await oauth.tools(first.tokens.access_token)).toMatchObject({ names: ['search_of_shop'] });
  });
});

describe('the consent page', () => {
  test('shows who asks, and where the answer goes', async () => {
    const { text, headers } = await oauth.page(DOCUMENT, { redirect_uri: HOSTED });
    expect(text).toContain('The client of <strong>host.example</strong>');
    expect(headers.get('Content-Security-Policy')).toContain("form-action 'self' https://host.example;");
    const named = (await oauth.register({ client_name: '<script>1', redirect_uris: [CALLBACK] })).body;
    const page = (await oauth.page(named.client_id)).text;
    expect(page).toContain('&lt;script&gt;1</strong>, which nobody has checked');
    expect(page).toContain('a program on your machine (<strong>127.0.0.1:33418</strong>)');
    expect(page).not.toContain('<script');
  });

  test('asks again for what does not fit, and says why', async () => {
    const wrong = await oauth.consent(client, { key: `${oauth.key}x`, project: 'shop' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('The key is unknown')]);
    expect(wrong.text).toContain('value="shop"');
    const lost = await oauth.consent(client, { project: 'no"<where' });
    expect(lost.text).toContain('no project &quot;no&quot;&lt;where&quot;');
    expect(lost.text).toContain('<option>shop</option>');
    const none = { allow_read: undefined, allow_predict: undefined, allow_ask: undefined };
    expect((await oauth.consent(client, none)).text).toContain('Choose what the client may do');
    expect(`${wrong.text}${lost.text}`).not.toContain(oauth.key);
  });

  test('leads back without a code if the reader cancels', async () => {
    const { answer } = await oauth.consent(client, { decision: 'deny', key: undefined });
    expect(answer?.searchParams.get('error')).toBe('access_denied');
    expect(answer?.searchParams.get('iss')).toBe(ISSUER);
    expect(answer?.searchParams.has('code')).toBe(false);
  });

  test('reports a fault to a registered client only if the reader follows the link', async () => {
    const faults = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
      [{ scope: 'write operate' }, 'invalid_scope'],
    ] as const;
    for (const [fault, error] of faults) {
      const { status, answer, text } = await oauth.page(client, fault);
      expect([status, answer]).toEqual([400, undefined]);
      expect(text).toContain(`${CALLBACK}?error=${error}&amp;`);
    }
  });
});

test('the request of the contract is shown, and its form accepted', async () => {
  // As in the examples of the contract.
  const id = 'roster_client.WyJEZXNrIixbImh0dHA6Ly8xMjcuMC4wLjE6MzM0MTgvY2FsbGJhY2siXSwiYUJjRGVGZ0giXQ';
  const asked = { scope: 'read predict', resource: `${ISSUER}/mcp` };
  expect((await oauth.page(id, asked)).text).toContain('<strong>Desk</strong>');
  expect((await oauth.consent(id, asked)).status).toBe(303);
});

test('a client that accepts no available form gets a problem', async () => {
  for (const path of [
    '/oauth/authorize',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource/mcp/shop',
  ]) {
    expect((await oauth.send(path, { headers: { Accept: 'image/png' } })).status).toBe(406);
  }
  for (const path of ['/oauth/token', '/oauth/register']) {
    const headers = { Accept: 'image/png', 'Content-Type': 'application/json' };
    expect((await oauth.send(path, { method: 'POST', headers, body: '{}' })).status).toBe(406);
  }
});

test('a program may listen on any port of its machine', async () => {
  const redirect_uri = 'http://127.0.0.1:1234/callback';
  const { answer } = await oauth.consent(client, { redirect_uri });
  expect(answer?.host).toBe('127.0.0.1:1234');
  expect((await oauth.consent(client, { redirect_uri: 'http://localhost:1234/callback' })).status).toBe(400);
});

test('a token can be revoked, and nobody learns whether it was good', async () => {
  const { access_token: token, refresh_token }: Tokens = await oauth.connect(client);
  const revoke = (sent: string, client_id = client) => oauth.post('/oauth/revoke', { token: sent, client_id });
  expect((await revoke(refresh_token, 'another')).status).toBe(200);
  expect((await oauth.tools(token)).status).toBe(200);
  expect((await revoke(token)).status).toBe(200);
  await expect.poll(async () => (await oauth.tools(token)).status).toBe(401);
  expect((await oauth.refresh(client, refresh_token)).error).toBe('invalid_grant');
  expect((await revoke('nothing')).status).toBe(200);
  const unnamed = await oauth.post('/oauth/revoke', { token });
  expect([unnamed.status, Object(await unnamed.json()).error]).toEqual([400, 'invalid_client']);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const twice = { method: 'POST', headers, body: `token=${token}&token=${token}` };
  expect((await oauth.send('/oauth/revoke', twice)).status).toBe(400);
});

test('a request without a value, or of another form, has an error of OAuth', async () => {
  expect((await oauth.token({ grant_type: '' })).error).toBe('invalid_request');
  expect((await oauth.token({ grant_type: 'password' })).error).toBe('unsupported_grant_type');
  const post = (path: string, type: string, body: string) =>
    oauth.send(path, { method: 'POST', headers: { 'Content-Type': type }, body });
  const broken = await post('/oauth/register', 'application/json', '{');
  expect([broken.status, Object(await broken.json()).error]).toEqual([400, 'invalid_request']);
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/register', '/oauth/authorize']) {
    expect((await post(path, 'text/xml', '<a/>')).status).toBe(415);
  }
});

test('a registration keeps the addresses that it may have, and names those that it left out', async () => {
  const unfit = [
    'desk:/callback',
    'http://evil.example/',
    `https://host.example/${'x'.repeat(400)}`,
    'https://é.example',
  ];
  const { status, body } = await oauth.register({ client_name: 'Desk', redirect_uris: [...unfit, CALLBACK] });
  expect(status).toBe(201);
  expect(body).toMatchObject({ redirect_uris: [CALLBACK], left_out_redirect_uris: unfit });
  expect((await oauth.page(body.client_id)).status).toBe(200);
  expect((await oauth.page(body.client_id, { redirect_uri: unfit[0] })).status).toBe(400);
  const none = await oauth.register({ redirect_uris: unfit });
  expect([none.status, none.body.error]).toEqual([400, 'invalid_redirect_uri']);
  expect((await oauth.register()).body.left_out_redirect_uris).toBeUndefined();
});

describe('a client without a scope', () => {
  const CALLS = [
    ['predict', 'tools/call', { name: 'predict_prices', arguments: {} }],
    ['read', 'tools/call', { name: 'search_of_shop', arguments: { query: 'soap' } }],
    ['read', 'tools/call', { name: 'search_nothing', arguments: {} }],
    ['read', 'resources/read', { uri: 'roster://shop/skills/of_shop/documents/care' }],
  ] as const;

  test.each(CALLS)('is asked for %s by 403 with what to ask for (%s %j)', async (scope, method, params) => {
    const own = scope === 'read' ? 'predict' : 'read';
    const { access_token: token } = await oauth.connect(client, { scope: own, resource: `${ISSUER}/mcp/shop` });
    const { status, type, challenge } = await oauth.ask(token, method, params, '/mcp/shop');
    expect([status, type]).toEqual([403, '/problems/missing-scope']);
    expect(challenge).toBe(
      `Bearer realm="roster", error="insufficient_scope", scope="read predict", resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp/shop"`,
    );
    const all = await oauth.connect(client, { scope: 'read predict', resource: `${ISSUER}/mcp/shop` });
    expect((await oauth.ask(all.access_token, method, params, '/mcp/shop')).status).toBe(200);
  });

  test('is refused in the same way with a key, and learns of no name', async () => {
    const key = await oauth.createKey({ scopes: ['predict'] });
    const { status, challenge } = await oauth.ask(key, 'tools/call', { name: 'search_nothing', arguments: {} });
    expect(status).toBe(403);
    expect(challenge).toContain('error="insufficient_scope", scope="read predict"');
    const inProject = await oauth.ask(key, 'tools/call', { name: 'search_nothing', arguments: {} }, '/mcp/shop');
    expect([inProject.status, inProject.type]).toEqual([403, '/problems/missing-scope']);
    const unknown = await oauth.ask(key, 'tools/call', { name: 'train_prices', arguments: {} });
    expect([unknown.status, unknown.error.code]).toEqual([200, -32602]);
    expect((await oauth.ask(key, 'resources/list', {})).result).toEqual({ resources: [] });
  });
});

test('a service without a public URL has no authorization server', async () => {
  const server = await startServer();
  try {
    for (const path of ['/oauth/authorize', '/.well-known/oauth-protected-resource/mcp']) {
      const answer = await fetch(server.url + path);
      expect(Object(await answer.json())).toMatchObject({ type: '/problems/unknown-address' });
    }
  } finally {
    await server.kill();
  }
});
