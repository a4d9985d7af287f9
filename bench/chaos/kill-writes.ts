import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, Client, NoAnswer, send } from '../../testkit/http/client.js';
import { arrayOf, fieldOf, textOf } from '../../testkit/json.js';
import { median } from '../../testkit/numbers.js';
import { startService } from '../../testkit/service/measured-service.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { withPostgres } from '../services.js';
import { addressOf, type Contents, LISTS, readContents, Writer } from './writer.js';

const KILLS = 50;
const WRITERS = 6;
/** The time from the first write to the kill, in milliseconds: from just after the start to many writes. */
const LIFETIME = { least: 30, most: 400 };
/** A training begins after every fifth start. */
const TRAIN_EVERY = 5;
const PROJECT = 'busy';

export const killWritesSqlite: Scenario = {
  name: 'kill-writes-sqlite',
  run: (folder) => killWhileWriting(folder, `file:${folder}/roster.db`, KILLS),
  runShort: (folder) => killWhileWriting(folder, `file:${folder}/roster.db`, 3),
};

export const killWritesPostgres: Scenario = {
  name: 'kill-writes-postgres',
  run: (folder) => withPostgres((url) => killWhileWriting(folder, url, KILLS)),
};

/** Kills a service while it writes, restarts it, and compares its resources with the acknowledged ones. */
async function killWhileWriting(
  folder: string,
  databaseUrl: string,
  kills: number,
): Promise<Finding[]> {
  let service = await startService(folder, databaseUrl);
  const project = () => `${service.url}/projects/${PROJECT}`;
  const clients = Array.from({ length: WRITERS }, () => new Client());
  const writers = clients.map(
    (client, number) =>
      new Writer(`w${number}`, async ({ method, path, body }) => {
        try {
          const answer = await client.send(method, project() + path, body);
          // A 503 leaves the outcome as unknown as no answer.
          return answer.status === 503 ? undefined : answer;
        } catch (error) {
          if (error instanceof NoAnswer) return undefined;
          throw error;
        }
      }),
  );
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
        await ask('PUT', `${addressOf(project(), `/models/${name}`)}?target=price`, csv);
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
    const badEnds = await unexpectedEnds(addressOf(project(), '/models'), trainings);
    for (const path of (await readContents(project())).keys()) {
      await ask('DELETE', addressOf(project(), path));
    }
    const { status } = await send('DELETE', project());
    if (status !== 204) counted.push(`${status} for the deletion of the emptied project`);
    const written = `${writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0)} writes`;
    const unexpected = writers.flatMap((writer) => writer.unexpected);
    return [
      none(
        `${kills} kills: each acknowledged write is there, and each write whole or not at all`,
        lost,
        written,
      ),
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
    for (const client of clients) client.close();
  }
}

/** Compares the counts in the refusal to delete the project with the lists. */
async function compareCounters(project: string, there: Contents): Promise<string[]> {
  const { status, body } = await send('DELETE', project);
  const detail = textOf(body, 'detail');
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
    const models = arrayOf(await ask('GET', url));
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
