import { setTimeout as delay } from 'node:timers/promises';
import { v4 as uuidv4 } from 'uuid';
import { asArray } from '../../contract/json-record.js';
import { LEASE_MS } from '../../server/models/training/trainings.js';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { type Answer, ask, Client, type Headers, NoAnswer, send } from '../../testkit/http/client.js';
import { readField, readText } from '../../testkit/json.js';
import { median } from '../../testkit/numbers.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { onBothStores, withPostgres } from '../services.js';
import { type Contents, LISTS, readContents, type Write, Writer, writeAddress } from './writer.js';

const KILLS = 50;
const WRITERS = 6;
/** The time from the first write to the kill, in milliseconds: from just after the start to many writes. */
const LIFETIME = { least: 30, most: 400 };
/** A training begins after every fifth start. */
const TRAIN_EVERY = 5;
const PROJECT = 'busy';

export const killWrites = onBothStores('kill-writes', KILLS, killWhileWriting);

/** Kills a service while it writes, restarts it, and compares its resources with the acknowledged ones. */
async function killWhileWriting(folder: string, databaseUrl: string, kills: number): Promise<Finding[]> {
  let service = await startService(folder, databaseUrl);
  const project = () => `${service.url}/projects/${PROJECT}`;
  const client = new Client({ connections: WRITERS });
  const sendOnce = async ({ method, path, body }: Write) => {
    try {
      const answer = await client.send(method, project() + path, body);
      // A 503 leaves the outcome as unknown as no answer.
      return answer.status === 503 ? undefined : answer;
    } catch (error) {
      if (error instanceof NoAnswer) return undefined;
      throw error;
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, w) => new Writer(`w${w}`, sendOnce));
  const { csv } = diamondTable(60);
  const trainings: string[] = [];
  const lost: string[] = [];
  const counted: string[] = [];
  const starts: number[] = [];
  try {
    await ask('POST', `${service.url}/projects`, { project: { name: PROJECT } });
    for (let kill = 0; kill < kills; kill += 1) {
      const living = writers.map((writer) => writer.write());
      if (kill % TRAIN_EVERY === 0) {
        const name = `model_${kill}`;
        await ask('PUT', `${writeAddress(project(), `/models/${name}`)}?target=price`, csv);
        trainings.push(name);
      }
      await delay(LIFETIME.least + Math.random() * (LIFETIME.most - LIFETIME.least));
      await service.kill();
      await Promise.all(living);
      const begun = performance.now();
      service = await startService(folder, databaseUrl);
      starts.push(performance.now() - begun);
      const there = await readContents(project());
      lost.push(...writers.flatMap((writer) => writer.compare(there)));
      counted.push(...(await compareCounters(project(), there)));
    }
    const badEnds = await unexpectedEnds(writeAddress(project(), '/models'), trainings);
    for (const path of (await readContents(project())).keys()) {
      await ask('DELETE', writeAddress(project(), path));
    }
    const { status } = await send('DELETE', project());
    if (status !== 204) counted.push(`${status} for the deletion of the emptied project`);
    const written = `${writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0)} writes`;
    const unexpected = writers.flatMap((writer) => writer.unexpected);
    return [
      none(`${kills} kills: each acknowledged write is there, and each write whole or not at all`, lost, written),
      none('every other answer is one that was due', unexpected, written),
      none(
        'the counters agree with the lists; the project that was emptied can be deleted',
        counted,
        `${kills + 1} looks`,
      ),
      none(
        'every training that was accepted ends: ready, or failed for it was cut short 3 times',
        badEnds,
        `${trainings.length}`,
      ),
      {
        asked: 'each start after a kill needs no hand',
        measured: `${starts.length} of ${kills}, median ${median(starts).toFixed(0)} ms`,
        passed: starts.length === kills,
      },
    ];
  } finally {
    await service.kill();
    client.close();
  }
}

/** Compares the counts in the refusal to delete the project with the lists. */
async function compareCounters(project: string, there: Contents): Promise<string[]> {
  const { status, body } = await send('DELETE', project);
  const detail = readText(body, 'detail');
  if (status !== 409) return [`${status} to the deletion of a project that holds something`];
  return LISTS.flatMap((list) => {
    const listed = [...there.keys()].filter((path) => path.startsWith(`/${list}/`)).length;
    const reported = Number(new RegExp(`(\\d+) ${list.slice(0, -1)}`).exec(detail)?.[1] ?? 0);
    return reported === listed ? [] : [`${listed} ${list} are listed, but "${detail}"`];
  });
}

/** The timeout of the trainings, in milliseconds: some trainings, each after the lease of a killed instance. */
const TRAINING_TIMEOUT_MS = 40_000;

/** The service gives up a training after three attempts: the training may be what ends the process. */
const CUT_SHORT = 'cut short 3 times';

/** Waits until the trainings have ended, and returns those that ended in an unexpected way. */
async function unexpectedEnds(url: string, names: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + TRAINING_TIMEOUT_MS;
  for (;;) {
    const models = asArray(await ask('GET', url));
    const ends = names.map((name) => {
      const model = models.find((one) => readField(one, 'name') === name);
      return { name, status: readText(model, 'status'), failure: readText(model, 'failure') };
    });
    const hasOpen = ends.some(({ status }) => status === 'training');
    if (!hasOpen || performance.now() >= deadline) {
      return ends
        .filter(({ status, failure }) => status !== 'ready' && !failure.includes(CUT_SHORT))
        .map(({ name, status, failure }) => `${name} is ${status || 'lost'}: ${failure}`);
    }
    await delay(200);
  }
}

const TURNS = 6;
const CLIENTS = 8;
/**
 * The time for which both instances serve before one is killed, and for which the other serves alone, in
 * milliseconds.
 */
const TOGETHER = 700;
const ALONE = 500;
/** The pause between two attempts of a client, in milliseconds. */
const RETRY_PAUSE = 20;

const MODEL = '/api/projects/default/models/prices';

/** Two instances on one PostgreSQL, which are killed in turn while clients write. */
export const twoInstances: Scenario = {
  name: 'two-instances',
  run: ({ folder }) =>
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

async function killOneByOne(instances: [Service, Service], start: () => Promise<Service>): Promise<Finding[]> {
  const persistent = new Persistent(() => instances.map(({ url }) => url));
  const sendUntilDone = (write: Write) => persistent.send(write);
  const writers = Array.from({ length: CLIENTS }, (_, c) => new Writer(`c${c}`, sendUntilDone));
  const working = writers.map((writer) => writer.write());
  const training = await killWhileTraining(instances);
  for (let kill = 1; kill < TURNS; kill += 1) {
    instances[(kill - 1) % 2] = await start();
    await delay(TOGETHER);
    await instances[kill % 2]?.kill();
    await delay(ALONE);
  }
  for (const writer of writers) writer.stop();
  await Promise.all(working);
  persistent.close();
  const there = await readContents(`${instances[TURNS % 2]?.url}/projects/default`);
  const written = writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const { retried } = persistent;
  return [
    none(
      `${TURNS} kills, clients go to the other: no acknowledged write is lost, none is there twice`,
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
      await delay(RETRY_PAUSE);
    }
  }

  close(): void {
    this.#client.close();
  }
}

function isForLater({ status, body }: Answer): boolean {
  return status === 503 || readText(body, 'type') === '/problems/request-in-progress';
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
  // At once: on a fast machine, it would soon have ended.
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
