import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { send } from '../../testkit/http/client.js';
import { Crowd, head, wireBytes } from '../../testkit/http/load.js';
import { processorTime } from '../../testkit/service/measured-service.js';
import type { Rate } from '../rates.js';
import { createSkill, getSkill, listSkills, type Operation, updateAgent } from './operations.js';
import { type Contender, type Cores, pin, type Running, seed } from './servers.js';

/** Cells that are measured in turn, because they are compared with each other. */
export interface Group {
  readonly name: string;
  readonly cells: readonly (readonly [Contender, Operation])[];
}

/** An operation of a contender, measured in rounds. */
export interface Cell {
  readonly contender: Contender;
  readonly operation: Operation;
  readonly rounds: Rate[];
}

interface Options {
  readonly cores: Cores | undefined;
  readonly rounds: number;
  /** The duration of a round, in seconds. */
  readonly seconds: number;
}

interface Target {
  readonly servers: ReadonlyMap<Contender, Running>;
  readonly key: string;
  readonly seconds: number;
}

const CONNECTIONS = 10;

/** Rounds that are not counted: it takes thousands of requests until the frequent code is compiled. */
export const WARM_UP = 2;

/** With fewer answers, the cost of connecting and the clock tick of 10 ms become significant. */
const MIN_ANSWERS = 100;
const ATTEMPTS = 5;

/** The requests a second of a round that has a fixed number of them, the same for all contenders. */
const REQUESTS_A_SECOND = 500;

/** Starts the servers of the groups, each with a copy of the same store, and measures group by group. */
export async function measure(groups: readonly Group[], options: Options): Promise<Cell[]> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-bench-'));
  pin(process.pid, options.cores?.load);
  const servers = new Map<Contender, Running>();
  try {
    const store = join(folder, 'seed.db');
    const key = await seed(`file:${store}`);
    for (const [contender] of groups.flatMap(({ cells }) => cells)) {
      if (servers.has(contender)) continue;
      const server = await contender.start(join(folder, contender.name), store);
      servers.set(contender, server);
      pin(server.pid, options.cores?.servers);
    }
    await assertSameAnswers(servers, key);
    const measured: Cell[] = [];
    for (const { name, cells } of groups) {
      process.stderr.write(`${name} …\n`);
      const target = { servers, key, seconds: options.seconds };
      measured.push(...(await measureGroup(cells, target, options.rounds)));
    }
    return measured;
  } finally {
    await Promise.all([...servers.values()].map((server) => server.kill()));
    await rm(folder, { recursive: true });
  }
}

/**
 * Measures cells in turn, round by round. Each round begins with another cell, so that other load on the
 * machine affects all of them alike. The first rounds warm up.
 */
async function measureGroup(
  group: Group['cells'],
  target: Target,
  rounds: number,
): Promise<Cell[]> {
  const cells = group.map(([contender, operation]) => ({
    ...{ contender, operation, rounds: [] as Rate[] },
  }));
  for (let round = -WARM_UP; round < rounds; round++) {
    const first = (round + WARM_UP) % cells.length;
    for (const cell of [...cells.slice(first), ...cells.slice(0, first)]) {
      const rate = await measureRound(cell, target);
      if (round >= 0) cell.rounds.push(rate);
    }
  }
  return cells;
}

/**
 * Measures a round, and again if hardly anything was answered because the machine was busy.
 * @throws if an answer is not that of the operation
 */
async function measureRound(cell: Cell, { servers, key, seconds }: Target): Promise<Rate> {
  const { contender, operation } = cell;
  const { name, statuses, addsRows } = operation;
  const server = servers.get(contender);
  if (!server) throw new Error(`${contender.name} does not run`);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const crowd = new Crowd(server.url, requestsOf(operation, server.url, key));
    const before = processorTime(server.pid);
    const amount = Math.max(MIN_ANSWERS, Math.round(REQUESTS_A_SECOND * seconds));
    const load =
      addsRows && contender.keeps
        ? await crowd.fixedCount(CONNECTIONS, amount)
        : await crowd.closedLoop(CONNECTIONS, seconds);
    const used = processorTime(server.pid) - before;
    crowd.close();
    const { served, refusing, others } = load;
    const count = served + refusing.length;
    const isServed = statuses.some((status) => status < 300);
    const wrong = others.filter((other) => !statuses.includes(Number(other)));
    const refused = others.length - wrong.length;
    if (wrong.length > 0 || refusing.length !== refused || (served > 0 && !isServed)) {
      throw new Error(`${contender.name}, ${name}: ${served} × 2xx, ${others.slice(0, 3)}`);
    }
    if (count >= MIN_ANSWERS) return { cost: used / count, perSecond: count / load.seconds };
  }
  throw new Error(`${contender.name}, ${name}: hardly anything is answered`);
}

/** Returns the requests of an operation, each with another text for `[<id>]`. */
function requestsOf({ method, path, body, prefer }: Operation, url: string, key: string) {
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(prefer === undefined ? {} : { Prefer: prefer }),
  };
  const type = { 'Content-Type': 'application/json' };
  const withBody = (text: string) =>
    wireBytes(url, method, path, Buffer.from(text), { ...headers, ...type });
  if (body?.includes('[<id>]')) {
    return () => withBody(body.replaceAll('[<id>]', `${process.pid}-${sent++}`));
  }
  const request = body === undefined ? head(url, method, path, headers) : withBody(body);
  return () => request;
}

let sent = 0;

/** Returns whether a contender implements an operation. */
export function has({ operations }: Contender, operation: Operation): boolean {
  return operations === undefined || operations.includes(operation);
}

/**
 * Verifies that all servers with a store do the same work: they give the same answers.
 * @throws naming the operation and the two servers that differ
 */
async function assertSameAnswers(
  servers: ReadonlyMap<Contender, Running>,
  key: string,
): Promise<void> {
  for (const operation of [getSkill, listSkills, createSkill, updateAgent]) {
    let first: readonly [string, unknown] | undefined;
    for (const [contender, { url }] of servers) {
      if (!contender.keeps || !has(contender, operation)) continue;
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
  const answer = await send(method, url + path, content, { Authorization: `Bearer ${key}` });
  const text = JSON.stringify(answer.body);
  if (!statuses.includes(answer.status)) throw new Error(`${name}: ${answer.status} ${text}`);
  return JSON.parse(text, (field, value) => (WRITTEN_FIELDS.has(field) ? null : value));
}
