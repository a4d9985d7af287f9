/** Tests the start of the process, and its failures. */
import { once } from 'node:events';
import { chmodSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../testkit/http/free-port.js';
import { ownServers } from '../testkit/service/own-servers.js';
import { type ServerOptions, type ServerProcess, startServer } from '../testkit/service/server-process.js';
import { makeKey } from '../testkit/store/keys.js';

const { file, start } = ownServers();

describe('a start', () => {
  async function refusal(options: ServerOptions): Promise<string> {
    const failure = await start(options).then(
      () => new Error('it started'),
      (error: unknown) => error,
    );
    return failure instanceof Error ? failure.message : '';
  }

  test('with a malformed variable ends with one line that names it', async () => {
    const words = await refusal({ env: { PORT: 'many' } });
    expect(words).toMatch(/ended with 1:\nRoster did not start: PORT must be [^\n]*$/);
  });

  test('on a port in use ends with one line that says so', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // A string is for pipes only.
    const words = await refusal({ env: { PORT: String(port) } });
    other.close();
    expect(words).toMatch(
      /\nRoster did not start: .* PORT \d+: address already in use; stop what listens there, or choose another PORT\n?$/,
    );
  });

  test('on an unreachable PostgreSQL asks whether it runs', async () => {
    const words = await refusal({
      env: { DATABASE_URL: `postgres://roster:s3cret@127.0.0.1:${await freePort()}/roster` },
    });
    expect(words).toMatch(/\nRoster did not start: .*; is PostgreSQL running there\?\n?$/);
    expect(words).not.toContain('s3cret');
  });

  test('with a malformed address of a collector ends with one line that names it', async () => {
    expect(await refusal({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' } })).toMatch(
      /\nRoster did not start: OTEL_EXPORTER_OTLP_ENDPOINT must be [^\n]*http:\/\/[^\n]*\n?$/,
    );
  });

  test('on a file that is not a database ends with one line that says so', async () => {
    const words = await refusal({ databaseFile: new URL('../LICENSE', import.meta.url).pathname });
    expect(words).toMatch(/\nRoster did not start: .*not a database[^\n]*$/);
  });

  test.skipIf(process.platform !== 'linux')(
    'in a folder that cannot be made, or on a folder, ends with one line that names it',
    async () => {
      const below = await refusal({ databaseFile: '/proc/nowhere/roster.db' });
      expect(below).toMatch(/\nRoster did not start: .* folder \/proc\/nowhere cannot be made[^\n]*$/);
      const folder = await refusal({ databaseFile: file('') });
      expect(folder).toMatch(/\nRoster did not start: .* is a folder; name a file in it\n?$/);
    },
  );

  test.skipIf(process.platform === 'win32')(
    'makes the store for its owner alone, and leaves the permissions of an older one',
    async () => {
      const databaseFile = file('data/deep/roster.db');
      const modes = (names: string[]) => names.map((name) => (statSync(file(name)).mode & 0o777).toString(8));
      const server = await start({ databaseFile });
      expect(modes(['data', 'data/deep'])).toEqual(['700', '700']);
      const files = ['', '-wal', '-shm'].map((end) => `data/deep/roster.db${end}`);
      expect(modes(files)).toEqual(['600', '600', '600']);
      await server.stop();
      chmodSync(databaseFile, 0o640);
      await start({ databaseFile });
      expect(modes(['data/deep/roster.db'])).toEqual(['640']);
    },
  );

  test('warns of variables that look like settings, in one line and without their values', async () => {
    const { log } = await start({ env: { RATELIMIT: '31337', MAXBODY: '31337' } });
    const warnings = log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    expect(warnings.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/RATELIMIT .* RATE_LIMIT .*MAXBODY .* MAX_BODY /),
    ]);
    expect(log.join('')).not.toContain('31337');
  });
});

describe('a host that other machines can reach', () => {
  test('is refused while there is no key, with a line that says what to do', async () => {
    const doors = [{ HOST: '0.0.0.0' }, { HOST: '::' }, { PUBLIC_URL: 'https://roster.example' }];
    for (const env of doors) {
      await expect(start({ env })).rejects.toThrow(
        new RegExp(`Roster did not start: ${Object.keys(env)} .* there is no key yet .* roster keys create`),
      );
    }
  });

  test('is served after a key exists, and to its holder alone', async () => {
    const key = await makeKey(`file:${file('roster.db')}`, { name: 'first' });
    const { url } = await start({ env: { HOST: '0.0.0.0' } });
    const local = url.replace('0.0.0.0', '127.0.0.1');
    expect((await fetch(`${local}/projects`)).status).toBe(401);
    const headers = { Authorization: `Bearer ${key}` };
    expect((await fetch(`${local}/projects`, { headers })).status).toBe(200);
  });
});

describe('an OIDC issuer', () => {
  const OIDC = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_AUDIENCE: 'roster' };

  test('closes the service without a key, and lets others reach it', async () => {
    const { url } = await start({ env: { ...OIDC, HOST: '0.0.0.0' } });
    const refused = await fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/projects`);
    expect(refused.status).toBe(401);
  });

  test('that is half configured stops the start, with a line that says what to do', async () => {
    await expect(start({ env: { OIDC_ISSUER: OIDC.OIDC_ISSUER } })).rejects.toThrow(
      'Roster did not start: OIDC_AUDIENCE must name the audience of the tokens of OIDC_ISSUER',
    );
  });
});

describe('BASE_PATH', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer({ env: { BASE_PATH: '/v1/roster' } });
  });
  afterAll(() => server.stop());

  test('prefixes every address, and appears in Location and Link', async () => {
    const { origin } = new URL(server.url);
    expect(server.url).toBe(`${origin}/v1/roster`);
    const post = await fetch(`${server.url}/api/projects/default/skills`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ skill: { name: 'lookup', type: 'lookup' } }),
    });
    const location = post.headers.get('Location');
    expect(location).toBe('/v1/roster/api/projects/default/skills/lookup');
    expect((await fetch(`${origin}${location}`)).status).toBe(200);
  });

  test('does not prefix the pages of problems, and nothing else is outside', async () => {
    const { origin } = new URL(server.url);
    const outside = await fetch(`${origin}/projects`);
    expect(outside.status).toBe(404);
    const type = '/problems/unknown-address';
    expect(await outside.json()).toMatchObject({ type });
    expect((await fetch(origin + type)).status).toBe(200);
  });
});
