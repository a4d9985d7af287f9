import { Crowd, head, wireBytes } from '../../testkit/http/load.js';
import { processorTime } from '../../testkit/service/measured-service.js';
import type { Contender } from './contenders.js';
import type { Operation } from './operations.js';
import type { Running } from './running.js';

/** An operation of a contender, measured in rounds. */
export interface Cell {
  readonly contender: Contender;
  readonly operation: Operation;
  readonly rounds: Round[];
}

export interface Round {
  /** The processor time of the server's process for a request, in microseconds. */
  readonly cost: number;
  /** Answered requests a second. */
  readonly rate: number;
}

/** The parameters of a measurement. */
export interface Measuring {
  readonly servers: ReadonlyMap<Contender, Running>;
  readonly key: string;
  readonly rounds: number;
  /** The duration of a round, in seconds. */
  readonly seconds: number;
}

const CONNECTIONS = 10;

/** Rounds that are not counted: it takes thousands of requests until the frequent code is compiled. */
export const WARM_UP = 2;

/**
 * Measures cells in turn, round by round. Each round begins with another cell, so that other load on the
 * machine affects all of them alike. The first rounds warm up.
 * @throws if an answer is not that of the operation
 */
export async function measure(
  operations: readonly (readonly [Contender, Operation])[],
  measuring: Measuring,
): Promise<Cell[]> {
  const cells = operations.map(([contender, operation]) => ({
    contender,
    operation,
    rounds: [] as Round[],
  }));
  for (let round = -WARM_UP; round < measuring.rounds; round++) {
    const first = (round + WARM_UP) % cells.length;
    for (const cell of [...cells.slice(first), ...cells.slice(0, first)]) {
      const played = await play(cell.contender, cell.operation, measuring);
      if (round >= 0) cell.rounds.push(played);
    }
  }
  return cells;
}

/** Runs a round, and repeats it if hardly anything was answered because the machine was busy. */
async function play(...played: Parameters<typeof fire>): Promise<Round> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { count, ...round } = await fire(...played);
    if (count >= MIN_ANSWERS) return round;
  }
  const [{ name }, operation] = played;
  throw new Error(`${name}, ${operation.name}: hardly anything is answered`);
}

const ATTEMPTS = 5;
/** With fewer answers, the cost of connecting and the clock tick of 10 ms become significant. */
const MIN_ANSWERS = 100;

async function fire(
  contender: Contender,
  operation: Operation,
  { servers, key, seconds }: Measuring,
): Promise<Round & { readonly count: number }> {
  const server = servers.get(contender);
  if (!server) throw new Error(`${contender.name} does not run`);
  const { name, statuses, addsRows } = operation;
  const crowd = new Crowd(server.url, requestsOf(operation, server.url, key));
  const before = processorTime(server.pid);
  const load =
    addsRows && contender.keeps
      ? await crowd.fixedCount(CONNECTIONS, amountIn(seconds))
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
  return { count, cost: (used * 1000) / count, rate: count / load.seconds };
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

/** The number of requests of a round that is limited by it, the same for all contenders. */
function amountIn(seconds: number): number {
  return Math.max(MIN_ANSWERS, Math.round(REQUESTS_A_SECOND * seconds));
}

const REQUESTS_A_SECOND = 500;
