import type { RequestListener } from 'node:http';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { OidcIssuer } from '../../testkit/oidc-issuer.js';
import { Issuer } from './issuer.js';

let server: OidcIssuer;
let issuer: Issuer;
let logged: string[];
beforeAll(async () => {
  server = await OidcIssuer.open();
});
afterAll(() => server.stop());
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: string[] = [];
  logged = lines;
  issuer = new Issuer(server.url, pino({}, { write: (line) => lines.push(line) }));
});
afterEach(async () => {
  vi.useRealTimers();
  await server.reset();
});

const seconds = (count: number) => vi.advanceTimersByTime(count * 1000);
const KEY = 'first-ES256';
const find = (id: string | undefined = KEY, algorithm = 'ES256') => issuer.findKey(id, algorithm);
/** Waits until a question that nobody waits for has its answer. */
const untilAsked = (times: number) => expect.poll(() => server.asked).toHaveLength(2 * times);

describe('the keys of an issuer', () => {
  test('are asked for once, and used again for ten minutes', async () => {
    const found = await find();
    expect(found).toMatchObject({ id: KEY, algorithm: 'ES256' });
    seconds(599);
    expect(await find()).toBe(found);
    expect(await find('first-EdDSA', 'EdDSA')).toBeDefined();
    expect(server.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  test('are found by id and algorithm, without an id only if there is one', async () => {
    expect(await find(KEY, 'RS256')).toBeUndefined();
    seconds(30);
    expect(await issuer.findKey(undefined, 'ES256')).toMatchObject({ id: KEY });
  });

  test('are asked for once by thousands of unknown ids, and again after half a minute', async () => {
    await find();
    seconds(1);
    const unknown = () => Promise.allSettled(Array.from({ length: 2000 }, (_, at) => find(`unknown-${at}`)));
    await unknown();
    await unknown();
    seconds(29);
    await unknown();
    expect(server.asked).toHaveLength(4);
    seconds(1);
    await unknown();
    expect(server.asked).toHaveLength(6);
    expect(await find()).toBeDefined();
  });

  test('are known as soon as they have changed, and one that is taken back ends', async () => {
    const old = await find();
    await server.rotate('ES256', 'second');
    seconds(1);
    expect(await find('second')).toMatchObject({ id: 'second' });
    expect(issuer.publishes(old?.digest ?? '')).toBe(false);
    await server.rotate('ES256', 'third');
    seconds(1);
    expect(await find('third')).toMatchObject({ id: 'third' });
  });

  test('end within ten minutes after they are taken back, if nobody sends a new one', async () => {
    const old = await find();
    await server.rotate('ES256', 'second');
    expect(issuer.publishes(old?.digest ?? '')).toBe(true);
    seconds(600);
    issuer.publishes(old?.digest ?? '');
    await expect.poll(() => issuer.publishes(old?.digest ?? '')).toBe(false);
  });

  test('that have another use, curve or form are left out', async () => {
    const [rsa] = server.pairs;
    const jwk = { ...rsa?.jwk };
    const odd = [
      { ...jwk, kid: 'enc', use: 'enc' },
      { ...jwk, kid: 'ps', alg: 'PS256' },
      { ...jwk, kid: 'wrap', key_ops: ['wrapKey'] },
      { ...jwk, kid: 'broken', n: 12 },
      { kty: 'oct', kid: 'secret', k: 'AAAA' },
      { kty: 'EC', crv: 'P-384', kid: 'p384', x: 'A', y: 'A' },
      { kid: 'nothing' },
    ];
    serve({ '/keys': { keys: [...odd, { ...jwk, kid: 'good', alg: 'RS256', d: 'private' }] } });
    expect(await find('good', 'RS256')).toBeDefined();
    for (const { kid } of odd) expect(await find(kid, 'RS256'), kid).toBeUndefined();
  });
});

/** Answers with JSON in place of the issuer's own; a text is sent as it is. */
function serve(answers: Readonly<Record<string, unknown>>): void {
  const usual = { '/.well-known/openid-configuration': { issuer: server.url, jwks_uri: `${server.url}/keys` } };
  const all: Readonly<Record<string, unknown>> = { ...usual, ...answers };
  server.instead = (req, res) => {
    const answer = all[req.url ?? ''];
    if (answer === undefined) res.writeHead(404).end();
    else res.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  };
}

const CONFIGURATION = '/.well-known/openid-configuration';

describe('an issuer that', () => {
  const cases: [string, () => void, RegExp][] = [
    ['is down', () => void server.stop(), /refused the connection.*OIDC_ISSUER/],
    ['answers HTML', () => serve({ [CONFIGURATION]: '<html>Sign in</html>' }), /not send JSON/],
    ['has HTML as its keys', () => serve({ '/keys': '<html></html>' }), /JSON .* as its keys/],
    ['has no keys', () => serve({ '/keys': { kyes: [] } }), /JSON .* as its keys/],
    ['is not there', () => serve({ [CONFIGURATION]: undefined }), /answers 404/],
    ['redirects', () => redirect(), /answers 302/],
    [
      'calls itself otherwise',
      () => serve({ [CONFIGURATION]: { issuer: 'https://evil.example', jwks_uri: 'https://x' } }),
      /calls itself \\"https:\/\/evil.example\\"/,
    ],
    [
      'has its keys at an address without TLS',
      () => serve({ [CONFIGURATION]: { issuer: server.url, jwks_uri: 'http://10.0.0.1/keys' } }),
      /no https address/,
    ],
    ['sends too much', () => serve({ '/keys': ' '.repeat(300_000) }), /more than 262144 bytes/],
    ['compresses', () => compress(), /compressed/],
  ];
  const redirect = () => {
    server.instead = (_req, res) => res.writeHead(302, { Location: '/keys' }).end();
  };
  const compress = () => {
    const send: RequestListener = (_req, res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x');
    server.instead = send;
  };

  test.each(cases)('%s leaves known keys, and is 503 for others', async (_, fail, reason) => {
    const known = await find();
    fail();
    seconds(1);
    const unknown = find('second');
    await expect(unknown).rejects.toMatchObject({
      type: '/problems/service-unavailable',
      headers: { 'Retry-After': '10' },
    });
    expect(logged.join('')).toMatch(reason);
    expect(await find()).toBe(known);
    seconds(3600);
    expect(await find()).toBe(known);
  });

  test('is slow holds few requests for some seconds, and no known key', async () => {
    const known = await find();
    server.hold();
    seconds(1);
    const waiting = Array.from({ length: 200 }, (_, at) => find(`unknown-${at}`));
    expect(await find()).toBe(known);
    const refused = await Promise.allSettled(waiting);
    expect(refused.every(({ status }) => status === 'rejected')).toBe(true);
    expect(server.held).toHaveLength(1);
    expect(logged.join('')).toContain('took more than 5 seconds');
  });

  test('answers again is believed, and said to be back', async () => {
    await server.stop();
    await expect(find()).rejects.toThrow('does not give its keys');
    await server.start();
    seconds(9);
    await expect(find()).rejects.toThrow('does not give its keys');
    seconds(1);
    expect(await find()).toBeDefined();
    expect(logged).toHaveLength(2);
    expect(logged[1]).toContain('answers again');
  });
});

test('a question ahead of the first token spares it the wait', async () => {
  issuer.prepare();
  await untilAsked(1);
  server.instead = (_req, res) => res.writeHead(500).end();
  expect(await find()).toMatchObject({ id: KEY });
});
