import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { diamonds } from '../../harness/diamonds.js';
import { ask, send } from '../../harness/http.js';
import { Crowd, type Load, type Requests, wire } from '../../harness/load.js';
import { median, percent, quantile } from '../../harness/numbers.js';
import { type Finding, none, type Scenario } from '../../harness/scenario.js';
import { residentMemory, type Service, startService } from '../../harness/service.js';
import { trained } from '../../harness/training.js';

const TIMES = 20;
const SECONDS = 60;
/** As many connections as it takes until more of them do not reach the service more often. */
const MOST_CONNECTIONS = 1000;
/** Few connections keep the service busy without making it queue; which number is best, we try. */
const FEW = [4, 16];
const BEST_SECONDS = 4;

/** In milliseconds: whoever is refused may ask another instance before a person notices. */
const QUICKLY = 1000;
/** In MiB: the bodies that the service lets itself hold, and as much again for what is made of them. */
const MORE_MEMORY = 512;

/** Many small requests. */
export const overloadOfGets: Scenario = {
  name: 'overload-gets',
  run: async (folder) => {
    const service = await startService(folder, `file:${join(folder, 'roster.db')}`);
    try {
      const { url } = service;
      const skill = { name: 'answers', type: 'sql', params: { tables: ['orders'] } };
      await ask('POST', `${url}/projects/default/skills`, { skill });
      const get = wire(url, 'GET', '/projects/default/skills/answers');
      const anew = () => send('GET', `${url}/projects/default/skills/answers`);
      return await overload(service, () => get, anew);
    } finally {
      await service.kill();
    }
  },
};

/** Predictions of three hundred rows each. */
export const overloadOfPredictions: Scenario = {
  name: 'overload-predictions',
  run: async (folder) => {
    const service = await startService(folder, `file:${join(folder, 'roster.db')}`);
    try {
      const { url } = service;
      const { csv, rows } = await diamonds(2000);
      const model = `${url}/api/projects/default/models/prices`;
      await ask('PUT', `${model}?target=price`, csv);
      await trained(model);
      const path = '/api/projects/default/models/prices/predict';
      const predict = wire(url, 'POST', path, rows.slice(0, 300));
      const anew = () => send('POST', url + path, rows.slice(0, 300));
      return await overload(service, () => predict, anew);
    } finally {
      await service.kill();
    }
  },
};

/**
 * Finds the best rate, offers many times as much, and finds the best rate again. Those who are sent away and
 * come again at once, as the crowd does, are held back; how quickly one is answered who comes anew, is asked
 * apart.
 * @param askAnew sends the same request on a connection of its own
 */
async function overload(
  { url, pid }: Service,
  requests: Requests,
  askAnew: () => Promise<{ status: number }>,
): Promise<Finding[]> {
  const few = new Crowd(url, requests);
  await few.closedLoop(4, BEST_SECONDS); // What runs often is compiled now.
  const tried: number[] = [];
  for (const connections of FEW) tried.push(await bestRate(url, requests, connections));
  const connections = FEW[tried.indexOf(Math.max(...tried))] ?? 4;
  const before = Math.max(...tried);
  few.close();

  const crowd = new Crowd(url, requests);
  const memoryBefore = residentMemory(pid);
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(residentMemory(pid)), 250);
  const probes: Promise<number>[] = [];
  const newcomers: Promise<number>[] = [];
  const probing = setInterval(() => {
    probes.push(timed(() => probe(url)));
    newcomers.push(timed(() => served(askAnew)));
  }, 500);
  const load = await crowd.openLoop(TIMES * before, MOST_CONNECTIONS, SECONDS);
  clearInterval(sampling);
  clearInterval(probing);
  crowd.close();
  const waits = await Promise.all(probes);
  const answered = await Promise.all(newcomers);
  await delay(1000);
  const after = await bestRate(url, requests, connections);
  return [
    ...findings(load, { before, after, memoryBefore, memory: Math.max(...memory) }),
    {
      asked: `one who comes anew is served or refused quickly: p90 ≤ ${QUICKLY} ms`,
      measured: `p90 ${quantile(answered, 0.9).toFixed(0)} ms, p99 ${quantile(answered, 0.99).toFixed(0)} ms, median ${median(answered).toFixed(0)} ms of ${answered.length}`,
      passed: quantile(answered, 0.9) <= QUICKLY,
    },
    {
      asked: `a new connection that asks for its health is answered meanwhile: p90 ≤ ${QUICKLY} ms`,
      measured: `p90 ${quantile(waits, 0.9).toFixed(0)} ms, median ${median(waits).toFixed(0)} ms of ${waits.length}`,
      passed: quantile(waits, 0.9) <= QUICKLY,
    },
  ];
}

