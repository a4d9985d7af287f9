/** Callers with ordinary keys who try to block the service for others. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get, IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readContract } from '../../../contract/document.js';
import { listen } from '../../../testkit/http/listen.js';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { stopClock } from '../../../testkit/stopped-clock.js';
import { makeKey } from '../../../testkit/store/keys.js';
import type { FairGate } from '../../common/fair-gate.js';
import { Exchange, serveInOrder } from '../../edge/exchange.js';
import { RefusalSchedule, throttleConnections } from '../../edge/refusals.js';
import { BodyMeter } from '../../edge/request.js';
import { shedLoad } from '../../edge/server.js';
import { ProblemError, unavailable } from '../../problems/problem.js';
import { bufferBody } from '../body/read-body.js';
import { JsonText, send } from '../reply/send.js';
import { type Capacity, limitRequests, pauseWork } from './index.js';
import { BodyMemory, SendBufferLimit } from './memory.js';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Runs middleware for callers who name their owner in a header, and answers problems with 503. */
function serve(...middleware: RequestHandler[]): Promise<string> {
  const asOwner: RequestHandler = (req, res, next) => {
    const owner = req.get('owner');
    res.locals.caller = {
      id: owner ?? null,
      owner: owner ?? 'local',
      scopes: ['write'],
      key: owner ? { id: owner, name: owner } : null,
    };
    next();
  };
  const answerProblem: ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(error instanceof ProblemError ? 503 : 500);
    if (error instanceof ProblemError) res.set(error.headers);
    Exchange.of(res).endUnread('');
  };
  return listen(express().use(asOwner, ...middleware, answerProblem));
}

/** Reads bodies into memory. */
function buffered(limit: number, budget: BodyMemory): RequestHandler {
  const read = bufferBody(limit, { budget });
  return async (req, res, next) => {
    await read(req, res);
    next();
  };
}

/** Returns the two steps of a gate as middleware. */
function limit(
  capacity: Capacity,
  unread?: SendBufferLimit,
): Record<'reserve' | 'run', RequestHandler> & { gate: FairGate } {
  const { gate, admit, enter } = limitRequests(capacity, () => {}, unread);
  const caller = ({ locals }: Response) => locals.caller ?? { id: null, owner: '', scopes: [], key: null };
  return {
    gate,
    reserve: (req, res, next) => {
      admit(req, res, caller(res));
      next();
    },
    run: async (req, res, next) => {
      await enter?.(req, res, caller(res));
      next();
    },
  };
}

/** Opens a connection that sends raw bytes, and collects the response. */
function raw(url: string, bytes: string) {
  const { port } = new URL(url);
  const socket: Socket = connect(Number(port), '127.0.0.1');
  const connection = { socket, answer: '' };
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    connection.answer += chunk;
  });
  socket.write(bytes);
  closing.push(() => socket.destroy());
  return connection;
}

/** The most bytes of a refused body that are read. */
const MAX_BYTES = 32 * 1024 * 1024 - 1;

