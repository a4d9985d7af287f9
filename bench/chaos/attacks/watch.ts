import { cpus } from 'node:os';
import { send } from '../../../testkit/http/client.js';
import { percent, quantile } from '../../../testkit/numbers.js';
import {
  busyTime,
  type Service,
  treeMemory,
  treeTime,
} from '../../../testkit/service/measured-service.js';
import type { Finding } from '../../scenario/scenario.js';

/** What an attacked service must keep. */
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
const MEMORY_INTERVAL = 100;
const HEALTH_DEADLINE = 5000;
/** The share of processor time of other processes above which it is reported. */
const OTHERS_SHARE = 0.1;

/** Watches the health and the memory of a service, from outside. */
export class Watch {
  readonly #health: Promise<number>[] = [];
  readonly #memory: number[] = [];
  readonly #before: number;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #begun = performance.now();
  readonly #othersBefore: number;
  #ended = '';

  constructor(
    private readonly service: Service,
    private readonly bounds: Bounds = USUAL_BOUNDS,
  ) {
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
      asked: `/health/live on a new connection: p99 ≤ ${this.bounds.health} ms`,
      measured: `p99 ${inWords(p99)}, at most ${inWords(longest)} of ${times.length}${others}`,
      passed: (p99 ?? Number.NaN) <= this.bounds.health,
    };
  }

  /** Returns the highest memory reading, and whether the service still runs. */
  memory(): Finding {
    const most = Math.max(...this.#memory, this.#before);
    this.#look();
    return {
      asked: `the service goes on, with at most ${this.bounds.memory} MiB more than before`,
      measured: `${this.#ended}${(most - this.#before).toFixed(0)} MiB more: ${most.toFixed(0)} MiB at most, ${this.#before.toFixed(0)} before`,
      passed: this.#ended === '' && most - this.#before <= this.bounds.memory,
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
