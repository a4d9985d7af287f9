import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, send } from '../../testkit/http/client.js';
import { arrayOf, fieldOf, textOf } from '../../testkit/json.js';
import { median } from '../../testkit/numbers.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { startPostgres } from '../../testkit/store/postgres-database.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { type Contents, contentsOf, LISTS, Writer } from './writes/writer.js';

const KILLS = 50;
const WRITERS = 6;
/** The time from the first write to the kill, in milliseconds: from just after the start to many writes. */
const LIFETIME = { least: 30, most: 400 };
/** A training begins after every fifth start. */
const TRAIN_EVERY = 5;
const PROJECT = 'busy';

export const killWritesSqlite: Scenario = {
  name: 'kill-writes-sqlite',
  run: (folder) => killWhileWriting(folder, `file:${join(folder, 'roster.db')}`),
};

export const killWritesPostgres: Scenario = {
  name: 'kill-writes-postgres',
  run: async (folder) => {
    const database = await startPostgres();
    try {
      return await killWhileWriting(folder, database.url);
    } finally {
      await database.remove();
    }
  },
};

/** Kills a service while it writes, restarts it, and compares its resources with the acknowledged ones. */
async function killWhileWriting(folder: string, databaseUrl: string): Promise<Finding[]> {
  const writers = Array.from({ length: WRITERS }, (_, number) => new Writer(`w${number}`));
  const { csv } = diamondTable(60);
  const trainings: string[] = [];
  const lost: string[] = [];
  const counted: string[] = [];
  const starts: number[] = [];
  let service = await startService(folder, databaseUrl);
  try {
    await ask('POST', `${service.url}/projects`, { project: { name: PROJECT } });
    for (let kill = 0; kill < KILLS; kill += 1) {
      const living = writers.map((writer) => writer.write(`${service.url}/projects/${PROJECT}`));
      if (kill % TRAIN_EVERY === 0) trainings.push(await begin(service, `model_${kill}`, csv));
      await delay(LIFETIME.least + Math.random() * (LIFETIME.most - LIFETIME.least));
      await service.kill();
      await Promise.all(living);
      const begun = performance.now();
      service = await startService(folder, databaseUrl);
      starts.push(performance.now() - begun);
      const there = await contentsOf(`${service.url}/projects/${PROJECT}`);
      lost.push(...writers.flatMap((writer) => writer.compare(there)));
      counted.push(...(await compareCounters(service, there)));
    }
    const badEnds = await unexpectedEnds(service, trainings);
    counted.push(...(await emptyAndDelete(service)));
    const written = writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    const faults = writers.flatMap(({ unexpected }) => unexpected);
    return [
      none(
        `${KILLS} kills: each acknowledged write is there, and each write whole or not at all`,
        lost,
        `${written} writes`,
      ),
      none('every other answer is one that was due', faults, `${written} writes`),
      none(
        'the counters agree with the lists; the project that was emptied can be deleted',
        counted,
        `${KILLS + 1} looks`,
      ),
      none(
        'every training that was accepted ends: ready, or failed for it was cut short 3 times',
        badEnds,
        `${trainings.length}`,
      ),
      {
        asked: 'each start after a kill needs no hand',
        measured: `${starts.length} of ${KILLS}, median ${median(starts).toFixed(0)} ms`,
        passed: starts.length === KILLS,
      },
    ];
  } finally {
    await service.kill();
    for (const writer of writers) writer.close();
  }
}

/** Starts a training. Returns the name of the model once it is accepted. */
async function begin({ url }: Service, name: string, csv: string): Promise<string> {
  await ask('PUT', `${url}/api/projects/${PROJECT}/models/${name}?target=price`, csv);
  return name;
}

/** Compares the counts in the refusal to delete the project with the lists. */
async function compareCounters({ url }: Service, there: Contents): Promise<string[]> {
  const { status, body } = await send('DELETE', `${url}/projects/${PROJECT}`);
  const detail = textOf(body, 'detail');
  if (status !== 409) return [`${status} to the deletion of a project that holds something`];
  return LISTS.filter((list) => {
    const reported = Number(new RegExp(`(\\d+) ${list.slice(0, -1)}`).exec(detail)?.[1] ?? 0);
    return reported !== there[list].size;
  }).map((list) => `${there[list].size} ${list} are listed, but "${detail}"`);
}

/** The timeout of the trainings, in milliseconds: some trainings, each after the lease of a killed instance. */
const TRAINING_TIMEOUT_MS = 40_000;

/** The service gives up a training after three attempts: the training may be what ends the process. */
const CUT_SHORT = 'cut short 3 times';

/** Waits until the trainings have ended, and returns those that ended in an unexpected way. */
async function unexpectedEnds({ url }: Service, names: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + TRAINING_TIMEOUT_MS;
  for (;;) {
    const models = arrayOf(await ask('GET', `${url}/api/projects/${PROJECT}/models`));
    const ends = names.map((name) => {
      const model = models.find((one) => fieldOf(one, 'name') === name);
      return { name, status: textOf(model, 'status'), failure: textOf(model, 'failure') };
    });
    const hasOpen = ends.some(({ status }) => status === 'training');
    if (hasOpen && performance.now() < deadline) {
      await delay(200);
      continue;
    }
    return ends
      .filter(({ status, failure }) => status !== 'ready' && !failure.includes(CUT_SHORT))
      .map(({ name, status, failure }) => `${name} is ${status || 'lost'}: ${failure}`);
  }
}

async function emptyAndDelete({ url }: Service): Promise<string[]> {
  const project = `${url}/projects/${PROJECT}`;
  const there = await contentsOf(project);
  for (const list of LISTS) {
    const at = list === 'models' ? `${url}/api/projects/${PROJECT}/models` : `${project}/${list}`;
    for (const name of there[list].keys()) await ask('DELETE', `${at}/${name}`);
  }
  const { status, body } = await send('DELETE', project);
  return status === 204 ? [] : [`${status} for the emptied project: ${textOf(body, 'detail')}`];
}
