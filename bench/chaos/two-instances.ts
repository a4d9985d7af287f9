import { setTimeout as delay } from 'node:timers/promises';
import { LEASE_MS } from '../../server/models/training/trainings.js';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, send } from '../../testkit/http/client.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { startPostgres } from '../../testkit/store/postgres-database.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { compareWith, type Ledger, Persistent } from './writes/persistent.js';

const KILLS = 6;
const CLIENTS = 8;
/**
 * The time for which both instances serve before one is killed, and for which the other serves alone, in
 * milliseconds.
 */
const TOGETHER = 700;
const ALONE = 500;

const MODEL = '/api/projects/default/models/prices';

/** Two instances on one PostgreSQL, which are killed in turn while clients write. */
export const twoInstances: Scenario = {
  name: 'two-instances',
  run: async (folder) => {
    const database = await startPostgres();
    const start = () => startService(folder, database.url);
    const instances: [Service, Service] = [await start(), await start()];
    try {
      return await killOneByOne(instances, start);
    } finally {
      await Promise.all(instances.map((instance) => instance.kill()));
      await database.remove();
    }
  },
};

async function killOneByOne(
  instances: [Service, Service],
  start: () => Promise<Service>,
): Promise<Finding[]> {
  const ledger: Ledger = { skills: new Map(), agents: new Map(), faults: [], writes: 0 };
  const clients = Array.from(
    { length: CLIENTS },
    (_, number) => new Persistent(`c${number}`, () => instances.map(({ url }) => url), ledger),
  );
  const working = clients.map((client) => client.work());
  const training = await killWhileTraining(instances);
  for (let kill = 1; kill < KILLS; kill += 1) {
    instances[(kill - 1) % 2] = await start();
    await delay(TOGETHER);
    await instances[kill % 2]?.kill();
    await delay(ALONE);
  }
  for (const client of clients) client.stop();
  await Promise.all(working);
  const alive = instances[KILLS % 2]?.url ?? '';
  const retried = clients.reduce((sum, client) => sum + client.retried, 0);
  const differences = await compareWith(ledger, `${alive}/projects/default`);
  return [
    none(
      `${KILLS} kills, clients go to the other: no acknowledged write is lost, none is there twice`,
      differences,
      `${ledger.writes} writes, ${retried} sent again`,
    ),
    none('each write that is sent again is answered as the first', ledger.faults, `${retried}`),
    training,
  ];
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
  const lines = service.log().split('\n');
  return lines.filter((line) => line.includes('"msg":"training"')).length > cancelled(lines);
}

function cancelled(lines: readonly string[]): number {
  return lines.filter((line) => line.includes('"msg":"training cancelled"')).length;
}
