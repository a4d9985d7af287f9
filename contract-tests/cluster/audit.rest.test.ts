/** The audit log of several instances that are killed: one event for each write, and chains that hold. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContents, type Write, Writer } from '../../bench/chaos/writer.js';
import { describeCommand } from '../../server/commands/on-store.js';
import { type AuditEvent, checkChains, EVENTS, listEvents } from '../../server/store/audit-trail.js';
import { ClockWatch, DAY_MS } from '../../server/store/clock-watch.js';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { forgetOld } from '../../server/store/forget-rows.js';
import { Store } from '../../server/store/index.js';
import { Refusals } from '../../server/telemetry/audit.js';
import { Client, NoAnswer } from '../../testkit/http/client.js';
import { ownServers } from '../../testkit/service/own-servers.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import type { ServerProcess } from '../../testkit/service/server-process.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';

const servers = ownServers();

let postgres: PostgresDatabase;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

const KILLS = 2;
const PROJECT = '/projects/default';

interface TestedStore {
  readonly url: () => string;
  readonly run: (sql: string) => Promise<void>;
}

const STORES: Record<string, TestedStore> = {
  SQLite: {
    url: () => `file:${servers.file('roster.db')}`,
    run: async (sql) => {
      const database = new DatabaseSync(servers.file('roster.db'));
      database.exec(sql);
      database.close();
    },
  },
  PostgreSQL: {
    url: () => postgres.url,
    run: async (sql) => {
      const client = new pg.Client(postgres.url);
      await client.connect();
      await client.query(sql);
      await client.end();
    },
  },
};

describe.each(Object.entries(STORES))('on %s, the audit log', (_, { url, run }) => {
  const audit = (...args: string[]) => runRoster(['audit', ...args], { DATABASE_URL: url() });

  async function exportEvents(...args: string[]): Promise<AuditEvent[]> {
    const { code, stdout, stderr } = await audit('export', ...args);
    expect(code, stderr).toBe(0);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): AuditEvent => JSON.parse(line));
  }

  test('has one event for each acknowledged write of the instances, also when they are killed', async () => {
    const acknowledged = new Set<string>();
    const sent = new Set<string>();
    const client = new Client({ connections: 8 });
    const start = () => servers.start({ env: { DATABASE_URL: url() } });
    let instances: ServerProcess[] = [];
    const writers = Array.from(
      { length: 6 },
      (_one, number) =>
        new Writer(`w${number}`, async ({ method, path, body }: Write) => {
          const id = randomUUID();
          sent.add(id);
          const { url: origin } = instances[number % 2] ?? { url: '' };
          try {
            const answer = await client.send(method, origin + PROJECT + path, body, { 'X-Request-Id': id });
            if (answer.status === 503) return undefined;
            if (answer.status < 300) acknowledged.add(id);
            return answer;
          } catch (error) {
            if (error instanceof NoAnswer) return undefined;
            throw error;
          }
        }),
    );
    for (let kill = 1; kill <= KILLS; kill += 1) {
      // A file of SQLite has one service.
      const [one, other] = [start(), url().startsWith('file:') ? undefined : start()];
      instances = [await one, (await other) ?? (await one)];
      // A deletion without an answer may have happened: what is there now decides what can be written next.
      const contents = await readContents(`${instances[0]?.url}${PROJECT}`);
      expect(writers.flatMap((writer) => writer.compare(contents))).toEqual([]);
      const writing = writers.map((writer) => writer.write());
      await expect.poll(() => acknowledged.size).toBeGreaterThan(kill * 20);
      await pause(Math.random() * 50);
      await Promise.all(instances.map((instance) => instance.kill()));
      await Promise.all(writing);
    }
    expect(writers.flatMap(({ unexpected }) => unexpected)).toEqual([]);

    const { code, stdout, stderr } = await audit('verify');
    expect(code, stderr).toBe(0);
    const events = await exportEvents();
    const ids = events.map(({ request_id }) => `${request_id}`);
    expect(new Set(ids).size).toBe(ids.length);
    // A write without an answer may be there; nothing else is.
    expect([...acknowledged].filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.filter((id) => !sent.has(id))).toEqual([]);
    expect(events.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(
      events.map((_event, index) => index + 1),
    );
    const last = events.find(({ sequence }) => sequence === events.length);
    expect(JSON.parse(stdout)).toEqual({ owner: 'local', sequence: events.length, hash: last?.hash });

    const file = servers.file('events.ndjson');
    await writeFile(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    expect((await audit('verify', '--against', file)).code).toBe(0);
    // One event less at the end, with a head that fits: only who knew it can tell.
    const before = events.find(({ sequence }) => sequence === events.length - 1);
    await run(`delete from audit_events where sequence = ${events.length}`);
    const cut = await audit('verify');
    expect(cut).toMatchObject({ code: 1, stderr: expect.stringContaining('is missing') });
    await run(`update audit_chains set sequence = sequence - 1, hash = '${before?.hash}'`);
    expect((await audit('verify')).code).toBe(0);
    const gone = await audit('verify', '--against', file);
    expect(gone).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        `each chain is whole, but heads in .* are newer .*owner "local": ${events.length}, and the log ends with ${events.length - 1}.: if a backup was restored`,
      ),
    });

    const changed = events.find(({ sequence }) => sequence === 7);
    await run(`update audit_events set resource = resource || 'x' where sequence = 7`);
    const found = await audit('verify');
    expect(found.code).toBe(1);
    expect(found.stderr).toContain(`owner "local": event 7 of ${changed?.at} was changed`);
  });
});

test('has keys that commands made and revoked, and refusals, which fill nothing', async () => {
  const env = { DATABASE_URL: `file:${servers.file('roster.db')}` };
  const create = async (...args: string[]) =>
    (await runRoster(['keys', 'create', '--name', 'x', ...args], env)).stdout.trim();
  const idOf = (key: string) => `${key.split('_')[1]}`;
  const auditor = await create('--scope', 'operate');
  const reader = await create('--owner', 'shop', '--scope', 'read');
  const revoked = await create('--owner', 'shop');
  const server = await servers.start();
  const ask = async (key: string, path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${key}`, 'User-Agent': 'x'.repeat(5000) };
    return fetch(server.url + path, { ...init, headers });
  };
  const list = async (query: string): Promise<AuditEvent[]> =>
    JSON.parse(await (await ask(auditor, `/audit?${query}`)).text());
  expect((await ask(revoked, '/projects')).status).toBe(200);
  await runRoster(['keys', 'revoke', idOf(revoked)], env);

  // The same refusal again and again.
  await expect.poll(async () => (await ask(revoked, '/projects')).status).toBe(401);
  for (let number = 0; number < 20; number += 1) {
    expect((await ask(reader, '/audit?secret=1')).status).toBe(403);
  }
  const stranger = `roster_${'0'.repeat(16)}_${'0'.repeat(43)}`;
  const methods = ['GET', 'POST', 'PUT', 'DELETE'];
  const paths = ['/projects', '/projects/a/skills/b', '/projects/a/agents/b', '/v1/models'];
  for (const path of paths) {
    for (const method of methods) await ask(stranger, path, { method });
  }
  const kinds = async () => new Set((await list('result=refused&owner=shop')).map(({ operation }) => operation)).size;
  await expect.poll(kinds).toBe(2);
  await server.stop('SIGTERM');

  const { stdout } = await runRoster(['audit', 'export', '--owner', 'shop'], env);
  const events = stdout
    .trim()
    .split('\n')
    .map((line): AuditEvent => JSON.parse(line));
  const listed = events.map(({ operation, resource, key, problem, count }) => [
    ...[operation, resource, key, problem, count],
  ]);
  expect(listed.slice(0, 3)).toEqual([
    ['createKey', `/keys/${idOf(reader)}`, null, null, 1],
    ['createKey', `/keys/${idOf(revoked)}`, null, null, 1],
    ['deleteKey', `/keys/${idOf(revoked)}`, null, null, 1],
  ]);
  const unauthorized = ['listProjects', '/projects', idOf(revoked), '/problems/unauthorized', 1];
  const forbidden = ['listAudit', '/audit', idOf(reader), '/problems/missing-scope'];
  expect(listed).toContainEqual(unauthorized);
  expect(listed).toContainEqual([...forbidden, 1]);
  // The first at once, and the others counted until their minute is over, or the service stops.
  const counts = events.flatMap(({ operation, count }) => (operation === 'listAudit' ? count : []));
  expect(counts.length).toBeLessThan(20);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
  expect(stdout).not.toContain('secret=1');
  for (const key of [auditor, reader, revoked]) expect(stdout).not.toContain(key);
  expect(Math.max(...events.map(({ user_agent }) => user_agent?.length ?? 0))).toBe(200);
  const [first] = events;
  expect(first).toMatchObject({ address: null, subject: expect.any(String), owner: 'shop' });
  expect((await runRoster(['audit', 'verify'], env)).code).toBe(0);
});

test('distinguishes at most a hundred kinds of refusals in a minute', async () => {
  const store = await Store.open(`file:${servers.file('roster.db')}`);
  try {
    const log = pino({ level: 'silent' });
    const refusals = new Refusals(store, { recall: () => undefined }, log);
    const req = new IncomingMessage(new Socket());
    for (let number = 0; number < 500; number += 1) {
      const key = { id: `key${number % 250}`, name: 'x' };
      const caller = { id: key.id, owner: 'shop', scopes: [], key };
      refusals.note('/problems/missing-scope', req, { caller });
    }
    await refusals.stop();
    const events = await listEvents(store, {}, {});
    expect(events.filter(({ owner }) => owner === 'shop')).toHaveLength(200);
    expect(events.filter(({ owner }) => owner === null)).toMatchObject([{ operation: null, resource: '', count: 300 }]);
  } finally {
    await store.close();
  }
});

test('is exported to a reader that leaves early, without an error', async () => {
  const file = servers.file('roster.db');
  const store = await Store.open(`file:${file}`);
  // More than a pipe holds.
  for (let number = 0; number < 500; number += 1) {
    await store.transaction(async () => {}, { owner: 'shop', act: describeCommand('shop', 'createKey', '/keys/one') });
  }
  await store.close();
  const command = spawn(process.execPath, ['dist/server/commands/roster.js', 'audit', 'export'], {
    env: { ...process.env, DATABASE_URL: `file:${file}` },
  });
  const complaints = text(command.stderr);
  command.stdout.once('data', () => command.stdout.destroy());
  expect(await once(command, 'exit')).toEqual([128 + constants.signals.SIGPIPE, null]);
  expect(await complaints).toBe('');
});

test('deletes old events, and the rest of the chain holds', async () => {
  const store = await Store.open(`file:${servers.file('roster.db')}`);
  try {
    const act = describeCommand('shop', 'createKey', '/keys/old');
    for (let number = 0; number < 3; number += 1) {
      await store.transaction(async () => {}, { owner: 'shop', act: { ...act } });
    }
    const check = async () => {
      const chains = [];
      for await (const chain of checkChains(store)) chains.push(chain);
      return chains;
    };
    const [{ head } = { head: undefined }] = await check();
    const forget = (days: number) => forgetOld(store, EVENTS, days * DAY_MS, new ClockWatch()).step();
    expect(await forget(365)).toBe(false);
    expect(await check()).toMatchObject([{ head, events: 3 }]);
    // All events are from before tomorrow.
    expect(await forget(-1)).toBe(true);
    expect(await forget(-1)).toBe(false);
    expect(await check()).toEqual([{ head, events: 0 }]);
    await store.transaction(async () => {}, { owner: 'shop', act: { ...act } });
    expect(await forget(1)).toBe(false);
    expect(await check()).toMatchObject([{ head: { sequence: 4 }, events: 1 }]);
    expect(await listEvents(store, { key: 'nobody' }, {})).toEqual([]);
    expect(await listEvents(store, { resource: '/keys' }, {})).toHaveLength(1);
    expect(await listEvents(store, { resource: '/key' }, {})).toEqual([]);
    expect(await listEvents(store, { until: '2020-01-01T00:00:00Z' }, {})).toEqual([]);
  } finally {
    await store.close();
  }
});

test('an owner whose clock was wrong for an event keeps no other from being swept', async () => {
  const store = await Store.open(`file:${servers.file('roster.db')}`);
  try {
    const add = async (owner: string) => {
      const act = describeCommand(owner, 'createKey', '/keys/old');
      await store.transaction(async () => {}, { owner, act });
    };
    for (const owner of ['first', 'first', 'other', 'other']) await add(owner);
    const age = (owner: string, sequence: number, id: string) =>
      store.work
        .updateTable('audit_events')
        .set({ id: `${id}-0000-7000-8000-000000000000` })
        .where('owner', '=', owner)
        .where('sequence', '=', sequence)
        .execute();
    // The oldest event is not the first of its chain.
    await age('first', 2, '00000001');
    await age('other', 1, '00000002');
    const { step } = forgetOld(store, EVENTS, DAY_MS, new ClockWatch());
    while (await step());
    const left = await store.work
      .selectFrom('audit_events')
      .select(['owner', 'sequence'])
      .orderBy('owner')
      .orderBy('sequence')
      .execute();
    expect(left.map(({ owner, sequence }) => `${owner} ${sequence}`)).toEqual([...['first 1', 'first 2', 'other 2']]);
  } finally {
    await store.close();
  }
});

test('finds the events of an operation, a key or a resource without reading those of others', async () => {
  const store = await Store.open(`file:${servers.file('roster.db')}`);
  try {
    for (const operation of ['createKey', 'deleteKey', 'createKey', 'deleteKey', 'createKey']) {
      const act = describeCommand('shop', operation, '/keys/some');
      await store.transaction(async () => {}, { owner: 'shop', act });
    }
    const found = await listEvents(store, { operation: 'deleteKey' }, { limit: 1 });
    const rest = await listEvents(store, { operation: 'deleteKey' }, { after: found[0]?.id });
    expect([...found, ...rest].map(({ operation, sequence }) => [operation, sequence])).toEqual([
      ['deleteKey', 2],
      ['deleteKey', 4],
    ]);
  } finally {
    await store.close();
  }
  const database = new DatabaseSync(servers.file('roster.db'));
  const plan = (conditions: string) =>
    JSON.stringify(database.prepare(`explain query plan select * from audit_events where ${conditions}`).all());
  expect(plan("operation = 'deleteKey' and id > '' order by id")).toContain('audit_events_by_operation');
  expect(plan("key_id = 'seldom'")).toContain('audit_events_by_key');
  expect(plan("resource = '/a' or (resource >= '/a/' and resource < '/a0')")).toContain('audit_events_by_resource');
  expect(plan('problem is not null')).toContain('audit_events_refused');
  database.close();
});