function head(headers: string, request = 'POST /'): string {
  return `${request} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;
}

describe('the memory for bodies', () => {
  const MAX = 1000;

  /** Reads bodies with a memory limit of `MAX` bytes, and answers with their lengths. */
  async function bodies() {
    const clock = { time: 0 };
    let arrived = 0;
    const memory = new BodyMemory(MAX, () => clock.time);
    const url = await serve(
      (req, _res, next) => {
        req.on('data', ({ length }: Buffer) => {
          arrived += length;
        });
        next();
      },
      buffered(MAX, memory),
      (req, res) => res.end(String(Object(req.body).length)),
    );
    /** Sends a body without its last byte. */
    const begin = async (owner: string, length: number) => {
      const before = arrived;
      const headers = head(`Owner: ${owner}\r\nContent-Length: ${length + 1}`);
      const connection = raw(url, headers + 'x'.repeat(length));
      await expect.poll(() => arrived).toBe(before + length);
      return connection;
    };
    const send = (length: number, headers: Record<string, string> = {}) =>
      fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: 'x'.repeat(length),
      });
    return { clock, url, begin, send };
  }

  test('is taken from stalled bodies, however many owners have sent them', async () => {
    const { clock, begin, send } = await bodies();
    const stalled: ReturnType<typeof raw>[] = [];
    for (let owner = 0; owner < 10; owner += 1) stalled.push(await begin(`hostile-${owner}`, 100));
    clock.time += 3000;
    expect((await send(450, { owner: 'modest' })).status).toBe(200);
    const refused = () => stalled.filter(({ answer }) => answer.startsWith('HTTP/1.1 503'));
    await expect.poll(refused).toHaveLength(5);
    for (const { answer } of refused()) expect(answer).toContain('Connection: close');
  });

  test('is limited to half for one owner', async () => {
    const { begin, send } = await bodies();
    const first = await begin('greedy', 400);
    const second = await send(400, { owner: 'greedy' });
    expect(second.status).toBe(503);
    expect(second.headers.get('Connection')).toBe('close');
    expect((await send(500, { owner: 'modest' })).status).toBe(200);
    first.socket.write('x');
    await expect.poll(() => first.answer).toMatch(/^HTTP\/1\.1 200/);
  });

  test('is given up by the owner with the most of it, not by the newest body', async () => {
    const { begin, send } = await bodies();
    const earlier = await begin('large', 450);
    const later = await begin('larger', 460);
    expect((await send(200, { owner: 'modest' })).status).toBe(200);
    await expect.poll(() => later.answer).toMatch(/^HTTP\/1\.1 503/);
    expect(earlier.answer).toBe('');
  });

  test('is given up by a response that waits for its reader, if others need it', () => {
    const memory = new BodyMemory(MAX);
    const given: string[] = [];
    const begin = (owner: string) =>
      memory.begin({ id: owner, owner, scopes: [], key: { id: owner, name: owner } }, () => given.push(owner));
    for (const owner of ['one', 'two']) {
      const share = begin(owner);
      share.add(500);
      share.complete();
      if (owner === 'two') share.trackBackpressure(() => given.push('the answer of two'));
    }
    begin('three').add(500);
    expect(given).toEqual(['the answer of two']);
  });
});

describe('places for requests', () => {
  beforeEach(stopClock);

  /** Creates six places, and counts the requests that have passed or failed the reservation. */
  async function places() {
    let decided = 0;
    const { reserve, run } = limit({ what: 'requests', atOnce: 2, waiting: 4 });
    const url = await serve(
      (req, res, next) => {
        decided += 1;
        return reserve(req, res, next);
      },
      buffered(1000, new BodyMemory(1000)),
      run,
      (_req, res) => res.end(),
    );
    const announce = async (owners: readonly string[]) => {
      const before = decided;
      for (const owner of owners) raw(url, head(`Owner: ${owner}\r\nContent-Length: 10`));
      await expect.poll(() => decided, { interval: 5 }).toBe(before + owners.length);
    };
    return { url, announce };
  }

  test('are not reserved beyond half by the headers of one owner', async () => {
    const { url, announce } = await places();
    await announce(Array(12).fill('greedy'));
    expect((await fetch(url, { headers: { owner: 'modest' } })).status).toBe(200);
  });

  test('are not blocked for another owner by the headers of many owners', async () => {
    const { url, announce } = await places();
    await announce(Array.from({ length: 6 }, (_, owner) => `hostile-${owner}`));
    const answer = await fetch(url, {
      method: 'POST',
      headers: { owner: 'modest', 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(200);
  });
});

describe('work in slices', () => {
  beforeEach(stopClock);

  /**
   * Creates a limit of one running request. Requests end on command, and call `pauseWork` before.
   */
  async function sliced() {
    const { run, gate } = limit({ what: 'requests', atOnce: 1, waiting: 35 });
    const begun: string[] = [];
    const end = new Map<string, () => void>();
    let arrived = 0;
    const arrive: RequestHandler = (_req, _res, next) => {
      arrived += 1;
      next();
    };
    const url = await serve(arrive, run, async (req, res) => {
      const name = req.path.slice(1);
      begun.push(name);
      if (name.startsWith('large')) {
        await new Promise<void>((resolve) => end.set(name, resolve));
        await pauseWork(res);
        begun.push(`${name} again`);
      }
      res.end();
    });
    const ask = async (owner: string, path: string) => {
      const before = arrived;
      const answer = fetch(`${url}/${path}`, { headers: { owner } });
      await expect.poll(() => arrived, { interval: 5 }).toBe(before + 1);
      return { answer };
    };
    return { begun, end, ask, gate };
  }

  test('lets the requests of other owners go first, and then continues before its owner’s other requests', async () => {
    const { begun, end, ask } = await sliced();
    const answers = [await ask('greedy', 'large'), await ask('greedy', 'next'), await ask('modest', 'small')];
    end.get('large')?.();
    for (const { answer } of answers) expect((await answer).status).toBe(200);
    expect(begun).toEqual(['large', 'small', 'large again', 'next']);
  });

  test('continues at once if nobody else waits', async () => {
    const { begun, end, ask } = await sliced();
    const answers = [await ask('greedy', 'large'), await ask('greedy', 'next')];
    end.get('large')?.();
    for (const { answer } of answers) await answer;
    expect(begun).toEqual(['large', 'large again', 'next']);
  });

  test('waits for its turn again after the time limit for a place', async () => {
    const { begun, end, ask, gate } = await sliced();
    const answers = [await ask('greedy', 'large'), await ask('greedy', 'large-too')];
    vi.advanceTimersByTime(1000);
    await expect.poll(() => begun).toEqual(['large', 'large-too']);
    const third = await ask('greedy', 'next');
    end.get('large')?.();
    await expect.poll(() => gate.length).toEqual({ running: 1, waiting: 2 });
    end.get('large-too')?.();
    for (const { answer } of [...answers, third]) await answer;
    expect(begun.slice(2)).toEqual(['large-too again', 'next', 'large again']);
  });

  test('is started for one owner after another, however many requests each has sent', async () => {
    const { begun, end, ask } = await sliced();
    const answers = [await ask('greedy', 'large')];
    for (const name of ['a', 'b', 'c']) answers.push(await ask('greedy', name));
    answers.push(await ask('modest', 'd'), await ask('other', 'e'));
    end.get('large')?.();
    for (const { answer } of answers) await answer;
    expect(begun).toEqual(['large', 'd', 'e', 'large again', 'a', 'b', 'c']);
  });
});

describe('answers that nobody reads', () => {
  const contract = readContract(new URL('../../../openapi.yaml', import.meta.url));

  test('are cut off, the longest-stalled first, when those of one owner take too much', async () => {
    const capacity = { what: 'requests', atOnce: 32, waiting: 32 };
    const unread = new SendBufferLimit(32 * 1024 * 1024);
    const { run } = limit(capacity, unread);
    let left = 0;
    const url = await serve(run, (req, res) => {
      res.once('close', () => {
        left += 1;
      });
      const pieces = Array<string>(req.path === '/whole' ? 1 : 3).fill('x'.repeat(8 * 1024 * 1024));
      const stopping = new AbortController().signal;
      const context = { contract, stopping, noteFailure: () => {} };
      return send(res, { status: 200, body: new JsonText(pieces) }, context, () => true);
    });
    const unreadBy = (owner: string, path: string) => {
      const connection = raw(url, head(`Owner: ${owner}`, `GET ${path}`));
      connection.socket.pause();
      return connection;
    };
    unreadBy('modest', '/whole');
    for (const path of ['/whole', '/portions', '/whole', '/portions', '/whole', '/portions']) {
      unreadBy('greedy', path);
    }
    await expect.poll(() => left).toBeGreaterThan(1);
    expect(left).toBeLessThan(6);
  });
});

describe('a connection that is held after a refusal', () => {
  test('waits for refusals of its own owner only, and never longer than six seconds', () => {
    const turns = new RefusalSchedule(() => 0);
    const waits = Array.from({ length: 24_000 }, () => turns.next('greedy'));
    expect(waits.every((wait) => wait === undefined || wait <= 5500)).toBe(true);
    expect(waits.at(-1)).toBeUndefined();
    expect(turns.next('modest')).toBe(0);
    expect(turns.next('modest')).toBeLessThan(12);
  });

  test('is closed with a Connection: close if its turn is further away', async () => {
    const throttle = throttleConnections();
    const url = await serve((req, res) => {
      const times = Number(req.get('times'));
      req.setMaxListeners(times);
      for (let time = 0; time < times; time += 1) throttle(req, res, res.locals.caller);
      throw unavailable('refused');
    });
    const refusal = (owner: string, times: number) => fetch(url, { headers: { owner, times: `${times}` } });
    expect((await refusal('greedy', 3000)).headers.get('Connection')).toBe('close');
    for (let time = 0; time < 3; time += 1) {
      expect((await refusal('modest', 1)).headers.get('Connection')).toBe('keep-alive');
    }
  });
});

describe('a refusal that a proxy forwards', () => {
  test('is held itself, and not the connection, which other senders use next', async () => {
    stopClock();
    const throttle = throttleConnections();
    let isRefused = false;
    let connection: Socket | undefined;
    const url = await serve((req, res) => {
      if (req.path === '/other') return res.end('served');
      connection = req.socket;
      req.setMaxListeners(500);
      for (let time = 0; time < 500; time += 1) throttle(req, res, res.locals.caller);
      throw unavailable('refused');
    });
    const proxy = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => proxy.destroy());
    const forward = (path: string) =>
      new Promise<string>((resolve, reject) => {
        const headers = { 'X-Forwarded-For': '192.0.2.1', owner: 'greedy' };
        get(`${url}${path}`, { agent: proxy, headers }, (answer) => {
          answer.resume().on('end', () => resolve(`${answer.statusCode}`));
        }).on('error', reject);
      });
    const refused = forward('/').then((status) => {
      isRefused = true;
      return status;
    });
    await expect.poll(() => connection).toBeDefined();
    expect(await (await fetch(`${url}/other`)).text()).toBe('served');
    expect(isRefused).toBe(false);
    vi.advanceTimersByTime(6000);
    expect(await refused).toBe('503');
    expect(await forward('/other')).toBe('200');
    expect(connection?.isPaused()).toBe(false);
  });
});

describe('requests in one write on one connection', () => {
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

  test('are started one after another, and answered in order', async () => {
    const begun: (() => void)[] = [];
    const url = await listen(serveInOrder((req, res) => begun.push(() => res.end(`answer to ${req.url}.`))));
    const { socket, answer } = raw(url, request('/0') + request('/1') + request('/2'));
    expect(answer).toBe('');
    const answers: string[] = [];
    socket.on('data', (chunk) => answers.push(...(/answer to \S+/.exec(String(chunk)) ?? [])));
    for (let number = 0; number < 3; number += 1) {
      await expect.poll(() => begun.length).toBe(number + 1);
      const other = fetch(url);
      await expect.poll(() => begun.length).toBe(number + 2);
      begun.pop()?.();
      await other;
      expect(begun).toHaveLength(number + 1);
      begun[number]?.();
    }
    await expect.poll(() => answers).toEqual(['answer to /0.', 'answer to /1.', 'answer to /2.']);
  });

  test('are not read any further until the first of them is answered', async () => {
    const sockets = new Set<Socket>();
    const url = await listen(
      serveInOrder((req, res) => {
        sockets.add(req.socket);
        if (req.url === '/other') res.end();
      }),
    );
    raw(url, request('/').repeat(100_000));
    await expect.poll(() => sockets.size).toBe(1);
    for (let turn = 0; turn < 20; turn += 1) await (await fetch(`${url}/other`)).text();
    const [connection] = sockets;
    expect(connection?.bytesRead).toBeGreaterThan(0);
    expect(connection?.bytesRead).toBeLessThan(512 * 1024);
  });

  test('wait for the turn of their sender when the first of them is refused', async () => {
    stopClock();
    const throttle = throttleConnections();
    let refused = 0;
    const url = await listen(
      serveInOrder((req, res) => {
        if (req.url === '/other') return res.end();
        refused += 1;
        req.setMaxListeners(500);
        for (let time = 0; time < 500; time += 1) {
          throttle(req, res, { id: 'greedy', owner: 'greedy', scopes: [], key: { id: 'greedy', name: 'greedy' } });
        }
        return res.writeHead(503).end();
      }),
    );
    const connection = raw(url, request('/').repeat(10));
    await expect.poll(() => connection.answer).toContain('503');
    for (let turn = 0; turn < 20; turn += 1) await fetch(`${url}/other`);
    expect(refused).toBe(1);
  });
});

describe('chunks of a body', () => {
  const overloadProblem = (size: number, spacing: number) => {
    let time = 0;
    const meter = new BodyMeter(new IncomingMessage(new Socket()), Number.POSITIVE_INFINITY, () => time);
    for (let chunk = 0; chunk < 3000; chunk += 1) {
      time += spacing;
      const problem = meter.add(size);
      if (problem) return problem.detail;
    }
    return undefined;
  };

  test('may be small if they are rare, and many if they are large enough', () => {
    expect(overloadProblem(1, 0.01)).toContain('chunks of less than 32 bytes');
    expect(overloadProblem(1, 2)).toBeUndefined();
    expect(overloadProblem(100, 0.01)).toBeUndefined();
  });
});

describe('load shedding', () => {
  test('exempts paths, and ignores the query', async () => {
    const url = await listen(
      shedLoad((_req, res) => res.end(), {
        exempt: new Set(['/health/live']),
        overloadProblem: () => unavailable('refused'),
        refuse: (_refusal, _req, res) => res.writeHead(503).end(),
      }),
    );
    const statusOf = async (path: string) => (await fetch(url + path)).status;
    for (const path of ['/health/live', '/health/live/', '/health/live?x=1']) {
      expect(await statusOf(path)).toBe(200);
    }
    for (const path of ['/projects?x=/health/live', '/projects/health/live', '/health/none']) {
      expect(await statusOf(path)).toBe(503);
    }
  });
});

describe('a body that is not to be read', () => {
  let folder: string;
  let server: ServerProcess;
  let all: string;
  let predictOnly: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-hostile-'));
    const databaseFile = join(folder, 'roster.db');
    const url = `file:${databaseFile}`;
    all = await makeKey(url, { name: 'all', owner: 'one' });
    predictOnly = await makeKey(url, { name: 'predict', owner: 'two', scopes: ['predict'] });
    server = await startServer({ databaseFile });
  });
  afterAll(async () => {
    await server.kill();
    await rm(folder, { recursive: true });
  });

  const PREDICT = 'POST /api/projects/default/models/none/predict';

  test.each([
    ['is longer than its operation takes', 'POST /projects', () => all, 999_999_999, 413],
    ['is for a model that does not exist', PREDICT, () => predictOnly, MAX_BYTES, 404],
    ['is for a model that does not exist, in chunks', PREDICT, () => predictOnly, undefined, 404],
    ['is for a project that is not there', 'POST /projects/none/skills', () => all, 300_000, 404],
    ['its key may not send', 'POST /projects', () => predictOnly, 100_000, 403],
  ])('because it %s is refused before any of it is sent', async (_why, request, key, length, status) => {
    const framing = length ? `Content-Length: ${length}` : 'Transfer-Encoding: chunked';
    const connection = raw(server.url, head(`Authorization: Bearer ${key()}\r\n${framing}`, request));
    await expect
      .poll(() => connection.answer)
      .toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*"request_id":"[^"]+"}$`, 's'));
  });

  const PROJECT = 'POST /projects';
  const TABLE = 'PUT /api/projects/default/models/m?target=y';

  test.each([
    ['JSON', PROJECT, 'application/json', ' '],
    ['a table', TABLE, 'text/csv', '1'],
    ['JSON for later', TABLE, 'application/json', ' '],
  ])('because its chunks of %s are tiny is refused, and read no further', async (_what, request, type, byte) => {
    const headers = `Host: localhost\r\nAuthorization: Bearer ${all}\r\nContent-Type: ${type}`;
    const connection = raw(server.url, `${request} HTTP/1.1\r\n${headers}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    connection.socket.write(`1\r\n${byte}\r\n`.repeat(2500));
    await once(connection.socket, 'close');
    expect(connection.answer).toMatch(/^HTTP\/1\.1 400 .*\/problems\/malformed-body.*chunks/s);
  });

  test('costs its connection, which ends even if the body never arrives', async () => {
    const headers = `Authorization: Bearer ${all}\r\nContent-Length: 999999999`;
    const connection = raw(server.url, head(headers, 'POST /projects'));
    await once(connection.socket, 'close');
    expect(connection.answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(connection.answer).toContain('Connection: close');
  });
});

test('a body that is refused is discarded while a client that sends all of it first waits for the response', async () => {
  // The client may take any time.
  stopClock();
  const url = await serve(buffered(1000, new BodyMemory(1000)));
  const connection = raw(url, head(`Content-Length: ${MAX_BYTES}`));
  connection.socket.pause();
  await new Promise((sent) => connection.socket.write('x'.repeat(MAX_BYTES), sent));
  connection.socket.resume();
  await once(connection.socket, 'close');
  expect(connection.answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(connection.answer).toContain('Connection: close');
});
