import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LoopbackServer, serveOnLoopback } from '../../testkit/http/loopback-server.js';
import { OidcIssuer } from '../../testkit/oidc-issuer.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import { startServer } from '../../testkit/service/server-process.js';
import { DatabaseSync } from '../store/database/sqlite-connection.js';
import { Store } from '../store/index.js';

let folder: string;
let file: string;
let closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-check-'));
  file = join(folder, 'roster.db');
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
  rmSync(folder, { recursive: true });
});

/** Runs the command; the lines of its output are by their subject. */
async function check(env: NodeJS.ProcessEnv) {
  const { code, stdout, stderr } = await runRoster(['check'], { DATABASE_URL: `file:${file}`, ...env });
  expect(stderr).toBe('');
  expect(stdout).not.toContain('s3cret');
  const lines = stdout.trimEnd().split('\n');
  return { code, lines, found: (subject: string) => lines.find((line) => line.includes(subject)) };
}

async function makeStore(...statements: string[]): Promise<void> {
  await (await Store.open(`file:${file}`)).close();
  const database = new DatabaseSync(file);
  for (const sql of statements) database.exec(sql);
  database.close();
}

/** A chat server that lists models for callers that have its key. */
async function openChatServer(): Promise<LoopbackServer> {
  const server = await serveOnLoopback(({ headers: { authorization }, url }, response) => {
    response.statusCode = authorization === 'Bearer s3cret' ? 200 : 401;
    response.end(url === '/v1/models' ? '{"data": [{"id": "llama3.2:latest"}]}' : '');
  });
  closing.push(() => server.close());
  return server;
}

describe('roster check', () => {
  test('asks an OIDC issuer for its keys, and needs no key then', async () => {
    const issuer = await OidcIssuer.open();
    closing.push(() => issuer.stop());
    const env = { ...issuer.env, HOST: '0.0.0.0' };
    const well = await check(env);
    expect([well.code, well.found('OIDC issuer')]).toEqual([
      0,
      'ok    OIDC issuer: it answers, with 3 keys of signatures',
    ]);
    const other = await check({ ...env, OIDC_ISSUER: `${issuer.url}/` });
    expect(other.code).toBe(1);
    expect(other.found('OIDC issuer')).toContain(`calls itself "${issuer.url}"`);
  });

  test('finds that all is well, while the service runs, and changes nothing', async () => {
    await makeStore();
    const sales = join(folder, 'sales.db');
    const database = new DatabaseSync(sales);
    database.exec('create table orders (total)');
    database.close();
    const service = await startServer({ databaseFile: file });
    closing.push(() => service.stop());
    const chat = await openChatServer();
    writeFileSync(join(folder, 'key'), 's3cret\n');

    const { code, lines } = await check({
      CHAT_URL: `${chat.origin}/v1`,
      CHAT_KEY_FILE: join(folder, 'key'),
      CHAT_MODEL: 'llama3.2',
      DATABASES: JSON.stringify({ sales: { url: `file:${sales}`, training: ['orders'] } }),
      MCP_SERVERS: JSON.stringify({ roster: `${service.url}/mcp` }),
      PUBLIC_URL: service.url,
    });
    expect(lines).toEqual([
      expect.stringMatching(/^ok +configuration: .*CHAT_KEY_FILE.* can be read$/),
      `ok    store: file:${file} is up to date`,
      'ok    database sales: it can be read, with the tables for trainings orders',
      'ok    chat server: it answers, and has llama3.2',
      expect.stringMatching(/^ok +MCP server roster: it lists \d+ tools$/),
      'ok    PUBLIC_URL: the service answers there',
    ]);
    expect(code).toBe(0);
  });

  test('names each fault with its remedy in one line, and waits for nobody long', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    closing.push(async () => silent.close());
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const chat = await openChatServer();
    const { code, lines, found } = await check({
      DATABASE_URL: `postgres://ann:s3cret@127.0.0.1:${port}/roster`,
      RATELIMIT: '10',
      CHAT_URL: `${chat.origin}/v1`,
      CHAT_KEY: 's3cret-of-before',
      CHAT_MODEL: 'llama3.2',
      DATABASES: JSON.stringify({
        sales: `file:${join(folder, 'nowhere.db')}`,
        closed: 'postgres://ann:s3cret@127.0.0.1:9/sales',
      }),
      MCP_SERVERS: JSON.stringify({ shop: 'http://127.0.0.1:9/mcp?key=s3cret' }),
      PUBLIC_URL: chat.origin,
    });
    expect(code).toBe(1);
    expect(lines.map((line) => line.slice(0, 6))).toEqual(lines.map(() => 'wrong '));
    expect(lines).toHaveLength(7);
    expect(found('configuration')).toContain('RATELIMIT is not a setting, RATE_LIMIT is');
    expect(found('store')).toContain(`postgres://127.0.0.1:${port}/roster (DATABASE_URL) cannot`);
    expect(found('database sales')).toContain('unable to open database file');
    expect(found('database closed')).toContain('the connection is refused');
    expect(found('chat server')).toContain('Set CHAT_KEY to a key that is valid there.');
    expect(found('MCP server shop')).toContain('refused the connection');
    expect(found('PUBLIC_URL')).toContain('another program answers');
  });

  test('says which migrations are to come, and runs none of them', async () => {
    await makeStore("delete from kysely_migration where name >= '0007'");
    const before = readFileSync(file);
    for (const _ of [1, 2]) {
      const { code, found } = await check({});
      expect(code).toBe(0);
      expect(found('store')).toContain('runs its migrations 0007-responses, 0008-oauth');
    }
    expect(readFileSync(file)).toEqual(before);
  });

  test('makes no store where there is none, and finds one that a start would refuse', async () => {
    expect(await check({})).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual([]);
    const { code, found } = await check({ HOST: '0.0.0.0' });
    expect(code).toBe(1);
    expect(found('store')).toContain('make one with roster keys create');

    await makeStore("insert into kysely_migration values ('9999-later', '2099-01-01')");
    expect((await check({})).found('store')).toContain('written by a later release');
    writeFileSync(file, 'no database at all, but long enough to have been one'.repeat(100));
    expect((await check({})).found('store')).toContain('not a database');
    expect((await check({ DATABASE_URL: `file:${folder}` })).found('store')).toContain('a folder');
  });

  test('tries nothing while the configuration cannot be read', async () => {
    const { code, lines } = await check({ PORT: 'http', CHAT_KEY_FILE: folder });
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/^wrong configuration: CHAT_KEY_FILE .*folder$/)]);
    const several = await check({ PORT: 'http', DATABASE_URL: 'roster.db' });
    expect(several.lines).toEqual([
      expect.stringContaining('PORT must be'),
      expect.stringContaining('DATABASE_URL must be'),
    ]);
  });
});
