import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkedFetch } from '../../../contract-tests/checked-fetch.js';
import { calls, says } from '../../../testkit/chat/reply.js';
import { openScriptedChatServer } from '../../../testkit/chat/scripted-chat-server.js';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { forgetAll } from '../../../testkit/store/forget-all.js';
import { makeKey } from '../../../testkit/store/keys.js';
import { type PostgresDatabase, startPostgres } from '../../../testkit/store/postgres-database.js';
import type { Caller } from '../../auth/caller.js';
import { ProblemError } from '../../problems/problem.js';
import { DAY_MS } from '../../store/clock-watch.js';
import { Store } from '../../store/index.js';
import { USAGE } from '../../store/key-usage.js';
import { insertKey } from '../../store/keys.js';
import { RateLimits } from './rate-limits.js';

/** Begins what counts rows and tokens of a day anew where a day ended meanwhile. */
async function withinADay(count: () => Promise<void>): Promise<void> {
  const today = () => Math.floor(Date.now() / DAY_MS);
  for (;;) {
    const day = today();
    try {
      return await count();
    } catch (error) {
      if (day === today()) throw error;
    }
  }
}

/** A test of limits that begin anew at midnight. */
const testOfDay = (name: string, count: () => Promise<void>) => test(name, () => withinADay(count));

describe.each(['SQLite', 'PostgreSQL'])('a limit that instances share on %s', (kind) => {
  let postgres: PostgresDatabase | undefined;
  let store: Store;
  let keys = 0;
  beforeAll(async () => {
    postgres = kind === 'PostgreSQL' ? await startPostgres() : undefined;
    store = await Store.open(postgres?.url ?? ':memory:');
  });
  afterAll(async () => {
    await store.close();
    await postgres?.remove();
  });

  async function makeCaller(rows: number): Promise<Caller> {
    keys += 1;
    const id = `key-${keys}`;
    const fields = { name: id, owner: 'shop', scopes: [], expires_at: null };
    await insertKey(store, { ...fields, id, hash: '', limits: { rows } });
    return { id, owner: 'shop', scopes: [], key: { id, name: id }, limits: { rows } };
  }

  /** Returns whether so many rows were granted. */
  async function spend(instance: RateLimits, caller: Caller, rows: number): Promise<boolean> {
    try {
      await instance.spend(caller, 'rows', rows);
      return true;
    } catch (error) {
      if (error instanceof ProblemError && error.type === '/problems/too-many-requests') return false;
      throw error;
    }
  }

  testOfDay('is never exceeded, and all of it can be had, whatever they do and whenever they restart', async () => {
    const step = record({
      instance: constantFrom(0, 1, 2),
      rows: integer({ min: 1, max: 40 }),
      atOnce: integer({ min: 1, max: 4 }),
      restarts: constantFrom(true, false, false, false),
    });
    await assert(
      asyncProperty(integer({ min: 1, max: 300 }), array(step), async (max, steps) => {
        const caller = await makeCaller(max);
        const start = () => new RateLimits(0, store);
        const instances = [start(), start(), start()];
        let used = 0;
        for (const { instance, rows, atOnce, restarts } of steps) {
          const limits = instances[instance] ?? start();
          const tried = Array.from({ length: atOnce }, () => spend(limits, caller, rows));
          used += rows * (await Promise.all(tried)).filter(Boolean).length;
          expect(used).toBeLessThanOrEqual(max);
          if (!restarts) continue;
          await limits.stop();
          instances[instance] = start();
        }
        for (const limits of instances) await limits.stop();
        const alone = start();
        expect(await spend(alone, caller, max - used + 1)).toBe(false);
        if (used < max) expect(await spend(alone, caller, max - used)).toBe(true);
        expect(await spend(alone, caller, 1)).toBe(false);
        expect(await alone.list(caller)).toMatchObject([{ name: 'rows', limit: max, left: 0 }]);
      }),
      { numRuns: kind === 'SQLite' ? 60 : 15 },
    );
  });

  testOfDay('costs few writes, and none where nothing is left', async () => {
    const caller = await makeCaller(6000);
    const limits = new RateLimits(0, store);
    let waits = 0;
    for (let row = 0; row < 6000; row += 1) {
      const asked = limits.spend(caller, 'rows', 1);
      if (asked) waits += 1;
      await asked;
    }
    expect(waits).toBeLessThan(120);
    expect(await spend(limits, caller, 1)).toBe(false);
    const refused = Array.from({ length: 1000 }, () => spend(limits, caller, 1));
    expect(new Set(await Promise.all(refused))).toEqual(new Set([false]));
  });

  testOfDay('counts tokens of an identity together, and none beyond the largest limit', async () => {
    keys += 1;
    const identity = { subject: `user-${keys}`, until: 0, signedBy: '' };
    const [small, large] = [2, 40].map((rows): Caller => {
      const id = `oidc:${identity.subject}`;
      return { id, owner: 'shop', scopes: [], key: null, identity, limits: { rows } };
    });
    const limits = new RateLimits(0, store);
    let [used, refused] = [0, 0];
    const take = async (caller: Caller) => ((await spend(limits, caller, 1)) ? used++ : refused++);
    if (!small || !large) throw new Error('There are two.');
    for (let row = 0; row < 5; row += 1) await take(small);
    expect([used, refused]).toEqual([2, 3]);
    for (let row = 0; row < 60; row += 1) await take(row % 3 === 0 ? small : large);
    for (let row = 0; row < 40; row += 1) await take(large);
    expect(used).toBe(40);
  });

  testOfDay('is forgotten two days after its period, and not before', async () => {
    const [old, recent] = [await makeCaller(5), await makeCaller(5)];
    const instance = new RateLimits(0, store);
    for (const caller of [old, recent]) expect(await spend(instance, caller, 5)).toBe(true);
    await store.work
      .updateTable('key_usage')
      .set({ began: Date.now() - 2 * DAY_MS - 60_000 })
      .where('key_id', '=', old.key?.id ?? '')
      .execute();
    await forgetAll(store, USAGE, 2 * DAY_MS);
    const left = await store.reads.selectFrom('key_usage').select('key_id').execute();
    const ids = left.map(({ key_id }) => key_id);
    expect(ids).toContain(recent.key?.id);
    expect(ids).not.toContain(old.key?.id);
    expect(await spend(new RateLimits(0, store), recent, 1)).toBe(false);
  });

  testOfDay('counts what was had though it is more than was left, and then nothing more', async () => {
    const caller = await makeCaller(10);
    const limits = new RateLimits(0, store);
    await limits.settle(caller, 'rows', 25);
    expect(await spend(limits, caller, 0)).toBe(false);
    expect(await spend(new RateLimits(0, store), caller, 1)).toBe(false);
  });
});

