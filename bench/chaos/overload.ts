import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, send } from '../../testkit/http/client.js';
import { Crowd, type Load, wire } from '../../testkit/http/load.js';
import { RawConnection } from '../../testkit/http/raw-connection.js';
import { median, percent, quantile } from '../../testkit/numbers.js';
import { residentMemory, type Service } from '../../testkit/service/measured-service.js';
import { compareRates, measureRate, repeatedly, timeInWords, timeStatus } from '../load.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { onService, train, withTwoServices } from '../services.js';

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

/** Creates a skill. Returns the request that reads it. */
async function readingOfSkill({ url }: Service): Promise<Subject> {
  const skill = { name: 'answers', type: 'lookup', params: { tables: ['orders'] } };
  await ask('POST', `${url}/projects/default/skills`, { skill });
  return { method: 'GET', path: '/projects/default/skills/answers' };
}

export const overloadOfGets = scenario('overload-gets', readingOfSkill);

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
    const probes = repeatedly(500, () => timeStatus([200], probe));
    const newcomers = repeatedly(500, () => timeStatus([200, 503], newcomer));
    const flood = await crowd.openLoop(TIMES * before, MAX_CONNECTIONS, FLOOD_SECONDS);
    const stopped = { memory: memory(), probes: probes(), newcomers: newcomers() };
    crowd.close();
    await delay(1000);
    const recovered = await bestRate(flooded, connections);
    const after = await bestRate(calm, connections);
    rounds.push({
      before,
      flood,
      recovered,
      after,
      memory: stopped.memory,
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
  const served = rounds.map(({ before, after, flood }) => flood.served / flood.seconds / ((before + after) / 2));
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

const SLOW = 1000;
/**
 * The time excluded from the measurement while a thousand connections are opened and closed, in milliseconds.
 */
const SETTLING = 1000;

/** A thousand connections that each send a little now and then, forever. */
export const slowConnections = onService({ name: 'slow-connections', hasShort: true }, (service, { isShort }) =>
  inTurn(service, isShort ? 1 : 5),
);

async function inTurn(service: Service, rounds: number): Promise<Finding[]> {
  const { url } = service;
  const { method, path } = await readingOfSkill(service);
  const get = wire(url, method, path);
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
    training ??= await sendTable(service);
    closeSlow();
    return rate;
  };
  const served = await compareRates({
    asked: `with ${SLOW} slow connections, others are served at ≥ 0.9 of the usual rate`,
    first: besideSlow,
    second: usual,
    least: 0.9,
    rounds,
  });
  return [served, ...(training ? [training] : [])];
}

/** Tables are read as streams: slow ones must not use up the capacity for others. */
async function sendTable({ url }: Service): Promise<Finding> {
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
