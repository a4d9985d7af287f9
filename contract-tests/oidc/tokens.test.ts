/** Tokens of an OIDC issuer beside keys, and what attackers send in their place. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompactEncrypt } from 'jose';
import { apiKey, createRosterClient } from 'roster-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OpenStream } from '../../testkit/http/open-stream.js';
import { readField } from '../../testkit/json.js';
import { type Claims, OidcIssuer, type TokenOptions } from '../../testkit/oidc-issuer.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { checkedFetch } from '../checked-fetch.js';
import { ISSUER, OauthService } from '../oauth/oauth-service.js';

const ALL = 'openid roster:read roster:write roster:predict roster:ask';

let folder: string;
let databaseUrl: string;
let issuer: OidcIssuer;
let server: ServerProcess;
let key: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-oidc-'));
  const databaseFile = join(folder, 'roster.db');
  databaseUrl = `file:${databaseFile}`;
  key = await makeKey(databaseUrl, { name: 'own', owner: 'shop' });
  issuer = await OidcIssuer.open();
  const OIDC_LIMITS = '{"limited": {"requests": 3, "rows": 9}, "double": {"requests": 6}}';
  server = await startServer({ databaseFile, env: { ...issuer.env, OIDC_LIMITS, PUBLIC_URL: ISSUER } });
});
afterAll(async () => {
  await server?.stop();
  await issuer?.stop();
  await rm(folder, { recursive: true, force: true });
});

function send(token: string, path = '/me', init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return checkedFetch(new Request(server.url + path, { headers, ...init }));
}

async function read(token: string, path?: string, init?: RequestInit) {
  const answer = await send(token, path, init);
  const { headers, status } = answer;
  const body = Object(await answer.json());
  const challenge = headers.get('WWW-Authenticate');
  return { status, body, detail: String(body.detail), challenge, headers };
}

const statusOf = async (token: string) => (await send(token)).status;

const inSeconds = (count: number) => Math.floor(Date.now() / 1000) + count;

describe('a token of the issuer', () => {
  test.each(['RS256', 'ES256', 'EdDSA'])('is as good as a key, signed with %s', async (alg) => {
    const { status, body, headers } = await read(await issuer.token({ sub: 'ada' }, { alg }));
    expect([status, body]).toEqual([
      200,
      {
        owner: 'ada',
        key: null,
        scopes: ['read'],
        identity: { subject: 'ada', expires_at: expect.stringMatching(/^20..-.*Z$/) },
        limits: { max_body: 33_554_432, max_table: 1_073_741_824, rate_limit: 6000 },
      },
    ]);
    expect(headers.get('RateLimit')).toMatch(/^"key"; r=\d+; t=\d+$/);
  });

  test('has the key that its header names, or the only one of its algorithm', async () => {
    expect(await statusOf(await issuer.token({}, { kid: null }))).toBe(200);
    expect(await statusOf(await issuer.token({}, { kid: 'first-ES256' }))).toBe(401);
  });

  test('may be for several audiences, and was valid seconds ago or will be in seconds', async () => {
    expect(await statusOf(await issuer.token({ aud: ['other', 'roster'] }))).toBe(200);
    // Clocks may differ by five seconds. One that took longer than these to arrive is sent anew.
    const past = async () => statusOf(await issuer.token({ exp: inSeconds(-1) }));
    await expect.poll(past).toBe(200);
    expect(await statusOf(await issuer.token({ nbf: inSeconds(3) }))).toBe(200);
  });

  test('has the scopes of its claim alone', async () => {
    const project = { method: 'POST', body: '{"project": {"name": "more"}}' };
    const reader = await issuer.token({ sub: 'grace' });
    expect((await send(reader, '/projects')).status).toBe(200);
    const refused = await read(reader, '/projects', project);
    expect(refused).toMatchObject({ status: 403, challenge: expect.stringContaining('"write"') });
    expect(refused.detail).toContain("does not give the scope 'write'");
    const writer = await issuer.token({ sub: 'grace', scope: ALL });
    expect((await send(writer, '/projects', project)).status).toBe(201);
  });

  test('has the owner of its claim, who begins with a project, and may have keys', async () => {
    const names = async (token: string) =>
      (await read(token, '/projects')).body.map(({ name }: { name: string }) => name);
    expect(await names(await issuer.token({ sub: 'lin' }))).toEqual(['default']);
    await send(key, '/projects', { method: 'POST', body: '{"project": {"name": "of_shop"}}' });
    expect(await names(await issuer.token({ sub: 'shop' }))).toEqual(['default', 'of_shop']);
  });

  test('has the limits of its claim, by its subject, in all its tokens', async () => {
    const limited = (sub: string, more = '') =>
      issuer.token({ sub, scope: `roster:read roster:keys limited${more}`, jti: `${Math.random()}` });
    const first = await read(await limited('many'));
    expect(first.body.limits.quotas).toMatchObject([
      { name: 'requests', limit: 3, seconds: 60, left: 2 },
      { name: 'rows', limit: 9, seconds: 86_400, left: 9 },
    ]);
    expect(first.headers.get('RateLimit-Policy')).toContain('"requests"; q=3; w=60');
    const body = '{"key": {"name": "more", "scopes": ["read"]}}';
    const made = await read(await limited('many'), '/keys', { method: 'POST', body });
    expect(made).toMatchObject({ status: 403, detail: expect.stringContaining('has limits') });
    let refused = await read(await limited('many'));
    // A minute may have ended meanwhile.
    while (refused.status !== 429) refused = await read(await limited('many'));
    expect(refused.detail).toContain('The identity has sent 3 requests in this minute');
    expect(refused.headers.get('Retry-After')).toMatch(/^[1-9]/);
    expect(await statusOf(await limited('many', ' double'))).toBe(200);
    expect(await statusOf(await limited('others'))).toBe(200);
    expect((await read(key)).body.limits).not.toHaveProperty('quotas');
  });

  test('is distinguished in the log by its subject, and is not in it', async () => {
    const token = await issuer.token({ sub: 'sub<ject>' });
    await send(token, `/projects/default?x=${token}`);
    await send(token, `/${token}`);
    const line = () => server.log.map((text) => JSON.parse(text)).find(({ subject }) => subject === 'sub<ject>');
    await expect.poll(line).toMatchObject({ owner: 'sub<ject>', operation: 'getProject' });
    expect(line()).not.toHaveProperty('key');
    expect(server.log.join('\n')).not.toContain(token.slice(0, 60));
  });

  test('is as good at the server of MCP and below /v1', async () => {
    const token = await issuer.token({ sub: 'hosts' });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    expect((await read(token, '/mcp', { method: 'POST', body })).body).toHaveProperty('result');
    expect((await send(token, '/v1/models')).status).toBe(200);
    const expired = await issuer.token({ sub: 'hosts' }, { seconds: -60 });
    expect((await send(expired, '/mcp', { method: 'POST', body })).status).toBe(401);
    expect((await read(expired, '/v1/models')).body.error.message).toContain('The token expired');
  });

  test('ends a stream when it ends, with a line that gives the reason', async () => {
    const owner = { sub: 'streams', scope: ALL };
    const long = await issuer.token(owner);
    const roster = createRosterClient({ baseUrl: server.url });
    roster.use(apiKey(() => long));
    await trainPrices(roster, { projectName: 'default', modelName: 'prices' });
    const address = `${server.url}/api/projects/default/models/prices/predict`;
    const begin = async () => {
      const token = await issuer.token(owner, { seconds: -2 });
      const stream = new OpenStream(address, token);
      stream.write('{"carat":1}\n');
      return { token, stream, first: await stream.next() };
    };
    let begun = await begin();
    // Clocks may differ by five seconds. A token that ended before its first row was answered is replaced.
    while (readField(begun.first, 'carat') === undefined) {
      begun.stream.break();
      begun = await begin();
    }
    const { token, stream, first } = begun;
    expect(first).toMatchObject({ carat: 1 });
    expect(await stream.next()).toMatchObject({
      problem: { type: '/problems/unauthorized', detail: expect.stringContaining('The token has ended') },
    });
    expect(await stream.next()).toBeUndefined();
    expect(await statusOf(token)).toBe(401);
    stream.break();
  });
});

describe('a token is refused, and says why,', () => {
  test.each<[string, Claims, TokenOptions, RegExp]>([
    // Read when the token is made, which may be minutes after this list was.
    [
      'expired',
      {
        get exp() {
          return inSeconds(-300);
        },
      },
      {},
      /expired 3\d\d seconds ago .* clocks/,
    ],
    [
      'not yet valid',
      {
        get nbf() {
          return inSeconds(300);
        },
      },
      {},
      /not valid for another \d+ seconds .* clocks/,
    ],
    ['without an end', { exp: undefined }, {}, /no claim "exp"/],
    ['with an end that is a text', { exp: '2099' }, {}, /no claim "exp"/],
    ['of another issuer', { iss: 'https://evil.example' }, {}, /another issuer/],
    ['of an issuer with a slash', { iss: 'http://127.0.0.1/' }, {}, /another issuer/],
    ['for another audience', { aud: 'shop' }, {}, /another audience; .* "roster"/],
    ['for no audience', { aud: undefined }, {}, /another audience/],
    ['without a subject', { sub: undefined }, {}, /no claim "sub"/],
    ['with a subject of zeros', { sub: 'a\u0000b' }, {}, /no claim "sub"/],
    ['without a scope', { scope: 'openid' }, {}, /no scope of Roster: .*"scope"/],
    ['bound to a key', { cnf: { jkt: 'x' } }, {}, /bound to a key/],
    ['with an owner of control characters', { sub: 'a\u0007b' }, {}, /name of one, which has 1 to 100/],
    ['with an owner between spaces', { sub: ' shop' }, {}, /name of one/],
    ['with an owner of 101 characters', { sub: 'x'.repeat(101) }, {}, /name of one/],
    ['of a logout', {}, { header: { typ: 'logout+jwt' } }, /the type "logout\+jwt"/],
  ])('%s', async (_, claims, options, reason) => {
    const refused = await read(await issuer.token(claims, options));
    expect(refused.status).toBe(401);
    expect(refused.detail).toMatch(reason);
    expect(refused.challenge).toBe('Bearer realm="roster", error="invalid_token"');
  });
});

describe('an attacker', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const refused = async (token: string) => {
    const { status, detail } = await read(token);
    expect(status).toBe(401);
    return detail;
  };

  test.each(['none', 'None', 'NONE', ''])('gets nothing with the algorithm "%s"', async (alg) => {
    const [, claims] = (await issuer.token()).split('.');
    for (const signature of ['', 'x']) {
      expect(await refused(`${encode({ alg, kid: 'first-RS256' })}.${claims}.${signature}`)).toContain(
        'the service takes RS256, ES256, EdDSA',
      );
    }
  });

  test('gets nothing with HS256 and the public key as its secret', async () => {
    const [pair] = issuer.pairs;
    const [, claims] = (await issuer.token()).split('.');
    const signed = `${encode({ alg: 'HS256', kid: pair?.kid })}.${claims}`;
    for (const secret of [JSON.stringify(pair?.jwk), String(Object(pair?.jwk).n)]) {
      const signature = createHmac('sha256', secret).update(signed).digest('base64url');
      expect(await refused(`${signed}.${signature}`)).toContain('signed with "HS256"');
    }
  });

  test('gets nothing with a caller-made key in the header', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = publicKey.export({ format: 'jwk' });
    const other = await OidcIssuer.open();
    const claims = { iss: issuer.url };
    const header = { jwk, jku: `${other.url}/keys`, x5u: `${other.url}/keys` };
    expect(await refused(await other.token(claims, { kid: 'mine', header }))).toContain('does not publish');
    expect(await refused(await other.token(claims, { header }))).toContain('does not stand up');
    expect(other.asked).toEqual([]);
    await other.stop();
  });

  test('gets nothing with an encrypted token', async () => {
    const secret = new Uint8Array(32);
    const token = await new CompactEncrypt(Buffer.from('{}'))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(secret);
    expect(await refused(token)).toContain('encrypted');
  });

  test('gets nothing with another claim or another signature', async () => {
    const token = await issuer.token();
    const [header, claims = '', signature] = token.split('.');
    const own = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const changed = encode({ ...own, sub: 'shop' });
    expect(await refused(`${header}.${changed}.${signature}`)).toContain('does not stand up');
    expect(await refused(`${header}.${claims}.`)).toContain('does not stand up');
    expect(await refused(`${token}.`)).toContain('signed JWT');
  });

  test.each(['x', 'eyJ', '..', 'a.b.c', '{}', '__proto__', `${'e30.'.repeat(3)}`])(
    'gets nothing with %j',
    async (text) => {
      expect(await refused(text)).toMatch(/neither a key .* nor a signed JWT|signed with/);
    },
  );

  test('gets nothing with a token in the place of a key', async () => {
    const token = await issuer.token();
    const init = { headers: { 'X-Api-Key': token } };
    expect((await read('', '/me', init)).detail).toContain('X-Api-Key does not have the form');
  });

  test('gets no consent with a token, or any other text, in the place of a key', async () => {
    const oauth = OauthService.on(server, databaseUrl, key, ISSUER);
    const client = (await oauth.register()).body.client_id;
    for (const sent of ['eyJhbGciOiJub25lIn0.e30.x', 'x']) {
      const { status, text } = await oauth.consent(client, { key: sent });
      expect([status, text]).toEqual([400, expect.stringContaining('The key is unknown')]);
    }
  });

  test('is refused with a large token before it is looked at', async () => {
    const large = await issuer.token({ more: 'x'.repeat(11_000) });
    expect(await refused(large)).toContain('more than 12000 characters');
    const huge = 'x'.repeat(1024 * 1024);
    const answer = await fetch(`${server.url}/me`, { headers: { Authorization: `Bearer ${huge}` } });
    expect(answer.status).toBe(431);
    expect(await statusOf(await issuer.token())).toBe(200);
  });

  test('lets the issuer be asked once by thousands of unknown keys', async () => {
    const own = await issuer.token();
    const [header, claims, signature] = own.split('.');
    const before = issuer.asked.length;
    const begun = performance.now();
    const statuses = new Set<number>();
    for (let round = 0; round < 20; round++) {
      const answers = Array.from({ length: 100 }, (_, at) => {
        const unknown = encode({ alg: 'RS256', kid: `unknown-${round}-${at}` });
        return fetch(`${server.url}/me`, { headers: { Authorization: `Bearer ${unknown}.${claims}.${signature}` } });
      });
      for (const { status } of await Promise.all(answers)) statuses.add(status);
    }
    expect(header).toBeDefined();
    expect(statuses.has(200)).toBe(false);
    // The configuration and the keys, at most once in half a minute.
    const times = 1 + Math.floor((performance.now() - begun) / 30_000);
    expect(issuer.asked.length - before).toBeLessThanOrEqual(2 * times);
    expect(await statusOf(own)).toBe(200);
  });
});

test('without a key or a token, a request learns that both are good', async () => {
  const answer = await checkedFetch(new Request(`${server.url}/me`));
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain('A token of the OIDC issuer');
});
