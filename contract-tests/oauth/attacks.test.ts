/** Attacks on the authorization server: what each tries is in the name of its test. */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CALLBACK, ISSUER, OauthService, type Parameters } from './oauth-service.js';

let oauth: OauthService;
let client: string;
/** The addresses that were asked for at hosts of clients. */
const asked: string[] = [];
/** Answers that a host holds back. */
const held: ServerResponse[] = [];
beforeAll(async () => {
  oauth = await OauthService.open((req, res) => {
    const address = `https://${req.headers.host}${req.url}`;
    asked.push(address);
    const document = (fields: object = {}) =>
      JSON.stringify({ client_id: address, redirect_uris: [CALLBACK], ...fields });
    if (req.url?.startsWith('/held.json')) return held.push(res);
    switch (req.url) {
      case '/huge.json':
        res.writeHead(200, { 'Content-Type': 'application/json' });
        // 100 MB, or as much as somebody reads.
        return void (async () => {
          for (let sent = 0; sent < 100 && !res.destroyed; sent++) {
            if (!res.write(' '.repeat(1024 * 1024))) {
              await new Promise((resolve) => res.once('drain', resolve).once('close', resolve));
            }
          }
          res.end(document());
        })();
      case '/moved.json':
        return res.writeHead(302, { Location: '/client.json' }).end();
      case '/other.json':
        return res.end(document({ client_id: 'https://host.example/client.json' }));
      case '/secret.json':
        return res.end(document({ token_endpoint_auth_method: 'client_secret_post' }));
      case '/script.json':
        return res.end(document({ redirect_uris: ['javascript:alert(1)', 'http://evil.example/'] }));
      case '/silent.json':
        return res;
      case '/text.json':
        return res.end('<html>');
      default:
        return res.end(document());
    }
  });
  client = (await oauth.register()).body.client_id;
  await oauth.createProject('shop');
});
afterAll(() => oauth.close());

const statusOf = async (token: string, path?: string) => (await oauth.tools(token, path)).status;
/** Waits, for the second that there is, until a token is dead. */
const expectEnd = (token: string, path?: string) =>
  expect.poll(() => statusOf(token, path), { interval: 100 }).toBe(401);

describe('a thief of a code', () => {
  test.each<[string, Parameters]>([
    ['another verifier', { code_verifier: 'x'.repeat(43) }],
    ['the challenge as verifier', { code_verifier: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }],
    ['no verifier', { code_verifier: undefined }],
    ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:33418/other' }],
    ['another resource', { resource: `${ISSUER}/mcp/shop` }],
  ])('gets nothing with %s, and the code is good no more', async (_, fields) => {
    const code = await oauth.code(client);
    expect((await oauth.redeem(client, code, fields)).status).toBe(400);
    expect((await oauth.redeem(client, code)).error).toBe('invalid_grant');
  });

  test('gets nothing as another client', async () => {
    const thief = (await oauth.register()).body.client_id;
    expect(thief).not.toBe(client);
    const code = await oauth.code(client);
    expect((await oauth.redeem(thief, code)).error).toBe('invalid_grant');
    expect((await oauth.token({ grant_type: 'authorization_code', code })).error).toBe('invalid_client');
    expect((await oauth.redeem('', code)).error).toBe('invalid_client');
    expect((await oauth.redeem(client, code)).status).toBe(200);
  });

  test('ends the tokens by using it again', async () => {
    const code = await oauth.code(client);
    const { tokens } = await oauth.redeem(client, code);
    expect(await statusOf(tokens.access_token)).toBe(200);
    expect((await oauth.redeem(client, code)).error).toBe('invalid_grant');
    await expectEnd(tokens.access_token);
    expect((await oauth.refresh(client, tokens.refresh_token)).error).toBe('invalid_grant');
  });

  test('gets at most one answer by using it many times at once, and its tokens end', async () => {
    const code = await oauth.code(client);
    const all = await Promise.all(Array.from({ length: 12 }, () => oauth.redeem(client, code)));
    const good = all.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThan(2);
    for (const { tokens } of good) await expectEnd(tokens.access_token);
  });

  test('gets nothing with one that has expired', async () => {
    const code = await oauth.code(client);
    await oauth.onStore(({ work }) =>
      work
        .updateTable('oauth_grants')
        .set({ valid_until: Date.now() - 1 })
        .where('refresh_hash', 'is', null)
        .execute(),
    );
    expect((await oauth.redeem(client, code)).error).toBe('invalid_grant');
  });

  test('gets nothing with a code, a token or a key in the place of another', async () => {
    const code = await oauth.code(client);
    expect((await oauth.refresh(client, code)).error).toBe('invalid_grant');
    const { access_token, refresh_token } = await oauth.connect(client);
    expect((await oauth.refresh(client, access_token)).error).toBe('invalid_grant');
    expect((await oauth.redeem(client, refresh_token)).error).toBe('invalid_grant');
    expect(await statusOf(refresh_token)).toBe(401);
    expect(await statusOf(code)).toBe(401);
    // A token is no key: it would give itself a longer life, and other projects.
    expect((await oauth.consent(client, { key: access_token })).text).toContain('key is unknown');
  });
});