describe('the limits of a key', () => {
  let folder: string;
  let databaseUrl: string;
  let chat: Awaited<ReturnType<typeof openScriptedChatServer>>;
  let servers: ServerProcess[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-key-limits-'));
    databaseUrl = `file:${join(folder, 'roster.db')}`;
    chat = await openScriptedChatServer([says('Yes.')]);
    const env = { CHAT_URL: chat.url, CHAT_MODEL: 'llama3.2' };
    const start = () => startServer({ databaseFile: join(folder, 'roster.db'), env });
    servers = [await start(), await start()];
    const own = await makeKey(databaseUrl, { name: 'own' });
    const table = Array.from({ length: 60 }, (_, row) => ({ x: row, y: row * 2 }));
    await send(own, 'PUT', '/api/projects/default/models/m?target=y', table);
    await vi.waitUntil(async () => (await send(own, 'POST', PREDICT, [{ x: 1 }])).status === 200, {
      timeout: 30_000,
      interval: 100,
    });
    const params = { model: 'm' };
    await send(own, 'POST', '/projects/default/skills', { skill: { name: 'prices', type: 'model', params } });
    await send(own, 'POST', '/projects/default/agents', { agent: { name: 'analyst', skills: ['prices'] } });
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await chat.close();
    await rm(folder, { recursive: true });
  });

  const PREDICT = '/api/projects/default/models/m/predict';
  const rows = (count: number) => Array.from({ length: count }, (_, x) => ({ x }));

  /** Sends a request to one of the two instances, and checks the response against the contract. */
  function send(
    key: string,
    method: string,
    path: string,
    body?: unknown,
    { instance = 0, type = 'application/json', headers = {} } = {},
  ): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return checkedFetch(
      new Request(`${servers[instance]?.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': type, ...headers },
        ...(body !== undefined && { body: text }),
      }),
    );
  }

  async function expectRefusal(answer: Response, words: string): Promise<void> {
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({
      type: '/problems/too-many-requests',
      detail: expect.stringContaining(words),
    });
  }

  test('of requests are counted over all instances, and leave the other keys of the owner alone', async () => {
    const key = await makeKey(databaseUrl, { name: 'few', limits: { requests: 4 } });
    const other = await makeKey(databaseUrl, { name: 'other' });
    let granted = 0;
    let refused: Response | undefined;
    // Should a minute end meanwhile, the next one has as many.
    for (let time = 0; refused === undefined && time < 12; time += 1) {
      const answer = await send(key, 'GET', '/projects', undefined, { instance: time % 2 });
      expect(answer.headers.get('RateLimit-Policy')).toMatch(/^"key"; q=6000; w=60; pk=:.*:, "requests"; q=4; w=60$/);
      if (answer.status === 200) {
        granted += 1;
        expect(answer.headers.get('RateLimit')).toMatch(/, "requests"; r=[0-3]; t=\d+$/);
      } else refused = answer;
    }
    expect(granted).toBeGreaterThanOrEqual(4);
    expect(granted).toBeLessThanOrEqual(8);
    await expectRefusal(refused ?? Response.error(), 'its limit of requests');
    expect((await send(other, 'GET', '/projects')).status).toBe(200);
  });

  test('and the queues of the instance are in its metrics, under names that are few', async () => {
    const key = await makeKey(databaseUrl, { name: 'prometheus', scopes: ['operate'] });
    const text = await (await send(key, 'GET', '/metrics')).text();
    const names = [...text.matchAll(/^roster_queue_waiting\{queue="(\w+)"\} 0$/gm)];
    expect(names.map(([, name]) => name)).toEqual([
      ...['predictions', 'tables', 'requests', 'oauth', 'rows', 'columns', 'answers', 'writes'],
    ]);
    expect(text).toContain('\nroster_queue_running{queue="requests"} 1\n');
  });

  testOfDay('of rows hold for bodies, streams and tools, and the caller is told what is left', async () => {
    const key = await makeKey(databaseUrl, { name: 'rows', limits: { rows: 100 } });
    expect((await send(key, 'POST', PREDICT, rows(60))).status).toBe(200);
    await expectRefusal(await send(key, 'POST', PREDICT, rows(60)), 'limit of rows, and has 40');
    const csv = `x\n${rows(60)
      .map(({ x }) => x)
      .join('\n')}\n`;
    const asCsv = await send(key, 'POST', PREDICT, csv, { type: 'text/csv' });
    await expectRefusal(asCsv, 'limit of rows');
    const me = await (await send(key, 'GET', '/me')).json();
    expect(me).toMatchObject({
      limits: { rate_limit: 6000, quotas: [{ name: 'rows', limit: 100, seconds: 86_400, left: 40 }] },
    });
    const lines = rows(5000)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('');
    const streamed = await send(key, 'POST', PREDICT, lines, { type: 'application/x-ndjson' });
    const answered = (await streamed.text()).trimEnd().split('\n');
    expect(answered.length).toBeLessThanOrEqual(41);
    expect(answered.at(-1)).toContain('its limit of rows');
    expect((await send(key, 'POST', PREDICT, rows(40))).status).toBe(200);
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'predict_m', arguments: { x: 1 } } };
    const called = await send(key, 'POST', '/mcp', message, {
      headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
    });
    expect(await called.json()).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('its limit of rows') }] },
    });
    await expectRefusal(await send(key, 'POST', PREDICT, rows(1)), 'and has 0 left');
  });

  testOfDay('of tokens end an answer before the chat server is asked again', async () => {
    const key = await makeKey(databaseUrl, { name: 'tokens', limits: { tokens: 20 } });
    const ask = (path = 'completions') =>
      send(key, 'POST', `/projects/default/agents/analyst/${path}`, {
        messages: [{ question: 'Is it?', answer: null }],
      });
    chat.play([says('Yes.')]);
    expect((await ask()).status).toBe(200);
    // Five tokens are left: the first request to the chat server takes more.
    chat.play([calls({ name: 'prices', arguments: { x: 1 } }), says('Never asked for.')]);
    const events = await (await ask('completions/stream')).text();
    expect(chat.requests.length).toBe(2);
    expect(events).toContain('its limit of tokens');
    expect(events).toContain('"error_type":"rate_limit"');
    await expectRefusal(await ask(), 'its limit of tokens');
    expect(chat.requests.length).toBe(2);
    expect((await send(key, 'GET', '/projects')).status).toBe(200);
  });
});