/** What an orchestrator does, which ends a service that does not answer. */
async function probe(url: string): Promise<void> {
  const { status } = await send('GET', `${url}/health/live`);
  if (status !== 200) throw new Error(`the service says of its health ${status}`);
}

async function served(ask: () => Promise<{ status: number }>): Promise<void> {
  const { status } = await ask();
  if (status !== 200 && status !== 503) throw new Error(`the service answers ${status}`);
}

/** How long it takes, in milliseconds; for ever, if it fails. */
async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  try {
    await work();
    return performance.now() - begun;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

async function bestRate(url: string, requests: Requests, connections: number): Promise<number> {
  const crowd = new Crowd(url, requests);
  const load = await crowd.closedLoop(connections, BEST_SECONDS);
  crowd.close();
  return load.served / load.seconds;
}

function findings(
  load: Load,
  rates: { before: number; after: number; memoryBefore: number; memory: number },
): Finding[] {
  const { before, after, memoryBefore, memory } = rates;
  const rate = load.served / load.seconds;
  const refused = load.refusing.length;
  const slow = quantile(refused > 0 ? load.refusing : load.serving, 0.99);
  const times = load.sent / load.seconds / before;
  const whatIsSlow = refused > 0 ? 'refusals' : 'answers, as nothing was refused,';
  return [
    {
      asked: `${TIMES} times the best rate reaches the service`,
      measured: `${times.toFixed(1)} times: ${perSecond(load.sent / load.seconds)} on the wire of ${perSecond(load.offered / load.seconds)} offered; the others found each of ${MOST_CONNECTIONS} connections waiting for an answer, and were not sent`,
      // It is a figure of the load, not of the service: without it the next ones say less than they seem to.
      passed: times >= TIMES ? true : undefined,
    },
    {
      asked: `serves ≥ 80 % of its best rate while ${TIMES} times that rate is offered, for ${SECONDS} s`,
      measured: `${percent(rate / before)}: ${perSecond(rate)} of ${perSecond(before)}`,
      passed: rate >= 0.8 * before,
    },
    {
      asked: 'how long those wait who come again at once, whatever Retry-After says',
      measured: `p99 of ${whatIsSlow} ${slow.toFixed(0)} ms, median ${median(refused > 0 ? load.refusing : load.serving).toFixed(0)} ms; ${perSecond(refused / load.seconds)} refused`,
      passed: undefined,
    },
    none('answers with 2xx or 503, and breaks no connection', load.others, `${load.sent}`),
    {
      asked: `memory at most ${MORE_MEMORY} MiB more than before`,
      measured: `${memory.toFixed(0)} MiB at most, ${memoryBefore.toFixed(0)} MiB before`,
      passed: memory - memoryBefore <= MORE_MEMORY,
    },
    {
      asked: 'the rate after it ≥ 90 % of the rate before',
      measured: `${percent(after / before)}: ${perSecond(after)}`,
      passed: after >= 0.9 * before,
    },
  ];
}

function perSecond(rate: number): string {
  return `${rate.toFixed(rate < 100 ? 1 : 0)}/s`;
}