describe('a client without PKCE', () => {
  test.each<[string, Parameters]>([
    ['of the method plain', { code_challenge_method: 'plain' }],
    ['without a method, which would be plain', { code_challenge_method: undefined }],
    ['without a challenge', { code_challenge: undefined }],
    ['with a short challenge', { code_challenge: 'short' }],
  ])('is refused, %s', async (_, fields) => {
    expect((await oauth.page(client, fields)).text).toContain('must use PKCE');
    const { status, answer } = await oauth.consent(client, fields);
    expect([status, answer]).toEqual([400, undefined]);
  });
});

describe('an address that is not registered', () => {
  test.each([
    'https://evil.example/callback',
    'http://127.0.0.1:33418/callback/',
    'http://127.0.0.1:33418/callback?next=https://evil.example',
    'http://127.0.0.1:33418/callback#fragment',
    'http://127.0.0.1:33418@evil.example/callback',
    'http://127.0.0.1.evil.example:33418/callback',
    'https://127.0.0.1:33418/callback',
    'http://127.0.0.1:33418\\@evil.example/callback',
    'javascript://127.0.0.1/%0aalert(1)',
    undefined,
  ])('is never led or linked to: %s', async (redirect_uri) => {
    for (const send of [oauth.page.bind(oauth), oauth.consent.bind(oauth)]) {
      for (const fields of [{}, { response_type: 'token' }, { decision: 'deny' }]) {
        const { status, answer, text } = await send(client, { ...fields, redirect_uri });
        expect([status, answer]).toEqual([400, undefined]);
        expect(text).not.toContain('<a href="http');
        expect(text).not.toContain('javascript');
      }
    }
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://evil.example/',
    'https:evil.example',
    'https://a@evil.example/',
    'https://host.example/#x',
    'file:///etc/passwd',
    'nothing',
    'intent://x',
  ])('cannot be registered: %s', async (uri) => {
    const { status, body } = await oauth.register({ redirect_uris: [uri] });
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
    const other = (await oauth.register({ redirect_uris: [CALLBACK, uri] })).body;
    expect(other.redirect_uris).toEqual([CALLBACK]);
    expect((await oauth.consent(other.client_id, { redirect_uri: uri })).answer).toBeUndefined();
    // Nor by an id that is written by hand.
    const facts = Buffer.from(JSON.stringify(['x', [uri], 'abcdefgh'])).toString('base64url');
    const { answer } = await oauth.consent(`roster_client.${facts}`, { redirect_uri: uri });
    expect(answer).toBeUndefined();
  });
});

