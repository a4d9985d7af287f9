/** Tests the effect of a stop on running requests. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { someDiamonds } from '../testkit/data/diamonds.js';
import { OpenStream } from '../testkit/http/open-stream.js';
import { ownServers } from '../testkit/service/own-servers.js';
import { PREDICT, train, untilLogged, untilTrained } from '../testkit/service/price-model.js';
import type { ServerProcess } from '../testkit/service/server-process.js';

const { start } = ownServers();

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

  test('refuses later requests on open connections with a problem', async () => {
    const server = await start();
    const path = '/projects/default/chatbots/a';
    const { socket, received, rest } = await begin(server, 'PUT', path, '{"chatbot":{}}');
    const stopped = server.stop();
    await untilLogged(server, '"msg":"stopping"');
    socket.write(`${rest}GET /projects HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(await stopped).toBe(0);
    await expect.poll(() => received.text).toContain('HTTP/1.1 201 Created');
    await expect.poll(() => received.text).toContain('HTTP/1.1 503 Service Unavailable');
    expect(received.text).toContain('Retry-After: 1');
    expect(received.text).toContain('"type":"/problems/service-unavailable"');
  });

  test('ends a stream with a line that says so, rather than wait for its end', async () => {
    const server = await start();
    await train(server);
    await untilTrained(server);
    const stream = new OpenStream(server.url + PREDICT, '');
    stream.write('{"carat":1}\n{"carat":');
    expect(await stream.next()).toMatchObject({ carat: 1 });
    const stopped = server.stop();
    expect(await stream.next()).toMatchObject({
      problem: { type: '/problems/service-unavailable' },
    });
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
