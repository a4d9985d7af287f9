/** Tests tables with slow senders. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createRosterClient } from 'roster-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fewDiamonds } from '../../../testkit/data/diamonds.js';
import { ownServers } from '../../../testkit/service/own-servers.js';
import type { ServerProcess } from '../../../testkit/service/server-process.js';
import { settled } from '../../../testkit/service/train-prices.js';
import { DatabaseSync } from '../../store/database/sqlite-connection.js';

const path = { projectName: 'default', modelName: 'm' };
const MODEL = '/api/projects/default/models/m';
/** Another model, since uploads would be refused while that one trains. */
const SLOW = '/api/projects/default/models/slow';

const { file, start } = ownServers();
let server: ServerProcess;
let senders: { socket: Socket; trickling: NodeJS.Timeout }[] = [];
beforeEach(async () => {
  server = await start();
});
afterEach(hangUp);

const untilTrained = () => settled(createRosterClient({ baseUrl: server.url }), path);

function hangUp(): void {
  for (const { socket, trickling } of senders) {
    clearInterval(trickling);
    socket.destroy();
  }
  senders = [];
}

/**
 * Sends the beginning of a table, and then so little that it never ends but is not given up either.
 * Resolves when the service has started to read it.
 */
async function trickle(bytes: number): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `PUT ${SLOW}?target=y HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 100000000\r\nExpect: 100-continue\r\n\r\n`,
  );
  socket.write(`x,y\n${'1,2\n'.repeat(bytes / 4)}`);
  const trickling = setInterval(() => socket.writable && socket.write('1,2\n'), 1000);
  senders.push({ socket, trickling });
  const [begun] = await once(socket, 'data');
  expect(String(begun)).toMatch(/^HTTP\/1.1 100 /);
  return socket;
}

function train(body = fewDiamonds): Promise<Response> {
  return fetch(`${server.url}${MODEL}?target=price`, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body });
}

/** Sends a table repeatedly until the response has a status; returns that response. */
async function untilAnswered(status: number): Promise<Response> {
  for (;;) {
    const answer = await train();
    if (answer.status === status) return answer;
    await pause(50);
  }
}

async function untilNoParts(): Promise<void> {
  const database = new DatabaseSync(file('roster.db'), { readOnly: true });
  const parts = database.prepare('select count(*) as parts from training_table_parts');
  while (parts.get().parts !== 0) await pause(20);
  database.close();
}

describe('tables that trickle in', () => {
  test('leave room for others, and delay no table that arrives at once', async () => {
    await Promise.all(Array.from({ length: 31 }, () => trickle(1000)));
    expect((await train()).status).toBe(202);
    await untilTrained();
    await trickle(1000);
    const refused = await untilAnswered(503);
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
    expect((await fetch(`${server.url}/projects`)).status).toBe(200);
    hangUp();
    await untilAnswered(202);
  });

  test('give way to others that wait, and at once to small ones', async () => {
    const slow = [await trickle(320_000), await trickle(320_000)];
    const given = Promise.race(slow.map((socket) => text(socket)));
    expect((await train()).status).toBe(202);
    await untilTrained();
    const note = `,${'x'.repeat(3000)}\n`;
    const large = `${fewDiamonds}\n`.replaceAll('\n', note).replace(note, ',note\n');
    expect(large.length).toBeGreaterThan(256 * 1024);
    expect((await train(large)).status).toBe(202);
    const refused = await given;
    expect(refused).toMatch(/^HTTP\/1.1 408 /);
    expect(refused).toMatch(/connection: close/i);
    expect(refused).toContain('send at least 128 KiB a second');
    await untilTrained();
  });

  test('leave nothing behind when their senders disconnect', async () => {
    const socket = await trickle(1_000_000);
    await pause(500);
    socket.destroy();
    expect((await train()).status).toBe(202);
    await untilTrained();
    await untilNoParts();
    const rest = await trickle(1_000_000);
    rest.end();
    expect(await text(rest)).toMatch(/^(HTTP\/1.1 400|$)/);
  });
});
