import { cpus } from 'node:os';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, Client, type Headers, send } from '../../testkit/http/client.js';
import { percent, quantile } from '../../testkit/numbers.js';
import { busyTime, type Service, treeMemory, treeTime } from '../../testkit/service/measured-service.js';
import { repeatedly, type Timed, timeAnswer, timeInWords, timeStatus } from '../load.js';
import type { Finding } from '../scenarios.js';
import { train } from '../services.js';

/** The rates of an ordinary owner, in requests a second. */
const RATES = { reads: 20, writes: 5, predictions: 10, uploads: 0.5 };
type Kind = keyof typeof RATES;
const KINDS: readonly Kind[] = ['reads', 'writes', 'predictions', 'uploads'];

const SKILLS = 20;
/** Every second prediction has so many rows, the others have one. */
const ROWS_TO_PREDICT = 20;
const ROWS_OF_MODEL = 300;
const ROWS_TO_UPLOAD = 60;

/** The timeout of the owner's requests, in milliseconds. */
const DEADLINE = 3000;

const SERVED = 0.95;
/** The limit of the p99, in milliseconds. */
const P99 = 1000;

type Outcome = Timed & { readonly kind: Kind };

type Request = (number: number) => readonly [method: string, path: string, body?: unknown];

/** An owner who works at a modest, steady rate. */
export class Tenant {
  readonly #client = new Client({ connections: Number.POSITIVE_INFINITY, deadline: DEADLINE });

  private constructor(
    private readonly url: string,
    private readonly headers: Headers,
    private readonly requests: Readonly<Record<Kind, Request>>,
  ) {}

  /** Creates a project with skills and a trained model for the owner of a key. */
  static async settle(url: string, headers: Headers): Promise<Tenant> {
    const table = diamondTable(ROWS_OF_MODEL);
    const small = diamondTable(ROWS_TO_UPLOAD).csv;
    const skills = '/projects/home/skills';
    const models = '/api/projects/home/models';
    await ask('POST', `${url}/projects`, { project: { name: 'home' } }, headers);
    for (let number = 0; number < SKILLS; number += 1) {
      const skill = { name: `skill_${number}`, type: 'lookup', params: { tables: ['orders'] } };
      await ask('POST', url + skills, { skill }, headers);
    }
    await train(`${url + models}/prices?target=price`, table.csv, headers);
    // The first refusal of a process loads the code that words it; every real service has done so in its first
    // minute.
    await send('POST', url + skills, {}, headers);
    return new Tenant(url, headers, {
      reads: (number) => ['GET', number % 2 ? skills : `${skills}/skill_${number % SKILLS}`],
      writes: (number) => ['PUT', `${skills}/skill_${number % SKILLS}`, { skill: { params: { limit: number } } }],
      predictions: (number) => [
        'POST',
        `${models}/prices/predict`,
        table.rows.slice(0, number % 2 ? 1 : ROWS_TO_PREDICT),
      ],
      uploads: (number) => ['PUT', `${models}/upload_${number}?target=price`, small],
    });
  }

  /** Begins to send. @returns what stops that, and waits for the pending answers */
  work(): () => Promise<readonly Outcome[]> {
    const stops = KINDS.map((kind) =>
      repeatedly(1000 / RATES[kind], async (number): Promise<Outcome> => {
        const [method, path, body] = this.requests[kind](number);
        const ask = () => this.#client.send(method, this.url + path, body, this.headers);
        return { kind, ...(await timeAnswer(ask)) };
      }),
    );
    return () => Promise.all(stops.flatMap((stop) => stop()));
  }

  close(): void {
    this.#client.close();
  }
}

/** Returns whether the owner was served as required, with the share and the times of each kind of request. */
export function servedFinding(outcomes: readonly Outcome[]): Finding {
  const kinds = KINDS.map((kind) => judgeKind(kind, outcomes));
  const sent = outcomes.length;
  return {
    asked: `another owner gets ≥ ${percent(SERVED)} of its reads, writes, predictions and uploads served, p99 ≤ ${P99} ms`,
    measured: `${kinds.map(({ words }) => words).join('; ')}; of ${sent}`,
    passed: sent > 0 && kinds.every(({ passed }) => passed),
  };
}

