import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkedFetch } from '../../../contract-tests/checked-fetch.js';
import { calls, chunk, says, stream } from '../../../testkit/chat/reply.js';
import { openScriptedChatServer } from '../../../testkit/chat/scripted-chat-server.js';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { makeKey } from '../../../testkit/store/keys.js';
import { testOfDay } from '../../../testkit/test-of-day.js';

describe('the limits of a key', () => {
  let folder: string;
  let databaseUrl: string;
  let chat: Awaited<ReturnType<typeof openScriptedChatServer>>;
  let server: ServerProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-key-limits-'));
    databaseUrl = `file:${join(folder, 'roster.db')}`;
    chat = await openScriptedChatServer([says('Yes.')]);
    const env = { CHAT_URL: chat.url, CHAT_MODEL: 'llama3.2' };
    server = await startServer({ databaseFile: join(folder, 'roster.db'), env });
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
    await server.kill();
    await chat.close();
    await rm(folder, { recursive: true });
  });

  const PREDICT = '/api/projects/default/models/m/predict';
  const rows = (count: number) => Array.from({ length: count }, (_, x) => ({ x }));

  /** Sends a request, and checks the response against the contract. */
  function send(
    key: string,
    method: string,
    path: string,
    body?: unknown,
    { type = 'application/json', headers = {} } = {},
  ): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return checkedFetch(
      new Request(`${server.url}${path}`, {
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

  test('of requests leave the other keys of the owner alone', async () => {
    const key = await makeKey(databaseUrl, { name: 'few', limits: { requests: 4 } });
    const other = await makeKey(databaseUrl, { name: 'other' });
    let granted = 0;
    let refused: Response | undefined;
    // Should a minute end meanwhile, the next one has as many.
    for (let time = 0; refused === undefined && time < 12; time += 1) {
      const answer = await send(key, 'GET', '/projects');
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

  testOfDay('of rows hold for bodies, streams and tools, and the caller sees the rest', async () => {
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

  testOfDay('of tokens count an answer that is left before its end', async () => {
    const key = await makeKey(databaseUrl, { name: 'leaver', limits: { tokens: 20 } });
    chat.play([{ ...stream(chunk({ content: 'Yes.' })), end: 'silence' }]);
    const gone = new AbortController();
    const left = fetch(`${server.url}/projects/default/agents/analyst/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ messages: [{ question: 'Is it?', answer: null }] }),
      signal: gone.signal,
    });
    await expect.poll(() => chat.sent()).toHaveLength(1);
    gone.abort();
    await expect(left).rejects.toThrow();
    const me = async () => (await send(key, 'GET', '/me')).json();
    await expect.poll(me).toMatchObject({ limits: { quotas: [{ left: 0 }] } });
  });
});
