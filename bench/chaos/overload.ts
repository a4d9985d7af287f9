import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, send } from '../../testkit/http/client.js';
import { Crowd, type Load, wire } from '../../testkit/http/load.js';
import { median, percent, quantile } from '../../testkit/numbers.js';
import {
  residentMemory,
  type Service,
  startService,
} from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { type Finding, none, type Scenario } from '../scenarios.js';

const TIMES = 20;
const ROUNDS = 8;
const FLOOD_SECONDS = 8;
/** The time until the connections are open, which is not part of the flood, in seconds. */
const CONNECTING_SECONDS = 2;
/** More connections than this do not increase the rate that reaches the service. */
const MAX_CONNECTIONS = 1000;
/** Small numbers of connections that keep the service busy without queueing. The better one is used. */
const FEW = [4, 16];
const BEST_SECONDS = 2;

/** In milliseconds: a refused caller can try another instance before a person notices. */
const QUICKLY = 1000;
/**
 * The limit of additional memory, in MiB: the bodies that the service may buffer, and as much again for their
 * contents.
 */
const MORE_MEMORY = 512;

/** Many small requests. */
export const overloadOfGets: Scenario = {
  name: 'overload-gets',
  run: (folder) =>
    overload(folder, async ({ url }) => {
      const skill = { name: 'answers', type: 'lookup', params: { tables: ['orders'] } };
      await ask('POST', `${url}/projects/default/skills`, { skill });
      return {
        wire: wire(url, 'GET', '/projects/default/skills/answers'),
        sendAnew: () => send('GET', `${url}/projects/default/skills/answers`),
      };
    }),
};

/** Predictions of three hundred rows each. */
export const overloadOfPredictions: Scenario = {
  name: 'overload-predictions',
  run: (folder) =>
    overload(folder, async ({ url }) => {
      const { csv, rows } = diamondTable(2000);
      const model = `${url}/api/projects/default/models/prices`;
      await ask('PUT', `${model}?target=price`, csv);
      await untilReadyAt(model);
      const path = '/api/projects/default/models/prices/predict';
      return {
        wire: wire(url, 'POST', path, rows.slice(0, 300)),
        sendAnew: () => send('POST', url + path, rows.slice(0, 300)),
      };
    }),
};

/** The request that overloads the service. */
interface Subject {
  readonly wire: Buffer;
  /** Sends the same request on its own connection. */
  sendAnew(): Promise<{ status: number }>;
}

/** Prepares a service for the request. */
type Prepare = (service: Service) => Promise<Subject>;

/** A service that is ready for the request. */
type Target = Subject & Pick<Service, 'url' | 'pid' | 'kill'>;

/**
 * Starts two services, floods one of them repeatedly, and compares its rates with those of the other. They are
 * measured in turn, because the speed of the machine varies by more than the limit.
 */
async function overload(folder: string, prepare: Prepare): Promise<Finding[]> {
  const calm = await start(folder, 'calm', prepare);
  const flooded = await start(folder, 'flooded', prepare);
  try {
    return await compare(calm, flooded);
  } finally {
    await Promise.all([calm.kill(), flooded.kill()]);
  }
}

async function start(folder: string, name: string, prepare: Prepare): Promise<Target> {
  const service = await startService(folder, `file:${join(folder, `${name}.db`)}`);
  try {
    const subject = await prepare(service);
    const { url, pid } = service;
    return { ...subject, url, pid, kill: () => service.kill() };
  } catch (error) {
    await service.kill();
    throw error;
  }
}

/** The rates of one round, in requests a second. */
interface Round {
  /** The best rate of the service that is never flooded, before and after the round. */
  readonly before: number;
  readonly after: number;
  readonly flood: Load;
  /** The best rate of the other service a second after the flood. */
  readonly recovered: number;
}

async function compare(calm: Target, flooded: Target): Promise<Finding[]> {
  const connections = await bestConnectionCount(calm);
  await warmUp(flooded);
  const watch = watchService(flooded);
  const rounds: Round[] = [];
  let before = await bestRate(calm, connections);
  for (let round = 0; round < ROUNDS; round++) {
    const flood = await floodOf(flooded, TIMES * before, watch);
    await delay(1000);
    const recovered = await bestRate(flooded, connections);
    const after = await bestRate(calm, connections);
    rounds.push({ before, flood, recovered, after });
    before = after;
  }
  return [...findings(rounds), ...(await watch.findings())];
}

/** Lets the service compile its frequent code. */
async function warmUp(target: Target): Promise<void> {
  for (let round = 0; round < 3; round++) await bestRate(target, 4);
}

async function bestConnectionCount(target: Target): Promise<number> {
  await warmUp(target);
  const tried: number[] = [];
  for (const connections of FEW) tried.push(await bestRate(target, connections));
  return FEW[tried.indexOf(Math.max(...tried))] ?? 4;
}

async function bestRate({ url, wire }: Target, connections: number): Promise<number> {
  const crowd = new Crowd(url, () => wire);
  const load = await crowd.closedLoop(connections, BEST_SECONDS);
  crowd.close();
  return load.served / load.seconds;
}

async function floodOf({ url, wire }: Target, rate: number, watch: Watch): Promise<Load> {
  const crowd = new Crowd(url, () => wire);
  await crowd.openLoop(rate, MAX_CONNECTIONS, CONNECTING_SECONDS);
  watch.resume();
  const load = await crowd.openLoop(rate, MAX_CONNECTIONS, FLOOD_SECONDS);
  watch.pause();
  crowd.close();
  return load;
}