describe('a token', () => {
  test('is good for its own resource alone', async () => {
    const own = await oauth.connect(client);
    expect(await statusOf(own.access_token)).toBe(200);
    expect(await statusOf(own.access_token, '/mcp/default')).toBe(401);
    const shop = await oauth.connect(client, { resource: `${ISSUER}/mcp/shop` });
    expect(await oauth.tools(shop.access_token, '/mcp/shop')).toMatchObject({ names: ['search_of_shop'] });
    expect(await statusOf(shop.access_token)).toBe(401);
    for (const path of ['/me', '/projects', '/projects/shop/skills', '/metrics', '/v1/models']) {
      const headers = { Authorization: `Bearer ${own.access_token}` };
      expect((await oauth.send(path, { headers })).status, path).toBe(401);
    }
  });

  test('of another audience is not given', async () => {
    for (const resource of [
      'https://evil.example/mcp',
      `${ISSUER}.evil.example/mcp`,
      `${ISSUER}/mcpx`,
      `${ISSUER}/mcp/../projects`,
      `${ISSUER}/mcp/a/b`,
      ISSUER,
    ]) {
      expect((await oauth.consent(client, { resource })).text, resource).toContain('must be the MCP');
    }
  });

  test('sees its project alone, and ends with it', async () => {
    const { access_token: token } = await oauth.connect(client, { project: 'shop' });
    const read = (uri: string) =>
      oauth
        .send('/mcp', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } }),
        })
        .then((answer) => answer.json());
    await oauth.createProject('stock');
    const own = await read('roster://shop/skills/of_shop/documents/care');
    expect(JSON.stringify(own)).toContain('Soap and water');
    const other = await read('roster://stock/skills/of_stock/documents/care');
    expect(Object(other).error).toBeDefined();

    await oauth.createProject('gone');
    const gone = await oauth.connect(client, { resource: `${ISSUER}/mcp/gone` });
    const headers = { Authorization: `Bearer ${oauth.key}` };
    for (const path of ['/projects/gone/skills/of_gone', '/projects/gone']) {
      expect((await oauth.send(path, { method: 'DELETE', headers })).status).toBe(204);
    }
    await oauth.createProject('gone');
    await expectEnd(gone.access_token, '/mcp/gone');
  });

  test('sees only its project, whichever token of its owner was used just before', async () => {
    await oauth.createProject('attic');
    const of = (project: string) => oauth.connect(client, { project });
    const [shop, attic] = [(await of('shop')).access_token, (await of('attic')).access_token];
    const path = `/mcp/attic`;
    const named = (await oauth.connect(client, { resource: ISSUER + path })).access_token;
    // The first round notes the use of each, which changes the store.
    for (let round = 0; round < 3; round++) {
      expect((await oauth.tools(attic)).names).toEqual(['search_of_attic']);
      expect((await oauth.tools(oauth.key)).names).not.toContain('search_of_attic');
      expect((await oauth.tools(shop)).names).toEqual(['search_of_shop']);
      expect((await oauth.tools(oauth.key, '/mcp/shop')).names).toEqual(['search_of_shop']);
      expect((await oauth.tools(named, path)).names).toEqual(['search_of_attic']);
    }
  });

  test('stands for a key that is for one project, and sees no other', async () => {
    const key = await oauth.createKey({ scopes: ['read', 'predict'], project: 'shop' });
    const { text, answer } = await oauth.consent(client, { key, project: 'default' });
    expect(answer).toBeUndefined();
    expect(text).toContain('The key sees no project');
    expect(text).not.toContain('<option value="default"');
    const { access_token: token } = await oauth.connect(client, { key });
    expect((await oauth.tools(token)).names).toEqual(['search_of_shop']);
    // A consent that names another project, as if the key had been for all before, is good for nothing.
    await oauth.onStore(async ({ work }) => {
      const { id } = await work
        .selectFrom('projects')
        .select('id')
        .where('name', '=', 'default')
        .executeTakeFirstOrThrow();
      await work
        .updateTable('oauth_grants')
        .set({ project_id: id })
        .where('key_id', '=', `${key.split('_')[1]}`)
        .execute();
    });
    await expectEnd(token);
  });

  test('is not given for a project of another owner', async () => {
    const key = await oauth.createKey({ owner: 'stranger' });
    const { text } = await oauth.consent(client, { key, project: 'shop' });
    expect(text).toContain('sees no project &quot;shop&quot;');
    expect(text).not.toContain('<option>shop');
    const { answer } = await oauth.consent(client, { key, resource: `${ISSUER}/mcp/shop` });
    expect(answer).toBeUndefined();
  });

  test('is refused without the names of projects that its key may not list', async () => {
    const key = await oauth.createKey({ scopes: ['predict'] });
    const { text } = await oauth.consent(client, { key, project: 'nowhere' });
    expect(text).toContain('sees no project &quot;nowhere&quot;');
    expect(text).not.toContain('<option>');
  });

  test('has no scope that its key, its client or its reader did not give', async () => {
    const key = await oauth.createKey({ scopes: ['predict', 'write'] });
    const narrow = await oauth.connect(client, { key, project: 'shop' });
    expect(narrow.scope).toBe('predict');
    expect((await oauth.tools(narrow.access_token)).names).toEqual([]);

    const asked = await oauth.connect(client, { scope: 'predict write operate', project: 'shop' });
    expect(asked.scope).toBe('predict');
    const chosen = await oauth.connect(client, { allow_read: undefined });
    expect(chosen.scope).toBe('predict ask');
    for (const scope of ['read predict', 'write', 'predict ask operate']) {
      expect((await oauth.refresh(client, chosen.refresh_token, { scope })).error).toBe('invalid_scope');
    }
    const other = { resource: `${ISSUER}/mcp/shop` };
    expect((await oauth.refresh(client, chosen.refresh_token, other)).error).toBe('invalid_target');
    const same = await oauth.refresh(client, chosen.refresh_token, { scope: 'ask ask' });
    expect(same.tokens.scope).toBe('ask');
    const readOnly = await oauth.createKey({ scopes: ['write'] });
    expect((await oauth.consent(client, { key: readOnly })).text).toContain('none of the chosen scopes');
  });

  test('ends with its key, and cannot be renewed then', async () => {
    const key = await oauth.createKey({});
    const tokens = await oauth.connect(client, { key });
    const code = await oauth.code(client, { key });
    expect(await statusOf(tokens.access_token)).toBe(200);
    await oauth.revoke(key);
    await expectEnd(tokens.access_token);
    expect((await oauth.refresh(client, tokens.refresh_token)).error).toBe('invalid_grant');
    expect((await oauth.redeem(client, code)).error).toBe('invalid_grant');
    expect((await oauth.consent(client, { key })).text).toContain('The key is unknown');
  });

  test('expires, as its successor does', async () => {
    const tokens = await oauth.connect(client);
    await oauth.onStore(({ work }) =>
      work
        .updateTable('oauth_grants')
        .set({ access_until: Date.now() - 1 })
        .execute(),
    );
    await expectEnd(tokens.access_token);
    await oauth.onStore(({ work }) =>
      work
        .updateTable('oauth_grants')
        .set({ valid_until: Date.now() - 1 })
        .execute(),
    );
    expect((await oauth.refresh(client, tokens.refresh_token)).error).toBe('invalid_grant');
  });

  test('makes room for others: a key has a hundred consents', async () => {
    const key = await oauth.createKey({});
    const first = await oauth.connect(client, { key });
    for (let count = 0; count < 100; count++) await oauth.code(client, { key });
    await expectEnd(first.access_token);
    await oauth.onStore(async ({ work }) => {
      const kept = await work
        .selectFrom('oauth_grants')
        .select('id')
        .where('key_id', '=', `${key.split('_')[1]}`)
        .execute();
      expect(kept).toHaveLength(100);
    });
  });
});

