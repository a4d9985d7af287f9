import { setTimeout as delay } from 'node:timers/promises';
import { table } from '../../testkit/markdown-table.js';
import { median } from '../../testkit/numbers.js';
import { listTree, processorTime, type Service, startService } from '../../testkit/service/measured-service.js';
import { compareRounds, measureInTurn, measureRate, type Rate } from '../load.js';
import { withFolder } from '../scenarios.js';
import { ENVIRONMENT, withPostgres } from '../services.js';
import { createSkill, getSkill, type Operation, seed, updateAgent } from './contenders.js';
import { CONNECTIONS, makeRequests, WARM_UP } from './measure.js';

const MAX_INSTANCES = 3;
const OPERATIONS: readonly Operation[] = [getSkill, updateAgent, createSkill];

/** The figures of a round of several instances; `cost` is the processor time of the instances alone. */
interface InstancesRate extends Rate {
  /** The processor time that PostgreSQL took for a request, in milliseconds. */
  readonly store: number;
}

/** A number of instances that answer an operation. */
interface Work {
  readonly operation: Operation;
  readonly count: number;
}

/**
 * Measures one, two and three instances on one PostgreSQL, with a fixed number of connections to each. All share the
 * cores of this machine with PostgreSQL and the load, so that the processor time of a request says more of several
 * machines than the rates do.
 * @param seconds the duration of a round
 * @returns a table
 */
export async function measureInstances(options: { rounds: number; seconds: number }) {
  const works = OPERATIONS.flatMap((operation) =>
    Array.from({ length: MAX_INSTANCES }, (_, index): Work => ({ operation, count: index + 1 })),
  );
  const { rounds, seconds } = options;
  const measured = await withFolder((folder) =>
    withPostgres(async (url) => {
      const { own: key } = await seed(url);
      const instances: Service[] = [];
      try {
        for (const _ of Array.from({ length: MAX_INSTANCES })) {
          instances.push(await startService(folder, url, ENVIRONMENT));
        }
        const measure = ({ operation, count }: Work) =>
          measureRound(instances.slice(0, count), instances, { operation, key, seconds });
        return await measureInTurn(works, measure, { rounds, warmUps: WARM_UP });
      } finally {
        await Promise.all(instances.map((instance) => instance.kill()));
      }
    }),
  );
  const head = ['operation, instances', 'requests a second', 'of those of one', 'processor'];
  const cells = measured.map(({ work: { operation, count }, rounds: some }) => {
    const one = measured.find(({ work }) => work.operation === operation && work.count === 1);
    const { ratio, range } = compareRounds(some, one?.rounds ?? [], 'perSecond');
    const figure = (what: keyof InstancesRate) => median(some.map((round) => round[what]));
    const [service, store] = [1000 * figure('cost'), 1000 * figure('store')];
    return [
      `${operation.name}, ${count}`,
      `${figure('perSecond').toFixed(0)}/s`,
      `${ratio.toFixed(2)} (${range})`,
      `${service.toFixed(0)} µs`,
      `${store.toFixed(0)} µs`,
      (service / store).toFixed(1),
    ];
  });
  return table([...head, 'of PostgreSQL', 'instances to one core of it'], cells);
}

/** @param all also the instances that have nothing to do */
async function measureRound(
  instances: readonly Service[],
  all: readonly Service[],
  { operation, key, seconds }: { operation: Operation; key: string; seconds: number },
): Promise<InstancesRate> {
  const others = new Set([process.pid, ...all.flatMap(({ pid }) => listTree(pid)).map(pidOf)]);
  const before = storeTimes(others);
  const rates = await Promise.all(
    instances.map((service) =>
      measureRate({
        service,
        seconds,
        connections: CONNECTIONS,
        statuses: operation.statuses,
        request: makeRequests(operation, service.url, key),
      }),
    ),
  );
  // The last requests are still being answered.
  await delay(100);
  const answers = rates.reduce((sum, rate) => sum + rate.answers, 0);
  const store = [...storeTimes(others)].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0);
  const costOf = (what: 'cost' | 'allCost') =>
    rates.reduce((sum, rate) => sum + rate[what] * rate.answers, 0) / answers;
  return {
    perSecond: rates.reduce((sum, rate) => sum + rate.perSecond, 0),
    cost: costOf('cost'),
    allCost: costOf('allCost'),
    store: store / answers,
  };
}

/** Returns the processor time of each process of PostgreSQL: of those that this one has started, what is left. */
function storeTimes(others: ReadonlySet<number>): Map<number, number> {
  const pids = listTree(process.pid).map(pidOf);
  return new Map(pids.filter((pid) => !others.has(pid)).map((pid) => [pid, processorTime(pid) || 0]));
}

const pidOf = ({ pid }: { readonly pid: number }) => pid;
