/** Tests the effect of a stop on running requests. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { someDiamonds } from '../testkit/data/diamonds.js';
import { OpenStream } from '../testkit/http/open-stream.js';
import { ownServers } from '../testkit/service/own-servers.js';
import { PREDICT, train, untilLogged, untilTrained } from '../testkit/service/price-model.js';
import { type ServerProcess, startServer } from '../testkit/service/server-process.js';

const { start } = ownServers();

const HAS_SIGNALS = process.platform !== 'win32';

/** Keeps the process running for ever. */
const ENDLESS = 'setInterval(() => {}, 1000);';

/** Makes the thread of the service wait for ever as soon as a request arrives. The main thread logs SIGTERM. */
const HELD = `
  import { subscribe } from 'node:diagnostics_channel';
  import { writeSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread) process.once('SIGTERM', () => writeSync(1, 'signalled\\n'));
  else subscribe('http.server.request.start', () => {
    writeSync(1, 'held\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

function startWith(module: string, env?: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const source = `data:text/javascript,${encodeURIComponent(module)}`;
  return startServer({ env: { ...env, NODE_OPTIONS: `--import=${source}` } });
}

async function startHeld(env?: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const server = await startWith(HELD, env);
  fetch(server.url).catch(() => undefined);
  await untilLogged(server, 'held');
  return server;
}

/** The ends of services that do not stop by themselves, for which the other tests do not wait. */
let late: Promise<{ codes: unknown[]; logs: string[][] }>;
beforeAll(async () => {
  if (!HAS_SIGNALS) return;
  const [endless, first, second, third] = await Promise.all([
    startWith(ENDLESS),
    startHeld(),
    startHeld({ DRAIN_SECONDS: '3600' }),
    startHeld({ DRAIN_SECONDS: '3600' }),
  ]);
  const ends = [endless.stop(), first.stop('SIGTERM'), second.stop('SIGINT'), third.stop()];
  // Ctrl-C during the drain.
  await untilLogged(third, 'signalled');
  process.kill(third.pid, 'SIGINT');
  late = Promise.all(ends).then((codes) => {
    return { codes, logs: [endless, first, second, third].map(({ log }) => log) };
  });
});

describe('a drain', () => {
  test('announces the stop by /health/ready, and serves all else, each answer the last on its connection', async () => {
    const server = await start({ env: { DRAIN_SECONDS: '3600' } });
    const stopped = server.stop();
    await untilLogged(server, '"msg":"stopping"');
    const ready = await fetch(`${server.url}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ detail: expect.stringContaining('stopping') });
    const answers = [
      await fetch(`${server.url}/health/live`),
      await fetch(`${server.url}/projects`),
      await fetch(`${server.url}/projects`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"project":{"name":"late"}}',
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201]);
    expect(answers.map(({ headers }) => headers.get('Connection'))).toEqual(answers.map(() => 'close'));
    // Ctrl-C ends the drain.
    process.kill(server.pid, 'SIGINT');
    expect(await stopped).toBe(0);
  });

  test('is left out when the stop comes from the terminal', async () => {
    const server = await start({ env: { DRAIN_SECONDS: '3600' } });
    expect(await server.stop('SIGINT')).toBe(0);
  });
});

describe('a stop', () => {
  /** Sends a request without the end of its body, and waits until the service has started on it. */
  async function begin(server: ServerProcess, method: string, path: string, body: string) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const received = { text: '' };
    socket.on('data', (chunk) => {
      received.text += chunk;
    });
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    while (!received.text.includes('100 Continue')) await delay(10);
    return { socket, received, rest: body.slice(10) };
  }

  test('lets a running request finish, and keeps its result', async () => {
    const server = await start();
    const body = JSON.stringify({ skill: { name: 'late', type: 'lookup' } });
    const path = '/projects/default/skills';
    const { socket, received, rest } = await begin(server, 'POST', path, body);
    const stopped = server.stop();
    await untilLogged(server, '"msg":"stopping"');
    socket.write(rest);
    expect(await stopped).toBe(0);
    await expect.poll(() => received.text).toContain('HTTP/1.1 201 Created');

    const skills = await fetch((await start()).url + path);
    expect(await skills.json()).toMatchObject([{ name: 'late' }]);
  });

  test('makes the answer to a running request the last on its connection', async () => {
    const server = await start();
    const path = '/projects/default/chatbots/a';
    const { socket, received, rest } = await begin(server, 'PUT', path, '{"chatbot":{}}');
    const stopped = server.stop();
    await untilLogged(server, '"msg":"stopping"');
    socket.write(rest);
    await once(socket, 'end');
    expect(received.text).toMatch(/^HTTP\/1\.1 201 Created\r\n(.+\r\n)*Connection: close\r\n/m);
    expect(await stopped).toBe(0);
  });

  test('ends a stream with a line that says so, rather than wait for its end', async () => {
    const server = await start();
    await train(server);
    await untilTrained(server);
    const stream = new OpenStream(server.url + PREDICT, '');
    stream.write('{"carat":1}\n{"carat":');
    expect(await stream.next()).toMatchObject({ carat: 1 });
    const stopped = server.stop();
    expect(await stream.next()).toMatchObject({ problem: { type: '/problems/service-unavailable' } });
    expect(await stream.next()).toBeUndefined();
    stream.break();
    expect(await stopped).toBe(0);
  });

  test('interrupts a training, which restarts with the next start', async () => {
    const before = await start();
    const { data } = await train(before, someDiamonds(1000));
    expect(data?.status).toBe('training');
    expect(await before.stop()).toBe(0);

    const after = await untilTrained(await start());
    expect(after).toMatchObject({ status: 'ready', version: 1, serving_version: 1 });
  });
});

// Windows has no signals: there the process ends without a stop.
describe.skipIf(!HAS_SIGNALS)('a stop that takes too long ends the process', () => {
  test('and says what was under way', async () => {
    const { codes, logs } = await late;
    expect(codes[0]).toBeNull();
    const lines = logs[0]?.filter((line) => line.startsWith('{')) ?? [];
    const last: unknown = JSON.parse(lines.at(-1) ?? '');
    expect(last).toMatchObject({ msg: expect.stringMatching('took too long'), under_way: [] });
    expect(last).toMatchObject({ resources: expect.arrayContaining(['Timeout']) });
  });

  test('also when the loop of the service is held before the signal', async () => {
    const { codes, logs } = await late;
    expect(codes.slice(1)).toEqual([null, null, null]);
    for (const log of logs) {
      expect(log.at(-1)).toBe('Roster took too long to stop: ended by force');
    }
  });

  test('and a second signal ends it at once', async () => {
    const server = await startHeld({ DRAIN_SECONDS: '3600' });
    const stopped = server.stop();
    await untilLogged(server, 'signalled');
    process.kill(server.pid, 'SIGTERM');
    expect(await stopped).toBeNull();
  });
});
