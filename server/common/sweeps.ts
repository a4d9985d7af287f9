import { setMaxListeners } from 'node:events';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
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

/** Runs the housekeeping of the service: each sweep on its own, so that none waits for another. */
export class Sweeps {
  readonly #stopping = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(
    private readonly sweeps: readonly Sweep[],
    private readonly log: Logger,
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
      try {
        if (await unlessAborted(step(), signal)) await nextTurn();
        else await delay(everyMs, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        this.log.warn({ err: error }, failure);
        await delay(everyMs, undefined, { signal }).catch(() => {});
      }
    }
  }
}
