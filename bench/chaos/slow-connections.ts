import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, send } from '../../testkit/http/client.js';
import { wire } from '../../testkit/http/load.js';
import { RawConnection } from '../../testkit/http/raw-connection.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { compareRates, measureRate } from '../load.js';
import type { Finding } from '../scenarios.js';
import { onService } from '../services.js';

const SLOW = 1000;
/**
 * The time excluded from the measurement while a thousand connections are opened and closed, in milliseconds.
 */
const SETTLING = 1000;

/** A thousand connections that each send a little now and then, forever. */
export const slowConnections = onService(
  { name: 'slow-connections', hasShort: true },
  (service, { isShort }) => inTurn(service, isShort ? 1 : 5),
);

async function inTurn(service: Service, rounds: number): Promise<Finding[]> {
  const { url } = service;
  const path = '/projects/default/skills/answers';
  const skill = { name: 'answers', type: 'lookup', params: { tables: ['orders'] } };
  await ask('POST', `${url}/projects/default/skills`, { skill });
  const get = wire(url, 'GET', path);
  const put = wire(url, 'PUT', path, { skill: { params: { limit: 100 } } });
  let count = 0;
  const request = () => (count++ % 10 === 0 ? put : get);
  const usual = async () => {
    await delay(SETTLING);
    return measureRate({ service, request, connections: 8, seconds: 3, mayRefuse: true });
  };
  let training: Finding | undefined;
  const besideSlow = async () => {
    const closeSlow = await openSlow(url, SLOW);
    const rate = await usual();
    training ??= await train(service);
    closeSlow();
    return rate;
  };
  const served = await compareRates({
    asked: `with ${SLOW} slow connections, others are served at ≥ 0.9 of the usual rate`,
    ...{ first: besideSlow, second: usual, least: 0.9, rounds },
  });
  return [served, ...(training ? [training] : [])];
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
    measured: `${answer?.status ?? 'no answer'} after ${milliseconds} ms`,
    passed: answer?.status === 202,
  };
}

/** The time between two bytes on a connection, in milliseconds. */
const BETWEEN = 1000;

/** The beginnings of slow requests: half of them headers, half of them a body. The rest follows one byte at a time. */
const HEADERS = { head: 'GET /projects HTTP/1.1\r\nHost: roster\r\nX-Slow: ', byte: 'a' };
const BEGINNINGS = [
  ...[HEADERS, HEADERS],
  {
    head: 'POST /projects/default/skills HTTP/1.1\r\nHost: roster\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"skill":{"name":"',
    byte: 'a',
  },
  {
    head: 'PUT /api/projects/default/models/slow?target=y HTTP/1.1\r\nHost: roster\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\nx,y\n',
    byte: '1',
  },
];

/**
 * Opens connections that each send a little now and then, forever: so slowly that the system's queue of new ones
 * takes them.
 * @returns what closes them
 */
async function openSlow(url: string, count: number): Promise<() => void> {
  const connections = new Set<RawConnection>();
  let isOver = false;
  /** Sends slowly, and again on a new connection if the service closes one. */
  const trickle = async ({ head, byte }: typeof HEADERS) => {
    while (!isOver) {
      const connection = new RawConnection(url);
      connections.add(connection);
      for (let bytes = head; await connection.send(bytes); bytes = byte) {
        await Promise.race([connection.closed, delay(BETWEEN)]);
      }
      await connection.closed;
      connections.delete(connection);
    }
  };
  for (let number = 0; number < count; number += 1) {
    void trickle(BEGINNINGS[number % BEGINNINGS.length] ?? HEADERS);
    if (number % 100 === 0) await delay(20);
  }
  return () => {
    isOver = true;
    for (const connection of connections) connection.close();
  };
}
