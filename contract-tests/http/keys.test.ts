/** Tests of keys and scopes, operation by operation from the contract. */
import { connect } from 'node:net';
import { describe, expect, inject, test } from 'vitest';
import { operations } from '../../testkit/openapi/document.js';
import { examplePath, exampleRequests } from '../../testkit/openapi/example-requests.js';
import { ENOUGH, makeKey } from '../../testkit/store/keys.js';
import { baseUrl, keys, readObject, send, sendAs } from '../target.js';

const secured = operations.filter(({ place }) => place.entries('security').length > 0);
const open = operations.filter(({ place }) => place.entries('security').length === 0);
/** Returns the scopes of which an operation requires one, in one of the headers; empty if any key will do. */
const scopesOf = ({ place }: (typeof operations)[number], scheme = 'apiKey') =>
  place
    .entries('security')
    .flatMap(([, requirement]) => requirement.find(scheme)?.entries() ?? [])
    .map(([, scope]) => scope.value);
/** Returns the status of an answer that refuses the key; undefined if another answers. */
const refusalIn = ({ status }: Response) => [401, 403].find((refused) => refused === status);
const GIVES_SCOPES = 'asks for the scopes that it gives, too';
/** The keys of one scope each. */
const SCOPED = ['read', 'write', 'predict', 'ask', 'operate', 'keys'] as const;

test('only the health endpoints and the status are open to everyone', () => {
  expect(open.map(({ id }) => id)).toEqual(['getLiveness', 'getReadiness', 'getStatus']);
});

test('every operation takes the key in either header, with the same scope', () => {
  for (const operation of secured) {
    const { id, place } = operation;
    expect(scopesOf(operation, 'apiKeyHeader'), id).toEqual(scopesOf(operation));
    expect(place.find('security', '1', 'apiKeyHeader'), id).toBeDefined();
  }
});

test("only the operations about all owners require the scope that an owner's key lacks by default", () => {
  const ofAllOwners = secured.filter((operation) => scopesOf(operation).includes('operate'));
  expect(ofAllOwners.map(({ id }) => id)).toEqual(['getMetrics', 'listAudit']);
});

test('only getCaller and the server of MCP take any key, whatever its scopes', () => {
  const ofAnyKey = secured.filter((operation) => scopesOf(operation).length === 0);
  expect(ofAnyKey.map(({ id }) => id)).toEqual(['getCaller', 'callMcp', 'callMcpOfProject']);
});

test.each(open)('$id requires no key', async ({ path }) => {
  expect((await sendAs(null, path)).status).toBe(200);
});

/** Invalid values of the X-Api-Key header. */
const BAD_OF_ITS_OWN: [string, () => string][] = [
  ['that is empty', () => ''],
  ['with a scheme', () => `Bearer ${keys.own}`],
  ['that never existed', () => `roster_0000000000000000_${'0'.repeat(43)}`],
  ['that is cut short', () => keys.own.slice(0, -1)],
  ['with a suffix', () => `${keys.own}x`],
  ['beside another', () => `${keys.own}, ${keys.own}`],
  ['that was revoked', () => keys.revoked],
  ['that is huge', () => `roster_${'x'.repeat(10_000)}`],
  ['of __proto__', () => '__proto__'],
];

/** Invalid values of the Authorization header. */
const BAD: [string, () => string][] = [
  ['of an empty key', () => 'Bearer '],
  ['of another scheme', () => `Basic ${keys.own}`],
  ['without a scheme', () => keys.own],
  ['of a key that never existed', () => `Bearer roster_0000000000000000_${'0'.repeat(43)}`],
  ['of a key with another secret', () => `Bearer ${keys.own.slice(0, -1)}${keys.own.endsWith('a') ? 'b' : 'a'}`],
  ['of a key that is cut short', () => `Bearer ${keys.own.slice(0, -1)}`],
  ['of a key with a suffix', () => `Bearer ${keys.own}x`],
  ['of two keys', () => `Bearer ${keys.own} ${keys.own}`],
  ['of two keys with a comma', () => `Bearer ${keys.own}, Bearer ${keys.own}`],
  ['of a revoked key', () => `Bearer ${keys.revoked}`],
  ['of a huge key', () => `Bearer roster_${'x'.repeat(10_000)}`],
  ['of a key that is not ASCII', () => `Bearer roster_\u00e9\u00ff`],
  ['of __proto__', () => 'Bearer __proto__'],
];

/** The scope of the tool that the example of an operation calls. */
const SCOPES_OF_TOOLS = new Map([['callMcp', 'predict']]);

