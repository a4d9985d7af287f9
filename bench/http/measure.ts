import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { send } from '../../testkit/http/client.js';
import { Crowd, head, wireBytes } from '../../testkit/http/load.js';
import { measureInTurn, measureRate, type Rate } from '../load.js';
import { withFolder } from '../scenarios.js';
import { type Cores, pin } from '../services.js';
import {
  type Contender,
  createSkill,
  getSkill,
  type Keys,
  listSkills,
  type Operation,
  type Running,
  seed,
  start,
  updateAgent,
} from './contenders.js';

export type Work = readonly [Contender, Operation];

/** Works that are measured in turn, because they are compared with each other. */
export interface Group {
  readonly name: string;
  readonly works: readonly Work[];
}

export interface Measured {
  readonly work: Work;
  readonly rounds: readonly Rate[];
}

interface Options {
  readonly cores: Cores | undefined;
  readonly rounds: number;
  /** The duration of a round, in seconds. */
  readonly seconds: number;
}

interface Target {
  readonly servers: ReadonlyMap<Contender, Running>;
  readonly keys: Keys;
  readonly seconds: number;
}

/** To each server at once. */
export const CONNECTIONS = 10;
const REFUSED_CONNECTIONS = 100;

/** Rounds that are not counted: it takes thousands of requests until the frequent code is compiled. */
export const WARM_UP = 2;

/**
 * With fewer answers, the cost of connecting and the clock tick of 10 ms become significant. Each attempt takes twice
 * as long as the one before it: Prism answers few requests in a short round on a busy machine.
 */
const MIN_ANSWERS = 100;
const ATTEMPTS = 5;

/** The requests a second of a round that has a fixed number of them, the same for all contenders. */
const REQUESTS_A_SECOND = 500;

/** Starts the servers of the groups, each with a copy of the same store, and measures group by group. */
export function measure(groups: readonly Group[], options: Options): Promise<Measured[]> {
  const { cores, rounds, seconds } = options;
  pin(process.pid, cores?.load);
  const servers = new Map<Contender, Running>();
  return withFolder(async (folder) => {
    try {
      const store = join(folder, 'seed.db');
      const keys = await seed(`file:${store}`);
      for (const [contender] of groups.flatMap(({ works }) => works)) {
        if (servers.has(contender)) continue;
        const server = await start(contender, join(folder, contender.name), store);
        servers.set(contender, server);
        pin(server.pid, cores?.servers);
      }
      await assertSameAnswers(servers, keys.own);
      const measured: Measured[] = [];
      for (const { name, works } of groups) {
        process.stderr.write(`${name} …\n`);
        const measureOne = (work: Work) => measureRound(work, { servers, keys, seconds });
        const turns = { rounds, warmUps: WARM_UP };
        measured.push(...(await measureInTurn(works, measureOne, turns)));
      }
      return measured;
    } finally {
      await Promise.all([...servers.values()].map((server) => server.kill()));
    }
  });
}

/**
 * Measures a round, and again if hardly anything was answered because the machine was busy.
 * @throws if an answer is not that of the operation
 */
async function measureRound([contender, operation]: Work, { servers, keys, seconds }: Target): Promise<Rate> {
  const { name, statuses, addsRows } = operation;
  const server = servers.get(contender);
  if (!server) throw new Error(`${contender.name} does not run`);
  const amount = Math.max(MIN_ANSWERS, Math.round(REQUESTS_A_SECOND * seconds));
  const { isBesideRefusals } = operation;
  const refused = makeRequests(operation, server.url, keys.limited);
  const work = {
    service: server,
    request: makeRequests(operation, server.url, keys.own),
    statuses,
    connections: CONNECTIONS,
    count: addsRows && !contender.isMock ? amount : undefined,
  };
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const duration = seconds * 2 ** attempt;
      const [rate] = await Promise.all([
        measureRate({ ...work, seconds: duration }),
        isBesideRefusals && flood(server.url, refused, duration),
      ]);
      if (rate.answers >= MIN_ANSWERS) return rate;
    }
    throw new Error('hardly anything is answered');
  } catch (cause) {
    throw new Error(`${contender.name}, ${name}: ${cause}`, { cause });
  }
}

/** Sends requests that are refused, on many connections, each as soon as the last one is answered. */
async function flood(url: string, request: () => Buffer, seconds: number): Promise<void> {
  const crowd = new Crowd(url, request);
  await crowd.closedLoop(REFUSED_CONNECTIONS, seconds);
  crowd.close();
}

/** Returns the requests of an operation, each with another text for `[<id>]`. */
export function makeRequests({ method, path, body, prefer }: Operation, url: string, key: string) {
  const headers = { ...bearer(key), ...(prefer === undefined ? {} : { Prefer: prefer }) };
  const type = { 'Content-Type': 'application/json' };
  const withBody = (text: string) => wireBytes(url, method, path, Buffer.from(text), { ...headers, ...type });
  if (body?.includes('[<id>]')) {
    return () => withBody(body.replaceAll('[<id>]', `${process.pid}-${sent++}`));
  }
  const request = body === undefined ? head(url, method, path, headers) : withBody(body);
  return () => request;
}

let sent = 0;

function bearer(key: string) {
  return { Authorization: `Bearer ${key}` };
}

/** Returns whether a contender implements an operation. */
export function has({ operations }: Contender, operation: Operation): boolean {
  return operations === undefined || operations.includes(operation);
}

/**
 * Verifies that all servers with a store do the same work: they give the same answers.
 * @throws naming the operation and the two servers that differ
 */
async function assertSameAnswers(servers: ReadonlyMap<Contender, Running>, key: string): Promise<void> {
  for (const operation of [getSkill, listSkills, createSkill, updateAgent]) {
    let first: readonly [string, unknown] | undefined;
    for (const [contender, { url }] of servers) {
      if (contender.isMock || !has(contender, operation)) continue;
      const one = [contender.name, await answer(url, operation, key)] as const;
      first ??= one;
      if (isDeepStrictEqual(first[1], one[1])) continue;
      const both = [first, one].map((each) => JSON.stringify(each)).join(' and ');
      throw new Error(`${operation.name} is answered in two ways: ${both}`);
    }
  }
}

const WRITTEN_FIELDS = new Set(['id', 'created_at', 'updated_at']);

/** Returns the resource of an answer, without its id and timestamps. */
async function answer(url: string, operation: Operation, key: string): Promise<unknown> {
  const { name, method, path, body, statuses } = operation;
  const content: unknown = body && JSON.parse(body.replaceAll('[<id>]', 'probe'));
  const answer = await send(method, url + path, content, bearer(key));
  const text = JSON.stringify(answer.body);
  if (!statuses.includes(answer.status)) throw new Error(`${name}: ${answer.status} ${text}`);
  return JSON.parse(text, (field, value) => (WRITTEN_FIELDS.has(field) ? null : value));
}
