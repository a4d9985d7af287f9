import { setTimeout as delay } from 'node:timers/promises';
import { v4 as uuidv4 } from 'uuid';
import { LEASE_MS } from '../../server/models/training/trainings.js';
import { diamondTable } from '../../testkit/data/diamonds.js';
import {
  type Answer,
  ask,
  Client,
  type Headers,
  NoAnswer,
  send,
} from '../../testkit/http/client.js';
import { textOf } from '../../testkit/json.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { withPostgres } from '../services.js';
import { readContents, type Write, Writer } from './writer.js';

const KILLS = 6;
const CLIENTS = 8;
/**
 * The time for which both instances serve before one is killed, and for which the other serves alone, in
 * milliseconds.
 */
const TOGETHER = 700;
const ALONE = 500;
/** The pause between two attempts of a client, in milliseconds. */
const PAUSE = 20;

const MODEL = '/api/projects/default/models/prices';

/** Two instances on one PostgreSQL, which are killed in turn while clients write. */
export const twoInstances: Scenario = {
  name: 'two-instances',
  run: (folder) =>
    withPostgres(async (url) => {
      const start = () => startService(folder, url);
      const instances: [Service, Service] = [await start(), await start()];
      try {
        return await killOneByOne(instances, start);
      } finally {
        await Promise.all(instances.map((instance) => instance.kill()));
      }
    }),
};

async function killOneByOne(
  instances: [Service, Service],
  start: () => Promise<Service>,
): Promise<Finding[]> {
  const persistent = new Persistent(() => instances.map(({ url }) => url));
  const writers = Array.from(
    { length: CLIENTS },
    (_, number) => new Writer(`c${number}`, (write) => persistent.send(write)),
  );
  const working = writers.map((writer) => writer.write());
  const training = await killWhileTraining(instances);
  for (let kill = 1; kill < KILLS; kill += 1) {
    instances[(kill - 1) % 2] = await start();
    await delay(TOGETHER);
    await instances[kill % 2]?.kill();
    await delay(ALONE);
  }
  for (const writer of writers) writer.stop();
  await Promise.all(working);
  persistent.close();
  const there = await readContents(`${instances[KILLS % 2]?.url}/projects/default`);
  const written = writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const { retried } = persistent;
  return [
    none(
      `${KILLS} kills, clients go to the other: no acknowledged write is lost, none is there twice`,
      writers.flatMap((writer) => writer.compare(there)),
      `${written} writes, ${retried} sent again`,
    ),
    none(
      'each write that is sent again is answered as the first',
      writers.flatMap(({ unexpected }) => unexpected),
      `${retried}`,
    ),
    training,
  ];
}

/**
 * Sends as the contract advises: each write again, on one instance or the other, until it is answered; a creation
 * with one Idempotency-Key, a change with the entity tag that was read.
 */
class Persistent {
  /** The number of requests that were sent more than once. */
  retried = 0;
  readonly #client = new Client({ connections: CLIENTS });

  /** @param instances the URLs of all instances, alive or not */
  constructor(private readonly instances: () => readonly string[]) {}

  async send({ method, path, body }: Write): Promise<Answer> {
    if (method === 'POST') {
      const { answer } = await this.#insist(method, path, body, { 'Idempotency-Key': uuidv4() });
      return answer;
    }
    const { answer: read } = await this.#insist('GET', path);
    const etag = String(read.headers['etag']);
    const condition: Headers = read.status === 200 ? { 'If-Match': etag } : {};
    const { answer, isRepeated } = await this.#insist(method, path, body, condition);
    // The first attempt may have been carried out. No other client writes to the resource, so it then shows later.
    const isDone = answer.status === (method === 'DELETE' ? 404 : 412);
    return isRepeated && isDone ? { ...answer, status: 200 } : answer;
  }

  async #insist(method: string, path: string, body?: object, headers?: Headers) {
    const first = Math.floor(Math.random() * 2);
    for (let attempt = 0; ; attempt += 1) {
      const instance = this.instances()[(first + attempt) % 2];
      try {
        const url = `${instance}/projects/default${path}`;
        const answer = await this.#client.send(method, url, body, headers);
        if (!isForLater(answer)) return { answer, isRepeated: attempt > 0 };
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
      if (attempt === 0) this.retried += 1;
      await delay(PAUSE);
    }
  }

  close(): void {
    this.#client.close();
  }
}

function isForLater({ status, body }: Answer): boolean {
  return status === 503 || textOf(body, 'type') === '/problems/request-in-progress';
}

/** Kills the first instance during a training, which the second must finish. */
async function killWhileTraining([first, second]: readonly [Service, Service]): Promise<Finding> {
  const { csv } = diamondTable();
  do {
    // Either instance may claim it. A training that the second has claimed is of no use here.
    await send('DELETE', second.url + MODEL);
    await ask('PUT', `${first.url}${MODEL}?target=price`, csv);
    while (!isTraining(first) && !isTraining(second)) await delay(20);
  } while (!isTraining(first));
  await delay(TOGETHER);
  const { status } = await send('GET', first.url + MODEL);
  await first.kill();
  const begun = performance.now();
  await untilReadyAt(second.url + MODEL);
  const seconds = (performance.now() - begun) / 1000;
  const ended = first.log().includes('"msg":"trained"') ? 'had ended already' : 'ended';
  return {
    asked: 'the training that the killed one ran ends on the other',
    measured: `${ended} on the other after ${seconds.toFixed(1)} s, with a lease of ${LEASE_MS / 1000} s`,
    passed: status === 200 && ended === 'ended',
  };
}

function isTraining(service: Service): boolean {
  const count = (message: string) => service.log().split(`"msg":"${message}"`).length - 1;
  return count('training') > count('training cancelled');
}