describe('a metadata document', () => {
  test.each([
    ['has 100 MB', 'https://host.example/huge.json', 'cannot be read'],
    ['leads elsewhere', 'https://host.example/moved.json', 'cannot be read'],
    ['never comes', 'https://host.example/silent.json', 'cannot be read'],
    ['is no JSON', 'https://host.example/text.json', 'must be JSON'],
    ['names another client', 'https://host.example/other.json', 'another client_id'],
    ['has a secret', 'https://host.example/secret.json', 'other than none'],
    ['leads to a script', 'https://host.example/script.json', 'not one that the client'],
    ['is on a private host', 'https://inside.example/client.json', 'cannot be read'],
    ['is where clouds have secrets', 'https://metadata.example/latest/client.json', 'cannot be read'],
    ['is on a host that is partly private', 'https://half.example/client.json', 'cannot be read'],
    ['is at a mapped address', 'https://mapped.example/client.json', 'cannot be read'],
    ['is behind NAT64', 'https://nat64.example/client.json', 'cannot be read'],
    ['is on no host', 'https://nowhere.example/client.json', 'cannot be read'],
  ])('that %s is refused', async (_, id, words) => {
    const { status, text } = await oauth.page(id);
    expect([status, text]).toEqual([400, expect.stringContaining(words)]);
    expect(asked.filter((address) => !address.startsWith('https://host.example/'))).toEqual([]);
    expect(asked).not.toContain('https://host.example/client.json');
  });

  test.each([
    'http://host.example/client.json',
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://0x7f.1/client.json',
    'https://2130706433/client.json',
    'https://host.example:8443/client.json',
    'https://user@host.example/client.json',
    'https://host.example/client.json#x',
    'https://host.example/a/../client.json',
    'https://HOST.example/client.json',
    'https://host.example/',
    'https://host.example',
    'file:///etc/passwd',
    'roster_client.e30',
    'anything',
  ])('has no address such as %s', async (id) => {
    const { status, text } = await oauth.page(id);
    expect([status, text]).toEqual([400, expect.stringContaining('client_id must be')]);
  });

  test('of one site does not keep those of others waiting', async () => {
    const pages = Array.from({ length: 10 }, (_, index) => oauth.page(`https://host.example/held.json?${index}`));
    await expect.poll(() => held.length).toBeGreaterThan(2);
    expect((await oauth.page('https://other.example/new.json')).status).toBe(200);
    for (const answer of held) answer.end('{}');
    const statuses = (await Promise.all(pages)).map(({ status }) => status);
    // One that comes after five seconds, when the service has given up the first, is held in its place.
    expect(statuses.filter((status) => status === 503)).toHaveLength(10 - held.length);
  });

  test('on a host that never resolves does not keep others waiting', async () => {
    const silent = Array.from({ length: 20 }, (_, index) =>
      oauth.page(`https://host${index}.silent.example/client.json`),
    );
    const other = await oauth.page('https://other.example/beside-silent.json');
    expect(other.status).toBe(200);
    const statuses = (await Promise.all(silent)).map(({ status }) => status);
    expect(statuses).toEqual(silent.map(() => 400));
  });

  // Other systems have one address of the loopback interface.
  test.skipIf(process.platform !== 'linux')(
    'that one address asks for does not keep those of other addresses waiting',
    async () => {
      held.length = 0;
      const hosts = ['host.example', 'other.example', 'third.example'];
      const pages = Array.from({ length: 8 }, (_, index) =>
        oauth.pageFrom('127.0.0.1', `https://${hosts[index % 3]}/held.json?own-${index}`),
      );
      await expect.poll(() => held.length).toBeGreaterThanOrEqual(7);
      const beside = await oauth.pageFrom('127.0.0.2', 'https://third.example/beside.json');
      expect(beside).toBe(200);
      for (const answer of held) answer.end('{}');
      await expect.poll(() => held.length).toBe(8);
      held.at(-1)?.end('{}');
      await Promise.all(pages);
    },
  );

  test('is asked for once, however many ask for it', async () => {
    const id = 'https://host.example/popular.json';
    const pages = await Promise.all(Array.from({ length: 20 }, () => oauth.page(id)));
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
    expect(asked.filter((address) => address === id)).toHaveLength(1);
  });
});