describe.each(secured)('$id', (operation) => {
  const [{ path, headers, ...init }] = exampleRequests(operation);
  const nowhere = examplePath(operation, { project_name: 'nowhere', projectName: 'nowhere' });
  const required = scopesOf(operation);
  const ofTool = SCOPES_OF_TOOLS.get(operation.id);
  const isAllowed = (scope: string) => (ofTool ? scope === ofTool : required.length === 0 || required.includes(scope));
  const allowed = SCOPED.filter(isAllowed);
  const givesScopes = operation.id === 'createKey';
  const sendWithHeaders = (keyHeaders: Record<string, string>, address: string) =>
    sendAs(null, address, { ...init, headers: { ...headers, ...keyHeaders } });
  const sendWith = (authorization: string | null, address: string) =>
    sendWithHeaders(authorization === null ? {} : { Authorization: authorization }, address);

  test('is refused without a key, before anything else is checked', async () => {
    for (const address of [path, nowhere, `${path}${path.includes('?') ? '&' : '?'}colour=red`]) {
      const refused = await sendWith(null, address);
      expect(refused.status).toBe(401);
      expect(refused.headers.get('WWW-Authenticate')).toBe('Bearer realm="roster"');
      expect(await refused.json()).toMatchObject({ type: '/problems/unauthorized' });
    }
  });

  test('is refused with a key that does not have the form of one', async () => {
    const refused = await sendWith(`Basic ${keys.own}`, path);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('WWW-Authenticate')).toContain('Bearer realm="roster"');
    expect(await refused.text()).not.toContain(keys.own);
  });

  if (required.length > 0) {
    test('is refused to a key without its scope, before anything else is checked', async () => {
      for (const scope of SCOPED.filter((scope) => !allowed.includes(scope))) {
        for (const address of [path, nowhere]) {
          const refused = await sendWith(`Bearer ${keys[scope]}`, address);
          expect(refused.status).toBe(403);
          expect(refused.headers.get('WWW-Authenticate')).toContain('insufficient_scope');
          expect(await refused.json()).toMatchObject({ type: '/problems/missing-scope' });
        }
      }
    });
  }

  test('is allowed to a key with its scope, whatever the case of the scheme', async ({ skip }) => {
    skip(givesScopes, GIVES_SCOPES);
    for (const scope of allowed) {
      const right = await sendWith(`bearer ${keys[scope]}`, nowhere);
      expect([401, 403]).not.toContain(right.status);
    }
  });

  test('answers a key in X-Api-Key as it answers the same key in Authorization', async ({ skip }) => {
    skip(givesScopes, GIVES_SCOPES);
    const [right = 'read'] = allowed;
    const wrong = SCOPED.find((scope) => !allowed.includes(scope));
    for (const [key, refusal] of [
      [right, undefined],
      [wrong ?? right, wrong && 403],
      ['revoked', 401],
    ] as const) {
      const bearer = await sendWith(`Bearer ${keys[key]}`, nowhere);
      const header = await sendWithHeaders({ 'X-Api-Key': keys[key] }, nowhere);
      expect([refusalIn(bearer), refusalIn(header)], key).toEqual([refusal, refusal]);
    }
  });
});

// One middleware reads the header for all operations; above, each of them has refused a request without a key, with
// a malformed one and with a revoked one.
test.each(BAD)('the authorization %s is refused', async (_what, authorization) => {
  for (const path of ['/me', '/projects']) {
    const refused = await sendAs(null, path, { headers: { Authorization: authorization() } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('WWW-Authenticate')).toContain('Bearer realm="roster"');
    expect(await refused.text()).not.toContain(keys.own);
  }
});

test.each(BAD_OF_ITS_OWN)('an X-Api-Key %s is refused', async (_what, key) => {
  const refused = await sendAs(null, '/me', { headers: { 'X-Api-Key': key() } });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('WWW-Authenticate')).toContain('Bearer realm="roster"');
  expect(await refused.text()).not.toContain(keys.own);
});

const PAIRS = SCOPED.flatMap((one, at) => SCOPED.slice(at + 1).map((other) => [one, other] as const));

test.each(PAIRS)('a key with the scopes %s and %s may do what these allow alone', async (...pair) => {
  const key = await makeKey(`${inject('target').databaseUrl}`, { name: 'pair', scopes: pair });
  for (const scope of SCOPED) {
    const operation = secured.find((each) => scopesOf(each).includes(scope));
    if (!operation) throw new Error(`No operation requires ${scope}`);
    const [{ path: _, headers, ...init }] = exampleRequests(operation);
    const address = examplePath(operation, { project_name: 'nowhere', projectName: 'nowhere' });
    const answer = await sendAs(key, address, { ...init, headers });
    expect(refusalIn(answer), scope).toBe(pair.some((each) => each === scope) ? undefined : 403);
  }
});

