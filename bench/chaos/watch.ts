import { cpus } from 'node:os';
import { send } from '../../testkit/http/client.js';
import { percent, quantile } from '../../testkit/numbers.js';
import {
  busyTime,
  type Service,
  treeMemory,
  treeTime,
} from '../../testkit/service/measured-service.js';
import type { Finding } from '../scenarios.js';
import { timeInWords, timeOf } from './tenant.js';

/** The bounds that an attacked service must keep. */
export interface Bounds {
  /** The p99 of the health check, in milliseconds. */
  readonly health: number;
  /** The additional memory of the service and its child processes, in MiB. */
  readonly memory: number;
}

/**
 * The bounds of attacks that each use the service as it is meant. The memory is that of the bodies that the
 * service may buffer, and as much again for their contents.
 */
export const USUAL_BOUNDS: Bounds = { health: 1000, memory: 512 };

/** The intervals of the health probes and of the memory readings, in milliseconds. */
const PROBE_INTERVAL = 50;
const MEMORY_INTERVAL = 250;
const HEALTH_DEADLINE = 5000;
/** The share of processor time of other processes above which it is reported. */
const OTHERS_SHARE = 0.1;

/** Watches the health and the memory of a service, from outside. */
export class Watch {
  /** The health probes of each part, and those of the last one. */
  readonly #parts: { readonly name: string; readonly probes: Promise<number>[] }[] = [];
  #part: Promise<number>[] = [];
  readonly #memory: number[] = [];
  readonly #timers: readonly NodeJS.Timeout[];
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
    this.#timers = [
      setInterval(() => this.#part.push(probe(service.url)), PROBE_INTERVAL),
      setInterval(() => this.#look(), MEMORY_INTERVAL),
    ];
  }

  /** Begins the part of an attack: health is judged in each by itself, so that none hides among others. */
  begin(name: string): void {
    this.#part = [];
    this.#parts.push({ name, probes: this.#part });
  }

  /** Stops watching. @returns how fast `/health/live` was answered on new connections, in the slowest part */
  async stop(): Promise<Finding> {
    this.close();
    const share = this.#othersShare();
    const parts = await Promise.all(
      this.#parts.map(async ({ name, probes }) => {
        const times = await Promise.all(probes);
        const [p99, longest] = [0.99, 1].map((part) => quantile(times, part) ?? Number.NaN);
        return { name, p99, longest, count: times.length };
      }),
    );
    const [slowest] = parts.toSorted((one, other) => slowness(other.p99) - slowness(one.p99));
    const where = parts.length > 1 ? ` in ${slowest?.name}` : '';
    const others =
      share > OTHERS_SHARE ? `; other processes took ${percent(share)} of the machine` : '';
    return {
      asked: `/health/live on a new connection: p99 ≤ ${this.bounds.health} ms in the part of each attack`,
      measured: `p99 ${inWords(slowest?.p99)}, at most ${inWords(slowest?.longest)} of ${slowest?.count ?? 0}${where}${others}`,
      passed: (slowest?.p99 ?? Number.NaN) <= this.bounds.health,
    };
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Returns the highest memory reading, and whether the service still runs. */
  memory(): Finding {
    this.#look();
    const highest = Math.max(...this.#memory, this.idle);
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
function probe(url: string): Promise<number> {
  const options = { deadline: HEALTH_DEADLINE };
  return timeOf([200], () => send('GET', `${url}/health/live`, undefined, {}, options));
}

/** Orders parts; one without a probe was not measured. */
function slowness(milliseconds = Number.NaN): number {
  return Number.isNaN(milliseconds) ? Number.POSITIVE_INFINITY : milliseconds;
}

function inWords(milliseconds = Number.NaN): string {
  return timeInWords(milliseconds, `no answer in ${HEALTH_DEADLINE} ms`);
}