describe('another page', () => {
  test.each<[string, Parameters]>([
    ['of another origin', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['of another origin in an old browser', { Origin: 'https://evil.example', 'Sec-Fetch-Site': undefined }],
    ['that hides its origin', { Origin: 'null' }],
    ['of a neighbour', { Origin: ISSUER, 'Sec-Fetch-Site': 'same-site' }],
    ['that is almost of the origin', { Origin: `${ISSUER}.evil.example` }],
    ['that says nothing', { Origin: undefined, 'Sec-Fetch-Site': undefined }],
  ])('cannot consent, %s', async (_, headers) => {
    const { status, answer } = await oauth.consent(client, {}, headers);
    expect([status, answer]).toEqual([403, undefined]);
  });

  test('cannot frame the page, nor change it', async () => {
    for (const { headers } of [await oauth.page(client), await oauth.page('nothing')]) {
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('script-src');
      expect(headers.get('Cache-Control')).toBe('no-store');
    }
  });
});

describe('a hostile request', () => {
  test('of a megabyte is refused', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const form = { grant_type: 'authorization_code', code: long };
    expect((await oauth.post('/oauth/token', form)).status).toBe(413);
    expect((await oauth.post('/oauth/revoke', { token: long })).status).toBe(413);
    expect((await oauth.post('/oauth/authorize', { key: long }, { Origin: ISSUER })).status).toBe(413);
    expect((await oauth.register({ redirect_uris: [long] })).status).toBe(413);
    const query = new URLSearchParams({ client_id: client, state: long.slice(0, 64 * 1024) });
    expect((await fetch(`${oauth.url}/oauth/authorize?${query}`)).status).toBe(431);
    expect((await oauth.page(client, { state: 'x'.repeat(4001) })).status).toBe(400);
    expect((await oauth.redeem(client, 'x'.repeat(201))).error).toBe('invalid_request');
  });

  test('with a parameter twice is refused', async () => {
    const query = `client_id=${client}&client_id=other&redirect_uri=${CALLBACK}`;
    const page = await oauth.send(`/oauth/authorize?${query}`);
    expect([page.status, page.headers.get('Content-Type')]).toEqual([400, expect.stringContaining('html')]);
    const code = await oauth.code(client);
    const body = `grant_type=authorization_code&code=${code}&code=${code}&client_id=${client}`;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const twice = await oauth.send('/oauth/token', { method: 'POST', headers, body });
    expect(Object(await twice.json()).error).toBe('invalid_request');
  });

  test('writes neither its own header nor its own markup', async () => {
    const state = '\r\nSet-Cookie: a=b\r\n"><script>&iss=https://evil.example';
    const { answer, headers } = await oauth.consent(client, { state });
    expect(answer?.searchParams.get('state')).toBe(state);
    expect(answer?.searchParams.getAll('iss')).toEqual([ISSUER]);
    expect(headers.get('Set-Cookie')).toBeNull();
    expect((await oauth.page(client, { state })).text).not.toContain('<script>');
    const nul = await oauth.consent(client, { project: 'a\0b', key: `${oauth.key}` });
    expect(nul.status).toBe(400);
  });

  test('writes no secret to the log or the store', async () => {
    const code = await oauth.code(client);
    const { tokens } = await oauth.redeem(client, code);
    await oauth.tools(tokens.access_token);
    await oauth.ageRefreshTokens(60_000);
    const next = (await oauth.refresh(client, tokens.refresh_token)).tokens;
    await oauth.tools(next.access_token);
    await oauth.send(`/oauth/authorize?code=${code}&key=${oauth.key}`);
    const database = readFileSync(oauth.databaseUrl.slice('file:'.length), 'latin1');
    const own = [tokens, next].flatMap(({ access_token, refresh_token }) => [access_token, refresh_token]);
    const secrets = [code, ...own, oauth.key];
    for (const secret of secrets.map((text) => `${text.split('_')[2]}`)) {
      expect(secret).toHaveLength(43);
      expect(oauth.log.includes(secret)).toBe(false);
      expect(database.includes(secret)).toBe(false);
    }
    expect(oauth.log).not.toContain('"level":50');
  });
});
