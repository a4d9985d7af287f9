import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Scope } from '../../../../server/contract/scopes.js';
import { ask, type Headers, send } from '../../../../testkit/http/client.js';
import { Crowd, type Load } from '../../../../testkit/http/load.js';
import { RawConnection } from '../../../../testkit/http/raw-connection.js';
import { percent, quantile } from '../../../../testkit/numbers.js';
import {
  busyTime,
  type Service,
  startService,
  treeMemory,
  treeTime,
} from '../../../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../../../testkit/service/train-prices.js';
import { makeKey } from '../../../../testkit/store/keys.js';
import type { Finding, Scenario } from '../../../scenario/scenario.js';
import { servedFinding, Victim } from './victim.js';

const SECONDS = 10;
const SHORT_SECONDS = 3;
/** The time before the measurement, in which frequent code is compiled, in seconds. */
const WARM_UP_SECONDS = 1;

/** The intervals of the health probes and of the memory readings, in milliseconds. */
const PROBE_INTERVAL = 50;
const MEMORY_INTERVAL = 250;
/** The limits of the health check, in milliseconds. */
const HEALTH_P99 = 1000;
const HEALTH_DEADLINE = 5000;
/**
 * The limit of additional memory, in MiB: the bodies that the service may buffer, and as much again for their
 * contents.
 */
const MORE_MEMORY = 512;
/** The share of processor time of other processes above which it is reported. */
const OTHERS_SHARE = 0.1;

/** Attacks until the signal is aborted. @returns findings in addition to those of every attack */
export type Assault = (over: AbortSignal) => Promise<readonly Finding[] | undefined>;

/** An attack by one owner, or a few. */
export interface Attack {
  readonly name: string;
  /** The environment of the service. */
  readonly settings?: NodeJS.ProcessEnv;
  /** The duration in seconds, if it differs from the default. */
  readonly seconds?: number;
  /** Prepares the attack, before the measurement. */
  readonly prepare: (target: Target) => Promise<Assault>;
}

/** The attacked service, with helpers for the attackers. */
export class Target {
  readonly #connections = new Set<RawConnection>();
  readonly #answers = new Map<string, number>();

  constructor(
    readonly service: Service,
    readonly databaseUrl: string,
    /** The duration of the attack, in seconds. */
    readonly seconds: number,
  ) {}

  get url(): string {
    return this.service.url;
  }

  /** Creates a key of an owner. Returns the headers for its requests. */
  async owner(owner: string, scopes?: readonly Scope[]): Promise<Headers> {
    const key = await makeKey(this.databaseUrl, { name: owner, owner, ...(scopes && { scopes }) });
    return { Authorization: `Bearer ${key}` };
  }

  /**
   * Creates a project of an owner with a model of prices.
   * @param csv diamonds with their prices
   * @returns the path of the model
   */
  async model(owner: Headers, csv: string): Promise<string> {
    const name = 'attackers';
    const path = `/api/projects/${name}/models/prices`;
    await ask('POST', `${this.url}/projects`, { project: { name } }, owner);
    await ask('PUT', `${this.url + path}?target=price`, csv, owner);
    await untilReadyAt(this.url + path, owner);
    return path;
  }

  /** Sends requests in turn, on several connections, for as long as the attack lasts. */
  async flood(connections: number, ...requests: readonly Buffer[]): Promise<undefined> {
    let sent = 0;
    const crowd = new Crowd(this.url, () => requests[sent++ % requests.length] ?? Buffer.alloc(0));
    this.countLoad(await crowd.closedLoop(connections, this.seconds));
    crowd.close();
  }

  /** Opens a connection that is closed after the attack. Its first answer is counted. */
  connect(): RawConnection {
    const connection = new RawConnection(this.url);
    this.#connections.add(connection);
    void connection.status.then((status) => this.count(status));
    return connection;
  }

  /** Counts the answers to the attackers, so that unexpected ones become visible. */
  count(status: number | undefined, times = 1): void {
    const answer = status === undefined ? 'no answer' : String(status);
    this.#answers.set(answer, (this.#answers.get(answer) ?? 0) + times);
  }

  countLoad({ served, refusing, others }: Load): void {
    this.count(200, served);
    for (const other of others) this.count(Number(other) || undefined);
    this.count(503, refusing.length - others.filter((other) => Number(other) > 0).length);
  }