/** Measures a service during the floods: its answers on separate connections, and its memory. */
interface Watch {
  resume(): void;
  pause(): void;
  findings(): Promise<Finding[]>;
}

function watchService({ url, pid, sendAnew }: Target): Watch {
  const memoryBefore = residentMemory(pid);
  const memory: number[] = [];
  const probes: Promise<number>[] = [];
  const newcomers: Promise<number>[] = [];
  let clocks: NodeJS.Timeout[] = [];
  const look = () => memory.push(residentMemory(pid));
  const ask = () => {
    probes.push(timed(() => probe(url)));
    newcomers.push(timed(() => served(sendAnew)));
  };
  return {
    resume: () => {
      clocks = [setInterval(look, 250), setInterval(ask, 500)];
    },
    pause: () => {
      for (const clock of clocks) clearInterval(clock);
    },
    findings: async () => [
      {
        asked: `memory at most ${MORE_MEMORY} MiB more than before`,
        measured: `${Math.max(...memory).toFixed(0)} MiB at most, ${memoryBefore.toFixed(0)} MiB before`,
        passed: Math.max(...memory) - memoryBefore <= MORE_MEMORY,
      },
      waits(
        `one who comes anew is served or refused quickly: p90 ≤ ${QUICKLY} ms`,
        await Promise.all(newcomers),
      ),
      waits(
        `a new connection that asks for its health is answered meanwhile: p90 ≤ ${QUICKLY} ms`,
        await Promise.all(probes),
      ),
    ],
  };
}

function waits(asked: string, times: readonly number[]): Finding {
  const p90 = quantile(times, 0.9);
  return {
    asked,
    measured: `p90 ${p90.toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms, median ${median(times).toFixed(0)} ms of ${times.length}`,
    passed: p90 <= QUICKLY,
  };
}

/** Checks the health like an orchestrator that restarts a service that does not answer. */
async function probe(url: string): Promise<void> {
  const { status } = await send('GET', `${url}/health/live`);
  if (status !== 200) throw new Error(`the service says of its health ${status}`);
}

async function served(ask: () => Promise<{ status: number }>): Promise<void> {
  const { status } = await ask();
  if (status !== 200 && status !== 503) throw new Error(`the service answers ${status}`);
}

/** Returns the duration of the work in milliseconds; infinite if it fails. */
async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  try {
    await work();
    return performance.now() - begun;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function findings(rounds: readonly Round[]): Finding[] {
  const floods = rounds.map(({ flood }) => flood);
  const seconds = sum(floods.map((flood) => flood.seconds));
  const sent = sum(floods.map((flood) => flood.sent));
  const offered = sum(floods.map((flood) => flood.offered));
  const refusing = floods.flatMap((flood) => flood.refusing);
  const timesReached = rounds.map(({ before, flood }) => flood.sent / flood.seconds / before);
  const during = rounds.map(
    ({ before, after, flood }) => flood.served / flood.seconds / ((before + after) / 2),
  );
  const recovery = rounds.map(({ after, recovered }) => recovered / after);
  const answers = refusing.length > 0 ? refusing : floods.flatMap((flood) => flood.serving);
  const whatIsSlow = refusing.length > 0 ? 'refusals' : 'answers, as nothing was refused,';
  return [
    {
      asked: `${TIMES} times the best rate reaches the service`,
      measured: `${median(timesReached).toFixed(1)} times: ${perSecond(sent / seconds)} on the wire of ${perSecond(offered / seconds)} offered; the others found each of ${MAX_CONNECTIONS} connections waiting for an answer, and were not sent`,
      // A figure of the load, not of the service: if it is missed, the next figures say less than they seem to.
      passed: median(timesReached) >= TIMES ? true : undefined,
    },
    {
      asked: `serves ≥ 80 % of its best rate while ${TIMES} times that rate is offered, ${ROUNDS} times for ${FLOOD_SECONDS} s`,
      measured: `${share(during)}: ${perSecond(sum(floods.map((flood) => flood.served)) / seconds)} of ${perSecond(median(rounds.map(({ before }) => before)))}`,
      passed: median(during) >= 0.8,
    },
    {
      asked: 'how long those wait who come again at once, whatever Retry-After says',
      measured: `p99 of ${whatIsSlow} ${quantile(answers, 0.99).toFixed(0)} ms, median ${median(answers).toFixed(0)} ms; ${perSecond(refusing.length / seconds)} refused`,
      passed: undefined,
    },
    none(
      'answers with 2xx or 503, and breaks no connection',
      floods.flatMap(({ others }) => others),
      `${sent}`,
    ),
    {
      asked: 'a second after a flood the rate is ≥ 90 % of the best',
      measured: `${share(recovery)}: ${perSecond(median(rounds.map(({ recovered }) => recovered)))}`,
      passed: median(recovery) >= 0.9,
    },
  ];
}

/** Formats the median of shares, and their range. */
function share(shares: readonly number[]): string {
  const range = `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`;
  return `${percent(median(shares))} (${range}, in turn with a service that is never flooded)`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function perSecond(rate: number): string {
  return `${rate.toFixed(rate < 100 ? 1 : 0)}/s`;
}
