import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Options } from 'autocannon';
import * as v from 'valibot';
import { pin } from './cores.js';

const PROCESS = fileURLToPath(new URL('./load-process.js', import.meta.url));

/** An order for requests to one URL: the connections, and the duration in seconds or the number of requests. */
export type Order = Omit<Options, 'sampleInt' | 'idReplacement'>;

const fired = v.object({
  seconds: v.number(),
  errors: v.number(),
  answered: v.array(v.object({ status: v.number(), count: v.number() })),
});

/** The result of an order. */
export type Fired = v.InferOutput<typeof fired>;

/** A separate process that sends requests as fast as they are answered. */
export class Load {
  readonly #child: ChildProcess;
  readonly #broken: Promise<never>;

  /** @param core the core to run on, if there is one */
  constructor(core: number | undefined) {
    this.#child = fork(PROCESS);
    this.#broken = once(this.#child, 'exit').then(() => {
      throw new Error('The process that sends requests has ended');
    });
    this.#broken.catch(() => {});
    if (this.#child.pid !== undefined) pin(this.#child.pid, core);
  }

  /** @throws if the process has ended */
  async fire(order: Order): Promise<Fired> {
    const answer = once(this.#child, 'message');
    this.#child.send(order);
    const [message]: unknown[] = await Promise.race([answer, this.#broken]);
    return v.parse(fired, message);
  }

  end(): void {
    this.#child.kill();
  }
}
