import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, send } from '../../testkit/http/client.js';
import { Crowd, type Load, wire } from '../../testkit/http/load.js';
import { median, percent, quantile } from '../../testkit/numbers.js';
import { residentMemory, type Service } from '../../testkit/service/measured-service.js';
import { measureRate, repeatedly, timeInWords, timeOf } from '../load.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { train, withTwoServices } from '../services.js';

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

interface Subject {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

export const overloadOfGets = scenario('overload-gets', async ({ url }) => {
  const skill = { name: 'answers', type: 'lookup', params: { tables: ['orders'] } };
  await ask('POST', `${url}/projects/default/skills`, { skill });
  return { method: 'GET', path: '/projects/default/skills/answers' };
});

export const overloadOfPredictions = scenario('overload-predictions', async ({ url }) => {
  const { csv, rows } = diamondTable(2000);
  const model = '/api/projects/default/models/prices';
  await train(`${url}${model}?target=price`, csv);
  return { method: 'POST', path: `${model}/predict`, body: rows.slice(0, 300) };
});

/** @param prepare prepares a service for the request */
function scenario(name: string, prepare: (service: Service) => Promise<Subject>): Scenario {
  return {
    name,
    hasShort: true,
    run: ({ folder, isShort }) =>
      withTwoServices(folder, async (calm, flooded) => {
        await prepare(calm);
        const subject = await prepare(flooded);
        return compare(calm, flooded, { subject, rounds: isShort ? 1 : ROUNDS });
      }),
  };
}

/** The rates of one round, in requests a second. */
interface Round {
  /** The best rate of the service that is never flooded, before and after the round. */
  readonly before: number;
  readonly after: number;
  readonly flood: Load;
  /** The best rate of the other service a second after the flood. */
  readonly recovered: number;
  /** During the flood: the readings of memory, in MiB, and the times of answers on separate connections. */
  readonly memory: readonly number[];
  readonly probes: readonly number[];
  readonly newcomers: readonly number[];
}

/**
 * Floods one of two services repeatedly, and compares its rates with those of the other. They are measured in turn,
 * because the speed of the machine varies by more than the limit.
 */
async function compare(
  calm: Service,
  flooded: Service,
  { subject, rounds: count }: { readonly subject: Subject; readonly rounds: number },
): Promise<Finding[]> {
  const { method, path, body } = subject;
  const bestRate = async (service: Service, connections: number) => {
    const request = wire(service.url, method, path, body);
    const of = { service, request, connections, seconds: BEST_SECONDS, mayRefuse: true };
    return (await measureRate(of)).perSecond;
  };
  // The first rounds let the services compile their frequent code.
  for (const service of [calm, flooded]) {
    for (let round = 0; round < 3; round++) await bestRate(service, 4);
  }
  const tried: number[] = [];
  for (const connections of FEW) tried.push(await bestRate(calm, connections));
  const connections = FEW[tried.indexOf(Math.max(...tried))] ?? 4;
  const memoryBefore = residentMemory(flooded.pid);
  const newcomer = () => send(method, flooded.url + path, body);
  // As an orchestrator does, which restarts a service that does not answer.
  const probe = () => send('GET', `${flooded.url}/health/live`);
  const rounds: Round[] = [];
  let before = await bestRate(calm, connections);
  for (let round = 0; round < count; round++) {
    const crowd = new Crowd(flooded.url, () => wire(flooded.url, method, path, body));
    await crowd.openLoop(TIMES * before, MAX_CONNECTIONS, CONNECTING_SECONDS);
    const memory = repeatedly(250, () => residentMemory(flooded.pid));
    const probes = repeatedly(500, () => timeOf([200], probe));
    const newcomers = repeatedly(500, () => timeOf([200, 503], newcomer));
    const flood = await crowd.openLoop(TIMES * before, MAX_CONNECTIONS, FLOOD_SECONDS);
    const stopped = { memory: memory(), probes: probes(), newcomers: newcomers() };
    crowd.close();
    await delay(1000);
    const recovered = await bestRate(flooded, connections);
    const after = await bestRate(calm, connections);
    rounds.push({
      ...{ before, flood, recovered, after, memory: stopped.memory },
      probes: await Promise.all(stopped.probes),
      newcomers: await Promise.all(stopped.newcomers),
    });
    before = after;
  }
  return judge(rounds, memoryBefore);
}

function waits(what: string, times: readonly number[]): Finding {
  const p90 = quantile(times, 0.9);
  return {
    asked: `${what}: p90 ≤ ${QUICKLY} ms`,
    measured: `p90 ${timeInWords(p90, 'no answer')}, median ${median(times).toFixed(0)} ms of ${times.length}`,
    passed: p90 <= QUICKLY,
  };
}

function judge(rounds: readonly Round[], memoryBefore: number): Finding[] {
  const floods = rounds.map(({ flood }) => flood);
  const sent = sum(floods.map((flood) => flood.sent));
  const refusing = floods.flatMap((flood) => flood.refusing);
  const served = rounds.map(
    ({ before, after, flood }) => flood.served / flood.seconds / ((before + after) / 2),
  );
  const recovery = rounds.map(({ after, recovered }) => recovered / after);
  const reached = median(rounds.map(({ before, flood }) => flood.sent / flood.seconds / before));
  const answers = refusing.length > 0 ? refusing : floods.flatMap((flood) => flood.serving);
  const memory = Math.max(...rounds.flatMap((round) => round.memory));
  const newcomers = rounds.flatMap((round) => round.newcomers);
  const probes = rounds.flatMap((round) => round.probes);
  const slow = refusing.length > 0 ? 'refusals' : 'answers, as nothing was refused';
  return [
    {
      asked: `${TIMES} times the best rate reaches the service`,
      measured: `${reached.toFixed(1)} times: ${sent} requests of ${sum(floods.map(({ offered }) => offered))}; for the others, each of ${MAX_CONNECTIONS} connections waited for an answer`,
      // A figure of the load, not of the service: if it is missed, the next figures say less than they seem to.
      passed: reached >= TIMES ? true : undefined,
    },
    {
      asked: `serves ≥ 80 % of its best rate while ${TIMES} times that rate is offered, ${rounds.length} times for ${FLOOD_SECONDS} s`,
      measured: shareInWords(served),
      passed: median(served) >= 0.8,
    },
    {
      asked: 'how long those wait who come again at once, whatever Retry-After says',
      measured: `p99 ${quantile(answers, 0.99).toFixed(0)} ms, median ${median(answers).toFixed(0)} ms of ${slow}`,
    },
    none(
      'answers with 2xx or 503, and breaks no connection',
      floods.flatMap(({ others }) => others),
      `${sent}`,
    ),
    {
      asked: 'a second after a flood the rate is ≥ 90 % of the best',
      measured: shareInWords(recovery),
      passed: median(recovery) >= 0.9,
    },
    {
      asked: `memory at most ${MORE_MEMORY} MiB more than before`,
      measured: `${memory.toFixed(0)} MiB at most, ${memoryBefore.toFixed(0)} MiB before`,
      passed: memory - memoryBefore <= MORE_MEMORY,
    },
    waits('one who comes anew is served or refused quickly', newcomers),
    waits('a new connection that asks for its health is answered', probes),
  ];
}

/** Formats the median of shares, and their range. */
function shareInWords(shares: readonly number[]): string {
  const range = `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`;
  return `${percent(median(shares))} (${range}, in turn with a service that is never flooded)`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
