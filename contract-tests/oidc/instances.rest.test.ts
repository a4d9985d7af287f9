/** Tokens at several instances on PostgreSQL, and at one whose issuer does not answer. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { OidcIssuer } from '../../testkit/oidc-issuer.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { ownServers } from '../../testkit/service/own-servers.js';
import type { ServerProcess } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { checkedFetch } from '../checked-fetch.js';

const servers = ownServers();
let issuer: OidcIssuer;
let database: PostgresDatabase;
beforeAll(async () => {
  [issuer, database] = await Promise.all([OidcIssuer.open(), startPostgres()]);
});
afterAll(async () => {
  await Promise.all([issuer?.stop(), database?.remove()]);
});
beforeEach(() => issuer.reset());
afterEach(() => issuer.reset());

async function read({ url }: ServerProcess, token: string, path = '/me') {
  const answer = await checkedFetch(new Request(url + path, { headers: { Authorization: `Bearer ${token}` } }));
  const body = Object(await answer.json());
  return { status: answer.status, retryAfter: answer.headers.get('Retry-After'), body };
}

test('a new owner begins with one project, though its first tokens come to two instances', async () => {
  const env = { ...issuer.env, DATABASE_URL: database.url };
  const first = await servers.start({ env });
  const second = await servers.start({ env });
  const owners = ['ada', 'grace', 'lin'];
  await Promise.all(
    owners.flatMap((sub) =>
      [first, second, first, second].map(async (server) => {
        const token = await issuer.token({ sub, jti: String(Math.random()) });
        const { status, body } = await read(server, token, '/projects');
        expect([status, body]).toEqual([200, [expect.objectContaining({ name: 'default' })]]);
      }),
    ),
  );
});

test.each([
  ['down', () => issuer.stop()],
  ['slow', () => issuer.hold()],
])('an issuer that is %s stops no key, and no token whose key is known', async (_, fail) => {
  const key = await makeKey(`file:${servers.file('roster.db')}`, { name: 'own' });
  const server = await servers.start({ env: issuer.env });
  const [known, other] = [await issuer.token(), await issuer.token({ sub: 'grace' })];
  expect((await read(server, known)).status).toBe(200);
  await issuer.rotate('RS256', 'second');
  const late = await issuer.token();
  await fail();
  const refused = vi.waitFor(
    async () => {
      const answer = await read(server, late);
      // Right after its first answer, the issuer is not asked again.
      expect(answer.status).not.toBe(401);
      return answer;
    },
    { timeout: WAIT_MS, interval: 200 },
  );
  for (const good of [key, known, other]) expect((await read(server, good)).status).toBe(200);
  const { status, retryAfter, body } = await refused;
  for (const good of [key, known, other]) expect((await read(server, good)).status).toBe(200);
  expect(status).toBe(503);
  expect(Number(retryAfter)).toBeGreaterThan(0);
  expect(body.detail).toContain('use a key of Roster');
});

test('an issuer that is down at the start lets the service start, and keys work', async () => {
  const key = await makeKey(`file:${servers.file('roster.db')}`, { name: 'own' });
  const token = await issuer.token();
  await issuer.stop();
  const server = await servers.start({ env: issuer.env });
  expect((await read(server, key)).status).toBe(200);
  expect((await read(server, token)).status).toBe(503);
  await expect
    .poll(() => server.log.join('\n'))
    .toContain('The OIDC issuer refused the connection. Start it, or correct OIDC_ISSUER.');
});