describe('getCaller', () => {
  const callerOf = async (key: string) => readObject(await sendAs(key, '/me'));
  const idOf = (key: string) => key.split('_')[1];

  test.each(SCOPED)('shows the key with the scope %s and nothing else', async (scope) => {
    expect(await callerOf(keys[scope])).toMatchObject({
      owner: 'local',
      key: { id: idOf(keys[scope]), name: scope },
      scopes: [scope],
    });
  });

  test('shows the owner of the key, and all of its scopes', async () => {
    expect(await callerOf(keys.stranger)).toMatchObject({
      owner: 'stranger',
      key: { id: idOf(keys.stranger), name: 'stranger' },
      scopes: SCOPED,
    });
  });

  test('shows the limits of the service', async () => {
    expect((await callerOf(keys.read))['limits']).toEqual({
      max_body: 32 * 1024 * 1024,
      max_table: 1024 * 1024 * 1024,
      rate_limit: Number(ENOUGH),
    });
  });

  test('does not repeat the secret of the key', async () => {
    const text = await (await sendAs(keys.own, '/me')).text();
    expect(text).not.toContain(keys.own.split('_')[2]);
  });
});

describe('a 401', () => {
  const wordsForHeaders = async (headers: Record<string, string>) =>
    (await readObject(await sendAs(null, '/projects', { headers })))['detail'];
  const wordsFor = (authorization: string) => wordsForHeaders({ Authorization: authorization });

  test.each(['Bearer ', 'Bearer', `Basic ${keys.own}`, keys.own, 'Bearer abc', `Bearer a ${keys.own}`])(
    'for the header %j describes the expected form',
    async (authorization) => {
      expect(await wordsFor(authorization)).toBe(
        "The header Authorization does not have the form 'Bearer roster_…'; send the key so, in one such header.",
      );
    },
  );

  test('for an X-Api-Key of another form names that header', async () => {
    for (const key of ['', 'abc', `Bearer ${keys.own}`, `${keys.own} ${keys.own}`]) {
      expect(await wordsForHeaders({ 'X-Api-Key': key })).toBe(
        "The header X-Api-Key does not have the form 'roster_…'; send the key so, in one such header.",
      );
    }
  });

  test('for a key in both headers says to send one, though both are valid', async () => {
    const both = { Authorization: `Bearer ${keys.own}`, 'X-Api-Key': keys.own };
    expect(await wordsForHeaders(both)).toBe(
      'The request has both headers, Authorization and X-Api-Key; send the key in one of them.',
    );
  });

  test('does not reveal whether a key never existed, is wrong or was revoked', async () => {
    const unknown = `roster_0000000000000000_${'0'.repeat(43)}`;
    const wrong = `${keys.own.slice(0, -1)}${keys.own.endsWith('a') ? 'b' : 'a'}`;
    for (const key of [unknown, wrong, keys.revoked, 'roster_x']) {
      expect(await wordsFor(`Bearer ${key}`)).toBe(
        'The key is unknown, revoked or expired; ask those who run the service for another.',
      );
    }
  });
});

test('a problem does not repeat a key that was sent in the address', async () => {
  const secret = `${keys.own.split('_')[2]}`;
  for (const address of [
    `/projects/${keys.own}`,
    `/projects/${keys.own}/skills`,
    `/nowhere/${keys.own}`,
    `/projects?key=${keys.own}`,
    `/projects?${keys.own}=1`,
  ]) {
    const refused = await send(address);
    expect(refused.status, address).toBeGreaterThanOrEqual(400);
    const text = await refused.text();
    expect(text).toContain('/problems/');
    expect(text).not.toContain(secret);
  }
  const { instance } = await readObject(await send(`/projects/${keys.own}/skills`));
  expect(decodeURI(`${instance}`)).toBe('/projects/roster_…/skills');
});

test('a problem repeats a name that only begins like a key', async () => {
  const { instance, detail } = await readObject(await send('/projects/roster_sales_2026'));
  expect(instance).toBe('/projects/roster_sales_2026');
  expect(detail).toContain('"roster_sales_2026"');
});

test.each([
  ['Authorization', 'Bearer '],
  ['X-Api-Key', ''],
])('two headers %s are refused, even if both are valid', async (name, scheme) => {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const header = `${name}: ${scheme}${keys.own}\r\n`;
  socket.write(`GET /projects HTTP/1.1\r\nHost: x\r\n${header}${header}Connection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});
