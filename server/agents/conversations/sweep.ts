import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Store } from '../../store/index.js';

/** The interval at which deleted conversations are looked for, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** Deletes the messages of deleted conversations in small steps, between which others write. */
export class ConversationSweep {
  readonly #stopping = new AbortController();
  #sweeping: Promise<void> | undefined;

  constructor(
    private readonly store: Store,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#sweeping ??= this.#sweep();
  }

  /** Stops after the current step; the next start goes on from there. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (await this.store.conversations.sweep()) await nextTurn();
        else await pause(LOOK_EVERY_MS, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        this.log.warn({ err: error }, 'deleted conversations are not swept yet');
        await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
}
