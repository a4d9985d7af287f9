import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { unlessAborted } from './unless-aborted.js';

/** Housekeeping, in steps that are short enough for others to work between them. */
export interface Sweep {
  /** The message of the log when a step fails, such as "old answers are not deleted yet". */
  readonly failure: string;
  /** The pause when nothing is left to do or a step failed, in milliseconds. */
  readonly everyMs: number;
  /** Carries out a step, and returns whether there may be more to do. */
  step(): Promise<boolean>;
}

/** The pause after a step, in times of the step: a sweep works for a quarter of the time at most. */
const REST = 3;

/** The longest pause after a step, in milliseconds: a sweep goes on beside steps that wait long for others. */
const MAX_REST_MS = 10_000;

/** Measures and passes time, in milliseconds. */
interface SweepClock {
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const CLOCK: SweepClock = { now: () => performance.now(), wait: (ms, signal) => delay(ms, undefined, { signal }) };

/**
 * Runs the housekeeping of the service: each sweep on its own, so that none waits for another. A step takes longer while
 * the store and the event loop are busy with requests, and so does the pause after it.
 */
export class Sweeps {
  readonly #stopping = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(
    private readonly sweeps: readonly Sweep[],
    private readonly log: Logger,
    private readonly clock = CLOCK,
  ) {
    // Each sweep listens.
    setMaxListeners(0, this.#stopping.signal);
  }

  start(): void {
    this.#running ??= Promise.all(this.sweeps.map((sweep) => this.#run(sweep)));
  }

  /** Leaves the steps that run to themselves: a stop does not wait for a database that is silent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run({ failure, everyMs, step }: Sweep): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const begin = this.clock.now();
      try {
        const hasMore = await unlessAborted(step(), signal);
        const restMs = Math.min((this.clock.now() - begin) * REST, MAX_REST_MS);
        await this.clock.wait(hasMore ? restMs : everyMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.log.warn({ err: error }, failure);
        await this.clock.wait(everyMs, signal).catch(() => {});
      }
    }
  }
}