function judgeKind(kind: Kind, outcomes: readonly Outcome[]) {
  const own = outcomes.filter((outcome) => outcome.kind === kind);
  const refused = own.filter(({ status }) => status === undefined || status >= 300);
  const share = own.length === 0 ? 1 : 1 - refused.length / own.length;
  const times = own.map(({ milliseconds }) => milliseconds);
  const p99 = own.length === 0 ? 0 : quantile(times, 0.99);
  const time = timeInWords(p99, `more than ${DEADLINE} ms`);
  const answers = [...new Set(refused.map(({ status }) => status ?? 'no answer'))].join(', ');
  const why = refused.length > 0 ? ` (${answers})` : '';
  return { words: `${kind} ${percent(share)}${why}, p99 ${time}`, passed: share >= SERVED && p99 <= P99 };
}

/** The bounds that an attacked service must keep. */
export interface Bounds {
  /** The p99 of the health check, in milliseconds. */
  readonly health: number;
  /** The additional memory of the service and its child processes, in MiB. */
  readonly memory: number;
}

/** The intervals of the health probes and of the memory readings, in milliseconds. */
const PROBE_INTERVAL = 50;
const MEMORY_INTERVAL = 250;
const HEALTH_DEADLINE = 5000;
/** The share of processor time of other processes above which it is reported. */
const OTHERS_SHARE = 0.1;

/** Watches the health and the memory of a service, from outside. */
export class Watch {
  /** Each ends the health probes of a part, and returns their times. */
  readonly #parts: { readonly name: string; readonly stop: () => readonly Promise<number>[] }[] = [];
  readonly #stopLooking = repeatedly(MEMORY_INTERVAL, () => this.#look());
  readonly #begun = performance.now();
  readonly #othersBefore: number;
  #ended = '';

  constructor(
    private readonly service: Service,
    private readonly bounds: Bounds,
    /** The memory of the service before any work, in MiB. */
    private readonly idle: number,
  ) {
    this.#othersBefore = this.#othersTime();
  }

  /** Begins the part of an attack: health is judged in each by itself, so that none hides among others. */
  begin(name: string): void {
    this.#parts.at(-1)?.stop();
    const options = { deadline: HEALTH_DEADLINE };
    const ask = () => send('GET', `${this.service.url}/health/live`, undefined, {}, options);
    this.#parts.push({ name, stop: repeatedly(PROBE_INTERVAL, () => timeStatus([200], ask)) });
  }

  close(): void {
    this.#stopLooking();
    this.#parts.at(-1)?.stop();
  }

  /**
   * Stops watching. @returns how fast `/health/live` was answered on new connections, in the slowest part, and the
   * highest memory reading, and whether the service still runs
   */
  async stop(): Promise<Finding[]> {
    this.close();
    const memory = this.#memoryFinding();
    const share = this.#othersShare();
    const parts = await Promise.all(
      this.#parts.map(async ({ name, stop }) => {
        const times = await Promise.all(stop());
        return { name, p99: quantile(times, 0.99), longest: quantile(times, 1), count: times.length };
      }),
    );
    const [slowest] = parts.toSorted((one, other) => slowness(other.p99) - slowness(one.p99));
    const where = parts.length > 1 ? ` in ${slowest?.name}` : '';
    const others = share > OTHERS_SHARE ? `; other processes took ${percent(share)} of the machine` : '';
    const health: Finding = {
      asked: `/health/live on a new connection: p99 ≤ ${this.bounds.health} ms in the part of each attack`,
      measured: `p99 ${inWords(slowest?.p99)}, at most ${inWords(slowest?.longest)} of ${slowest?.count ?? 0}${where}${others}`,
      passed: (slowest?.p99 ?? Number.NaN) <= this.bounds.health,
    };
    return [health, memory];
  }

  #memoryFinding(): Finding {
    const highest = Math.max(this.#look(), ...this.#stopLooking(), this.idle);
    const more = highest - this.idle;
    return {
      asked: `the service goes on, with at most ${this.bounds.memory} MiB more than idle`,
      measured: `${this.#ended}${more.toFixed(0)} MiB more: ${highest.toFixed(0)} MiB at most, ${this.idle.toFixed(0)} idle`,
      passed: this.#ended === '' && more <= this.bounds.memory,
      mustHold: true,
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

  /** Returns the memory of the service, in MiB; 0 after it has ended. */
  #look(): number {
    const exit = this.service.exit();
    if (exit === undefined) return treeMemory(this.service.pid);
    const seconds = ((performance.now() - this.#begun) / 1000).toFixed(0);
    this.#ended ||= `it ended with ${exit} after ${seconds} s; `;
    return 0;
  }
}

/** Orders parts; one without a probe was not measured. */
function slowness(milliseconds: number): number {
  return Number.isNaN(milliseconds) ? Number.POSITIVE_INFINITY : milliseconds;
}

function inWords(milliseconds = Number.NaN): string {
  return timeInWords(milliseconds, `no answer in ${HEALTH_DEADLINE} ms`);
}