  get answers(): string {
    const counted = [...this.#answers].filter(([, times]) => times > 0);
    return counted.map(([answer, times]) => `${times} × ${answer}`).join(', ') || 'nothing';
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

/** Returns the scenario in which one owner attacks, on SQLite, while another is measured. */
export function oneAgainstAll({ name, settings, seconds = SECONDS, prepare }: Attack): Scenario {
  const play = async (folder: string, seconds: number) => {
    const databaseUrl = `file:${join(folder, 'roster.db')}`;
    // Once a key exists, callers without a key are refused.
    const key = await makeKey(databaseUrl, { name: 'victim', owner: 'victim' });
    const service = await startService(folder, databaseUrl, settings);
    const target = new Target(service, databaseUrl, seconds);
    const victim = await Victim.settle(service.url, { Authorization: `Bearer ${key}` });
    try {
      const assault = await prepare(target);
      return await measure(target, victim, assault);
    } finally {
      victim.close();
      await service.kill();
    }
  };
  return {
    name: `one-against-all/${name}`,
    run: (folder) => play(folder, seconds),
    runShort: (folder) => play(folder, SHORT_SECONDS),
  };
}

async function measure(target: Target, victim: Victim, assault: Assault): Promise<Finding[]> {
  victim.start();
  await delay(WARM_UP_SECONDS * 1000);
  await victim.stop();
  const watch = new Watch(target.service);
  const over = new AbortController();
  victim.start();
  const attacking = assault(over.signal);
  // The attack may fail before it is awaited.
  attacking.catch(() => {});
  await delay(target.seconds * 1000);
  over.abort();
  const outcomes = await victim.stop();
  const observed = watch.stop();
  const { answers } = target;
  // Ends the attackers' wait for answers.
  target.close();
  const more = await attacking;
  const served = servedFinding(outcomes);
  return [
    { ...served, measured: `${served.measured}. The attackers got ${answers}` },
    await observed,
    watch.memory(),
    ...(more ?? []),
  ];
}

/** Watches the health and the memory of a service, from outside. */
export class Watch {
  readonly #health: Promise<number>[] = [];
  readonly #memory: number[] = [];
  readonly #before: number;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #begun = performance.now();
  readonly #othersBefore: number;
  #ended = '';

  constructor(private readonly service: Service) {
    this.#before = treeMemory(service.pid);
    this.#othersBefore = this.#othersTime();
    this.#timers = [
      setInterval(() => this.#health.push(probe(service.url)), PROBE_INTERVAL),
      setInterval(() => this.#look(), MEMORY_INTERVAL),
    ];
  }

  /** Stops watching. @returns how fast `/health/live` was answered on new connections */
  async stop(): Promise<Finding> {
    for (const timer of this.#timers) clearInterval(timer);
    const share = this.#othersShare();
    const times = await Promise.all(this.#health);
    const [p99, longest] = [0.99, 1].map((part) => quantile(times, part));
    const others =
      share > OTHERS_SHARE ? `; other processes took ${percent(share)} of the machine` : '';
    return {
      asked: `/health/live on a new connection: p99 ≤ ${HEALTH_P99} ms`,
      measured: `p99 ${inWords(p99)}, at most ${inWords(longest)} of ${times.length}${others}`,
      passed: (p99 ?? Number.NaN) <= HEALTH_P99,
    };
  }

  /** Returns the highest memory reading, and whether the service still runs. */
  memory(): Finding {
    const most = Math.max(...this.#memory, this.#before);
    this.#look();
    return {
      asked: `the service goes on, with at most ${MORE_MEMORY} MiB more than before`,
      measured: `${this.#ended}${(most - this.#before).toFixed(0)} MiB more: ${most.toFixed(0)} MiB at most, ${this.#before.toFixed(0)} before`,
      passed: this.#ended === '' && most - this.#before <= MORE_MEMORY,
    };
  }

  /** Returns the share of processor time that processes other than the service and the load have used. */
  #othersShare(): number {
    const time = (performance.now() - this.#begun) * cpus().length;
    return (this.#othersTime() - this.#othersBefore) / time;
  }

  #othersTime(): number {
    const { user, system } = process.cpuUsage();
    return busyTime() - treeTime(this.service.pid) - (user + system) / 1000;
  }

  #look(): void {
    const exit = this.service.exit();
    if (exit === undefined) this.#memory.push(treeMemory(this.service.pid));
    else if (!this.#ended) {
      const seconds = ((performance.now() - this.#begun) / 1000).toFixed(0);
      this.#ended = `it ended with ${exit} after ${seconds} s; `;
    }
  }
}

/** Returns how long an orchestrator waits for the health check, in milliseconds; infinite if it fails. */
async function probe(url: string): Promise<number> {
  const begun = performance.now();
  try {
    const options = { deadline: HEALTH_DEADLINE };
    const { status } = await send('GET', `${url}/health/live`, undefined, {}, options);
    return status === 200 ? performance.now() - begun : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function inWords(milliseconds = Number.NaN): string {
  return Number.isFinite(milliseconds)
    ? `${milliseconds.toFixed(0)} ms`
    : `no answer in ${HEALTH_DEADLINE} ms`;
}

/** Repeats work with a pause in between, until an attack is over. */
export async function repeat(
  over: AbortSignal,
  pause: number,
  work: () => Promise<unknown>,
): Promise<undefined> {
  while (!over.aborted) {
    await work();
    await delay(pause);
  }
}
