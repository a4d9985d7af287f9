import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { kinds } from '../../../contract-tests/behaviour/resources/resource-kinds.js';
import { checkedFetch } from '../../../contract-tests/checked-fetch.js';
import { listen } from '../../../testkit/http/listen.js';
import { OpenStream } from '../../../testkit/http/open-stream.js';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { stopClock } from '../../../testkit/stopped-clock.js';
import { makeKey } from '../../../testkit/store/keys.js';
import { ProblemError } from '../../problems/problem.js';
import { bufferBody } from '../body/read-body.js';
import { type Capacity, limitRequests, limitStreams } from './index.js';
import { BodyMemory } from './memory.js';

let folder: string;
let server: ServerProcess | undefined;
const closing: (() => unknown)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-limits-'));
});
afterEach(async () => {
  await server?.kill();
  server = undefined;
  for (const close of closing.splice(0)) close();
  await rm(folder, { recursive: true });
});

async function start(env: NodeJS.ProcessEnv): Promise<string> {
  server = await startServer({ databaseFile: join(folder, 'roster.db'), env });
  return server.url;
}

/** Fetches, and checks the response against the contract. */
function checked(url: string, init: RequestInit = {}): Promise<Response> {
  return checkedFetch(new Request(url, init));
}

function post(url: string, body: unknown): Promise<Response> {
  return checked(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/** The service with a model, which several tests share. */
let withModel: ServerProcess | undefined;
afterAll(() => withModel?.kill());

/** Returns the address that predicts, at which no other test has a place any more. */
async function predictAddress(): Promise<string> {
  withModel ??= await startWithModel();
  const predict = `${withModel.url}/api/projects/default/models/m/predict`;
  await expect.poll(async () => (await post(predict, [{}])).status, { timeout: 30_000 }).toBe(200);
  return predict;
}

/** Stops the clock by which a place is kept for a body that arrives: it is kept, however slow the machine. */
const STOPPED_CLOCK = '--import=data:text/javascript,performance.now=()=>0';

async function startWithModel(): Promise<ServerProcess> {
  const started = await startServer({ env: { NODE_OPTIONS: STOPPED_CLOCK } });
  const table = Array.from({ length: 60 }, (_, row) => ({ x: row, y: row * 2 }));
  const body = JSON.stringify(table);
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${started.url}/api/projects/default/models/m?target=y`, { method: 'PUT', headers, body });
  return started;
}

describe('a limit of requests', () => {
  const database = () => `file:${join(folder, 'roster.db')}`;

  test('applies to each key separately, is reported in every response, and exempts health checks and the local caller', async () => {
    const url = await start({ RATE_LIMIT: '5' });
    for (let time = 0; time < 6; time += 1) {
      const answer = await checked(`${url}/projects`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('RateLimit')).toBeNull();
    }
    const [busy, other] = [await makeKey(database(), { name: 'busy' }), await makeKey(database(), { name: 'other' })];
    const get = (key: string) => checked(`${url}/projects`, { headers: { Authorization: `Bearer ${key}` } });
    for (let left = 4; left >= 0; left -= 1) {
      const answer = await get(busy);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('RateLimit')).toContain(`"key"; r=${left}; t=`);
      expect(answer.headers.get('RateLimit-Policy')).toContain('"key"; q=5; w=60');
    }
    const refused = await get(busy);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ type: '/problems/too-many-requests' });
    const wait = Number(refused.headers.get('Retry-After'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect((await get(other)).status).toBe(200);
    expect((await checked(`${url}/health/ready`)).status).toBe(200);
  });

  test('does not apply to a key where it is 0, and the headers say so', async () => {
    const key = await makeKey(database(), { name: 'unlimited' });
    const url = await start({ RATE_LIMIT: '0' });
    const answer = await checked(`${url}/me`, { headers: { Authorization: `Bearer ${key}` } });
    expect(answer.headers.get('RateLimit')).toBeNull();
    expect(await answer.json()).toMatchObject({ key: { name: 'unlimited' }, limits: { rate_limit: null } });
  });
});

describe('a project at its limit', () => {
  let holder: ServerProcess;
  beforeAll(async () => {
    holder = await startServer({ env: { MAX_RESOURCES: '2' } });
  });
  afterAll(() => holder.kill());

  test.each(kinds)('takes no other $kind until one is deleted', async ({ kind, list, required }) => {
    const at = `${holder.url}/projects/default/${list}`;
    const create = (name: string) => post(at, { [kind]: { ...required, name } });
    expect((await create('a')).status).toBe(201);
    expect((await create('b')).status).toBe(201);
    const refused = await create('c');
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      type: '/problems/limit-reached',
      detail: expect.stringContaining(`2 ${list}`),
    });
    expect(await (await checked(at)).json()).toHaveLength(2);
    await checked(`${at}/a`, { method: 'DELETE' });
    expect((await create('c')).status).toBe(201);
  });

  test('takes no other chatbot or model by PUT either, and its owner no other project', async () => {
    const table = Array.from({ length: 60 }, (_, row) => ({ x: row, y: row * 2 }));
    const createProject = (name: string) => post(`${holder.url}/projects`, { project: { name } });
    const put = async (path: string, body: unknown) => {
      const answer = await checked(holder.url + path, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      return answer.status;
    };
    expect((await createProject('second')).status).toBe(201);
    for (const [name, created] of [
      ['a', 201],
      ['b', 201],
      ['c', 409],
    ] as const) {
      expect(await put(`/projects/second/chatbots/${name}`, { chatbot: {} })).toBe(created);
    }
    for (const [name, begun] of [
      ['a', 202],
      ['b', 202],
      ['c', 409],
    ] as const) {
      expect(await put(`/api/projects/second/models/${name}?target=y`, table)).toBe(begun);
    }
    const refused = await createProject('third');
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ type: '/problems/limit-reached' });
  });
});

const unthrottled = () => {};

const LOCAL = { id: null, owner: 'local', scopes: [], key: null };

/** Returns the two steps of a gate as middleware. */
function limit(capacity: Omit<Capacity, 'what'>): Record<'reserve' | 'run', RequestHandler> {
  const { admit, enter } = limitRequests({ what: 'requests', ...capacity }, unthrottled);
  return {
    reserve: (req, res, next) => {
      admit(req, res, res.locals.caller ?? LOCAL);
      next();
    },
    run: async (req, res, next) => {
      await enter?.(req, res, res.locals.caller ?? LOCAL);
      next();
    },
  };
}

function limitTo(slots: number): RequestHandler {
  const { admit } = limitStreams('streams', slots, unthrottled);
  return (req, res, next) => {
    admit(req, res, res.locals.caller ?? LOCAL);
    next();
  };
}

/** Reads bodies of any media type into memory, up to `max` bytes in total. */
function buffered(max: number): RequestHandler {
  const read = bufferBody(1_000_000, { budget: new BodyMemory(max) });
  return async (req, res, next) => {
    req.headers['content-type'] = 'application/json';
    await read(req, res);
    next();
  };
}

/** Runs middleware before a handler, in its own server. */
async function serve(handler: RequestHandler, ...middleware: RequestHandler[]): Promise<string> {
  const app = express();
  const answerProblem: ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(error instanceof ProblemError ? 503 : 500).end();
  };
  app.use(...middleware, handler, answerProblem);
  return listen(app);
}

describe('a limit of concurrent requests', () => {
  beforeEach(stopClock);

  test('lets some requests run, lets others wait, and refuses the rest', async () => {
    const working: (() => void)[] = [];
    const url = await serve((_req, res) => working.push(() => res.end()), limit({ atOnce: 2, waiting: 3 }).run);
    const refused: number[] = [];
    const answers = Array.from({ length: 10 }, async () => {
      const { status } = await fetch(url);
      if (status === 503) refused.push(status);
      return status;
    });
    await expect.poll(() => [working.length, refused.length]).toEqual([2, 5]);
    // Each one that ends lets a waiting one run.
    for (let ended = 0; ended < 5; ended += 1) {
      await expect.poll(() => working.length).toBeGreaterThan(ended);
      working[ended]?.();
    }
    const statuses = (await Promise.all(answers)).toSorted();
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(5).fill(503)]);
    expect(working).toHaveLength(5);
  });

  test('gives the place of a caller who disconnects to the next', async () => {
    const working: (() => void)[] = [];
    const url = await serve((_req, res) => working.push(() => res.end()), limit({ atOnce: 1, waiting: 2 }).run);
    const leaving = new AbortController();
    const left = [0, 1].map(() => fetch(url, { signal: leaving.signal }).catch(() => 'left'));
    await expect.poll(() => working.length).toBe(1);
    leaving.abort();
    expect(await Promise.all(left)).toEqual(['left', 'left']);
    const answer = fetch(url);
    await expect.poll(() => working.length).toBe(2);
    working[1]?.();
    expect((await answer).status).toBe(200);
  });
});

describe('a limit that several owners share', () => {
  beforeEach(stopClock);

  test('is not exhausted by one of them', async () => {
    const working: (() => void)[] = [];
    const caller: RequestHandler = (req, res, next) => {
      const owner = req.get('owner') ?? '';
      res.locals.caller = { id: owner, owner, scopes: ['read'], key: { id: owner, name: owner } };
      next();
    };
    const { reserve, run } = limit({ atOnce: 2, waiting: 4 });
    const url = await serve((_req, res) => working.push(() => res.end()), caller, reserve, run);
    const get = async (owner: string) => (await fetch(url, { headers: { owner } })).status;
    const greedy = Array.from({ length: 5 }, () => get('greedy'));
    const refused: number[] = [];
    for (const answer of greedy) answer.then((status) => status === 503 && refused.push(status));
    await expect.poll(() => [working.length, refused.length]).toEqual([2, 2]);
    const modest = get('modest');
    for (let ended = 0; ended < 4; ended += 1) {
      await expect.poll(() => working.length).toBeGreaterThan(ended);
      working[ended]?.();
    }
    expect(await modest).toBe(200);
    expect((await Promise.all(greedy)).toSorted()).toEqual([200, 200, 200, 503, 503]);
  });
});

describe('the limit of streams', () => {
  const asOwner: RequestHandler = (req, res, next) => {
    const owner = req.get('owner');
    res.locals.caller = {
      id: owner ?? null,
      owner: owner ?? 'local',
      scopes: ['predict'],
      key: owner ? { id: owner, name: owner } : null,
    };
    next();
  };
  /** Begins a stream; returns its status and a function to leave it. */
  async function begin(url: string, headers: Record<string, string> = {}) {
    const leaving = new AbortController();
    const { status } = await fetch(url, { headers, signal: leaving.signal });
    closing.push(() => leaving.abort());
    return { status, leave: () => leaving.abort() };
  }
  const stream: RequestHandler = (_req, res) => {
    res.flushHeaders();
  };

  test('counts a stream until it ends, and lets nobody wait', async () => {
    const url = await serve(stream, asOwner, limitTo(2));
    const [first] = [await begin(url), await begin(url)];
    expect(first.status).toBe(200);
    expect((await begin(url)).status).toBe(503);
    first.leave();
    await expect.poll(async () => (await begin(url)).status).toBe(200);
    expect((await begin(url)).status).toBe(503);
  });

  test('gives at most half to one owner, and the rest to others', async () => {
    const url = await serve(stream, asOwner, limitTo(4));
    const statuses = [];
    for (const owner of ['greedy', 'greedy', 'greedy', 'modest']) {
      statuses.push((await begin(url, { owner })).status);
    }
    expect(statuses).toEqual([200, 200, 503, 200]);
  });

  test('is lower for Arrow and Parquet, of which more is held', async () => {
    const predict = await predictAddress();
    const types = ['arrow.stream', 'arrow.file', 'parquet', 'parquet'];
    const begun = types.map((type) => {
      const headers = { 'Content-Type': `application/vnd.apache.${type}` };
      const sent = request(predict, { method: 'POST', agent: false, headers });
      sent.on('error', () => {});
      closing.push(() => sent.destroy());
      sent.flushHeaders();
      return sent;
    });
    // The others wait for their bodies.
    const [refused] = await Promise.race(begun.map((sent) => once(sent, 'response')));
    expect(refused.statusCode).toBe(503);
    const statusOf = async (type: string) => {
      const headers = { 'Content-Type': type };
      return (await checked(predict, { method: 'POST', headers, body: '{}\n' })).status;
    };
    const fourth = () => statusOf('application/vnd.apache.arrow.file');
    expect(await fourth()).toBe(503);
    expect(await statusOf('application/x-ndjson')).toBe(200);
    for (const sent of begun) sent.destroy();
    await expect.poll(fourth).toBe(400);
  });

  test('is independent of the limit of predictions', async () => {
    const predict = await predictAddress();
    const streams = Array.from({ length: 8 }, () => new OpenStream(predict, ''));
    closing.push(() => streams.map((stream) => stream.break()));
    for (const stream of streams) {
      stream.write('{"x":1}\n{"x');
      expect(await stream.next()).toMatchObject({ x: 1 });
    }
    const ninth = async () =>
      checked(predict, { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body: '{}\n' });
    const refused = await ninth();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await post(predict, [{}])).status).toBe(200);
    // Also if the stream breaks off.
    expect(await streams[0]?.end()).toHaveLength(1);
    await expect.poll(async () => (await ninth()).status).toBe(200);
    for (const stream of streams) stream.break();
    const again = Array.from({ length: 8 }, () => new OpenStream(predict, ''));
    closing.push(() => again.map((stream) => stream.break()));
    for (const stream of again) expect((await stream.answer).statusCode).toBe(200);
  });
});

describe('the limit of predictions', () => {
  test('refuses each that comes while all places are taken, under its own id', async () => {
    const predict = await predictAddress();
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '100' };
    // One could run and 35 wait: they keep their places until their bodies have arrived. The other may take one.
    for (let place = 0; place < 37; place += 1) {
      const sent = request(predict, { method: 'POST', agent: false, headers });
      sent.on('error', () => {});
      closing.push(() => sent.destroy());
      sent.flushHeaders();
    }
    const statusOfOther = async () => (await fetch(predict, { method: 'POST', body: '[]' })).status;
    await expect.poll(statusOfOther).toBe(503);
    const ids = new Set<string | null>();
    for (let time = 0; time < 2; time += 1) {
      const refused = await post(predict, [{}]);
      const id = refused.headers.get('X-Request-Id');
      expect(await refused.json()).toMatchObject({ type: '/problems/service-unavailable', request_id: id });
      ids.add(id);
    }
    expect(ids.size).toBe(2);
  });
});

describe('a limit of body memory', () => {
  const echo: RequestHandler = (req, res) => res.end(String(Object(req.body).length));

  test('counts arrived bytes, and frees them with the response', async () => {
    const url = await serve(echo, buffered(1000));
    const send = (length: number) => fetch(url, { method: 'POST', body: 'x'.repeat(length) });
    for (let time = 0; time < 5; time += 1) {
      const answer = await send(900);
      expect(await answer.text()).toBe('900');
    }
    expect((await send(1001)).status).toBe(503);
    expect((await send(900)).status).toBe(200);
  });

  test('does not count declared bytes that never arrive', async () => {
    const url = await serve(echo, buffered(1000));
    const { port } = new URL(url);
    const slow = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nx');
      closing.push(() => socket.destroy());
      return once(socket, 'connect');
    });
    await Promise.all(slow);
    const answer = await fetch(url, { method: 'POST', body: 'x'.repeat(900) });
    expect(await answer.text()).toBe('900');
  });
});
