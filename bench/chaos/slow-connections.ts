import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, send } from '../../testkit/http/client.js';
import { Crowd, wire } from '../../testkit/http/load.js';
import { median, percent } from '../../testkit/numbers.js';
import {
  residentMemory,
  type Service,
  startService,
} from '../../testkit/service/measured-service.js';
import type { Finding, Scenario } from '../scenarios.js';

const SLOW = 1000;
const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 8;
/**
 * The time excluded from the measurement while a thousand connections are opened and closed, in milliseconds.
 */
const SETTLING = 1000;

/** A thousand connections that each send a little now and then, forever. */
export const slowConnections: Scenario = {
  name: 'slow-connections',
  run: async (folder) => {
    const service = await startService(folder, `file:${join(folder, 'roster.db')}`);
    try {
      const skill = { name: 'answers', type: 'lookup', params: { tables: ['orders'] } };
      await ask('POST', `${service.url}/projects/default/skills`, { skill });
      return await inTurn(service);
    } finally {
      await service.kill();
    }
  },
};

async function inTurn(service: Service): Promise<Finding[]> {
  const { url, pid } = service;
  const get = wire(url, 'GET', '/projects/default/skills/answers');
  const put = wire(url, 'PUT', '/projects/default/skills/answers', {
    skill: { params: { limit: 100 } },
  });
  let count = 0;
  const others = () => (count++ % 10 === 0 ? put : get);
  const rate = async () => {
    await delay(SETTLING);
    const crowd = new Crowd(url, others);
    const { served, seconds } = await crowd.closedLoop(CONNECTIONS, SECONDS);
    crowd.close();
    return served / seconds;
  };
  await rate();
  const shares: number[] = [];
  let training: Finding | undefined;
  let memory = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const usual = await rate();
    const slow = await Tricklers.open(url, SLOW);
    const meanwhile = await rate();
    shares.push(meanwhile / usual);
    memory = Math.max(memory, residentMemory(pid));
    training ??= await train(service);
    slow.close();
  }
  return [
    {
      asked: `with ${SLOW} slow connections, others are served at ≥ 90 % of the usual rate`,
      measured: `${percent(median(shares))}, the median of ${ROUNDS} pairs in turn, from ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}; ${memory.toFixed(0)} MiB`,
      passed: median(shares) >= 0.9,
    },
    ...(training ? [training] : []),
  ];
}

/** Tables are read as streams: slow ones must not use up the capacity for others. */
async function train({ url }: Service): Promise<Finding> {
  const { csv } = diamondTable(60);
  const model = `${url}/api/projects/default/models/prices?target=price`;
  const begun = performance.now();
  const answer = await Promise.race([send('PUT', model, csv), delay(5000)]);
  const milliseconds = (performance.now() - begun).toFixed(0);
  return {
    asked: 'a table that is sent at once is taken meanwhile',
    measured: answer
      ? `${answer.status} after ${milliseconds} ms`
      : `no answer in ${milliseconds} ms`,
    passed: answer?.status === 202,
  };
}

/** The time between two bytes on a connection, in milliseconds. */
const BETWEEN = 1000;

/** The beginnings of slow requests; the rest follows one byte at a time. */
const BEGINNINGS = [
  { head: 'GET /projects HTTP/1.1\r\nHost: roster\r\nX-Slow: ', byte: 'a' },
  {
    head: 'POST /projects/default/skills HTTP/1.1\r\nHost: roster\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"skill":{"name":"',
    byte: 'a',
  },
  { head: 'GET /projects HTTP/1.1\r\nHost: roster\r\nX-Slow: ', byte: 'a' },
  {
    head: 'PUT /api/projects/default/models/slow?target=y HTTP/1.1\r\nHost: roster\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\nx,y\n',
    byte: '1',
  },
];

/** Connections that each send a little now and then, forever: half of them headers, half of them a body. */
class Tricklers {
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  private constructor(private readonly url: string) {}

  /** Opens the given number of connections, and waits until they are established. */
  static async open(url: string, count: number): Promise<Tricklers> {
    const tricklers = new Tricklers(url);
    for (let opened = 0; opened < count; opened += 1) {
      await once(tricklers.#open(opened), 'connect');
    }
    return tricklers;
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Opens a connection, and replaces it if the service closes it. */
  #open(number: number): Socket {
    const { hostname, port } = new URL(this.url);
    const socket = connect(Number(port), hostname);
    const { head, byte } = BEGINNINGS[number % BEGINNINGS.length] ?? { head: '', byte: '' };
    socket.write(head);
    const trickling = setInterval(() => socket.write(byte), BETWEEN);
    this.#timers.add(trickling);
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.resume();
    socket.once('close', () => {
      clearInterval(trickling);
      this.#timers.delete(trickling);
      this.#sockets.delete(socket);
      if (!this.#closed) this.#open(number);
    });
    return socket;
  }
}
