/** Tests which process answers forecasts, and how rows count in the limit of a key, with and without worker processes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncProperty, constantFrom, array as listOf, assert as property, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calls, says } from '../../testkit/chat/reply.js';
import { openScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { toColumns, writeFile } from '../../testkit/data/table-files.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { checkedFetch } from '../checked-fetch.js';

const MODELS = '/api/projects/default/models';
const HORIZON = 6;
const STORES = ['A', 'B', 'C'];
const ARROW = 'application/vnd.apache.arrow.stream';
const LINES = 'application/x-ndjson';
const CSV = 'text/csv';
const JSON_TYPE = 'application/json';

/** A table of sales of some stores. */
function salesOf(stores: readonly string[], months = 40): string {
  const rows = stores.flatMap((store, place) =>
    Array.from({ length: months }, (_, month) => {
      const sales = 100 * place + month + ((month * 7919 + place * 104729) % 13);
      return `${2015 + Math.floor(month / 12)}-${String(1 + (month % 12)).padStart(2, '0')},${store},${sales}\n`;
    }),
  );
  return `month,store,sales\n${rows.join('')}`;
}

describe.each([1, 0])('forecasts of a service with %i worker processes', (workers) => {
  let folder: string;
  let databaseUrl: string;
  let server: ServerProcess;
  let own: string;
  let chat: Awaited<ReturnType<typeof openScriptedChatServer>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-forecast-work-'));
    const databaseFile = join(folder, 'roster.db');
    databaseUrl = `file:${databaseFile}`;
    chat = await openScriptedChatServer([says('Yes.')]);
    const env = { PREDICTION_WORKERS: String(workers), CHAT_URL: chat.url, CHAT_MODEL: 'llama3.2', RATE_LIMIT: '0' };
    server = await startServer({ databaseFile, env });
    own = await makeKey(databaseUrl, { name: 'own' });
    const goal = `target=sales&order_by=month&group_by=store&horizon=${HORIZON}`;
    const many = Array.from({ length: 240 }, (_, store) => `store ${store}`);
    const tables = { sales: salesOf(STORES), many: salesOf(many, 15) };
    for (const [name, table] of Object.entries(tables)) {
      await send(own, 'PUT', `${MODELS}/${name}?${goal}`, table, { type: CSV });
    }
    const line = Array.from({ length: 60 }, (_, x) => `${x},${2 * x}\n`).join('');
    await send(own, 'PUT', `${MODELS}/line?target=y`, `x,y\n${line}`, { type: CSV });
    for (const name of ['sales', 'many', 'line']) {
      await untilReadyAt(`${server.url}${MODELS}/${name}`, { Authorization: `Bearer ${own}` });
    }
    const skill = { name: 'sales', type: 'model', params: { model: 'sales' } };
    await send(own, 'POST', '/projects/default/skills', { skill });
    const agent = { name: 'analyst', skills: ['sales'] };
    await send(own, 'POST', '/projects/default/agents', { agent });
  }, 120_000);
  afterAll(async () => {
    await server.kill();
    await chat.close();
    await rm(folder, { recursive: true });
  });

  interface Sending {
    readonly type?: string;
    readonly accept?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }

  /** Sends a request, and checks the response against the contract. */
  function send(
    key: string,
    method: string,
    path: string,
    body?: unknown,
    { type = JSON_TYPE, accept, headers = {} }: Sending = {},
  ): Promise<Response> {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return checkedFetch(
      new Request(`${server.url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': type,
          ...(accept !== undefined && { Accept: accept }),
          ...headers,
        },
        ...(body !== undefined && { body: Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : bytes }),
      }),
    );
  }

  const limited = (rows: number) => makeKey(databaseUrl, { name: 'limited', limits: { rows } });

  const predict = (key: string, body: unknown, sending: Sending = {}, query = '') =>
    send(key, 'POST', `${MODELS}/sales/predict${query}`, body, sending);

  async function expectLeft(key: string, left: number): Promise<void> {
    const me = await (await send(key, 'GET', '/me')).json();
    expect(me).toMatchObject({ limits: { quotas: [{ name: 'rows', left }] } });
  }

  async function expectRefusal(answer: Response): Promise<void> {
    expect(answer.status).toBe(429);
    expect(await answer.json()).toMatchObject({ type: '/problems/too-many-requests' });
  }

  const columns = toColumns(STORES.map((store) => ({ store })));
  const long = `${JSON.stringify(STORES.map((store) => ({ store })))}${' '.repeat(40_000)}`;

  test.each<[string, string | Buffer, Sending]>([
    ['JSON', '[]', {}],
    ['JSON that names series', writeFile('json', columns), {}],
    ['JSON of many bytes', long, {}],
    ['JSON to NDJSON', '[]', { accept: LINES }],
    ['NDJSON', writeFile('ndjson', columns), { type: LINES, accept: LINES }],
    ['NDJSON without a row', '', { type: LINES, accept: CSV }],
    ['CSV', writeFile('csv', columns), { type: CSV, accept: CSV }],
    ['Arrow', writeFile('arrow-stream', columns), { type: ARROW, accept: ARROW }],
  ])('count each step of each series in %s, or nothing where they are refused', async (_, body, sending) => {
    const key = await limited(2 * STORES.length * HORIZON - 1);
    const answer = await predict(key, body, sending);
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    const left = STORES.length * HORIZON - 1;
    await expectLeft(key, left);
    await expectRefusal(await predict(key, body, sending));
    await expectLeft(key, left);
    expect((await predict(key, [{ store: 'A' }], {}, '?steps=2')).status).toBe(200);
    await expectLeft(key, left - 2);
  });

  test('count each step that a tool forecasts', async () => {
    const key = await limited(9);
    const call = async (steps: number, store = 'A'): Promise<unknown> => {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'predict_sales', arguments: { series: { store }, steps } },
      };
      const accept = `${JSON_TYPE}, text/event-stream`;
      const headers = { 'MCP-Protocol-Version': '2025-11-25' };
      return (await send(key, 'POST', '/mcp', message, { accept, headers })).json();
    };
    expect(await call(4)).toMatchObject({ result: { structuredContent: { target: 'sales' } } });
    await expectLeft(key, 5);
    const text = expect.stringContaining('its limit of rows, and has 5 left');
    expect(await call(6)).toMatchObject({ result: { isError: true, content: [{ text }] } });
    // A call that cannot be answered counts nothing.
    expect(await call(5, 'nowhere')).toMatchObject({ result: { isError: true } });
    await expectLeft(key, 5);
    chat.play([calls({ name: 'sales', arguments: { series: { store: 'B' }, steps: 3 } }), says('More.')]);
    const question = { messages: [{ question: 'How much?', answer: null }] };
    const asked = await send(key, 'POST', '/projects/default/agents/analyst/completions', question);
    expect(asked.status).toBe(200);
    await expectLeft(key, 2);
  });

  test.each<[string, string, unknown, string]>([
    ['options that the model does not have', 'line', [{ x: 1 }], '?steps=2'],
    ['probabilities of numbers', 'line', [{ x: 1 }], '?probabilities=true'],
    ['names that are to be refused', 'line', [{ z: 1 }], '?unknown=refuse'],
    ['ids that no row has', 'line', [{ x: 1 }], '?remember=true&id=order'],
    ['a series that the model does not know', 'sales', [{ store: 'nowhere' }], ''],
    ['more steps than the horizon', 'sales', [], '?steps=7'],
    ['the series of many bytes', 'sales', `[{"store":"nowhere"}]${' '.repeat(40_000)}`, ''],
  ])('that are rejected for %s count nothing', async (_, model, rows, query) => {
    const key = await limited(100);
    expect((await send(key, 'POST', `${MODELS}/line/predict`, [{ x: 1 }])).status).toBe(200);
    const answer = await send(key, 'POST', `${MODELS}/${model}/predict${query}`, rows);
    expect([400, 422]).toContain(answer.status);
    await expectLeft(key, 99);
  });

  test('of a few bytes that take much work do not delay other requests', async () => {
    const ended: string[] = [];
    const big = send(own, 'POST', `${MODELS}/many/predict`, [])
      .then((answer) => answer.arrayBuffer())
      .then(() => ended.push('many'));
    const small = predict(own, [{ store: 'A' }], {}, '?steps=1')
      .then((answer) => answer.arrayBuffer())
      .then(() => ended.push('few'));
    await Promise.all([big, small]);
    expect(ended).toEqual(['few', 'many']);
  });

  /** The size from which the bytes of JSON decide, whatever they ask for. */
  const padding = ' '.repeat(40_000);

  test('are the same to the byte, with the same headers, in any process', async () => {
    const row = constantFrom<Record<string, string | number>>(
      { store: 'A' },
      { store: 'B' },
      { store: 'A', month: '2018-05' },
      { store: 'C', month: '2018-05', sales: 420 },
      { store: 'D', month: '2018-05', sales: 42 },
      { store: 'D', month: '2018-06', sales: 43 },
      { store: 'D', month: '2018-07', sales: 40 },
      { store: 'C', month: '2018-08', note: 'é' },
      { store: 'nowhere' },
      { month: '2018-05' },
    );
    const asked = record({
      rows: listOf(row, { maxLength: 5 }),
      query: constantFrom('', '?steps=2', '?backtest=3', '?rows=lean', '?confidence=0.5', '?unknown=refuse'),
      inData: constantFrom(true, false),
    });
    const answerTo = async (text: string, query: string) => {
      const { status, headers, ...answer } = await whole(predict(own, text, {}, query));
      return { status, headers, body: answer.body };
    };
    await property(
      asyncProperty(asked, async ({ rows, query, inData }) => {
        const text = JSON.stringify(inData ? { data: rows } : rows);
        expect(await answerTo(text + padding, query)).toEqual(await answerTo(text, query));
      }),
      { numRuns: 40 },
    );
  });

  async function whole(sent: Promise<Response>) {
    const answer = await sent;
    const names = ['content-type', 'row-warnings', 'model-calibration'];
    const headers = names.map((name) => answer.headers.get(name));
    const text = await answer.text();
    // Each problem names its request.
    const body = text.replace(/"request_id":"[^"]*"/, '');
    return { status: answer.status, headers, body };
  }
});
