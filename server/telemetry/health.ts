import type { Handlers } from '../api/handlers.js';
import { PlainText } from '../api/reply/send.js';
import { unavailable } from '../problems/problem.js';
import { isTimeout, isUnwritable, type Store } from '../store/index.js';
import type { Metrics } from './metrics.js';

/**
 * @param version the version of the service
 * @param draining aborted when the service is about to stop
 */
export function healthOperations(
  store: Store,
  metrics: Metrics,
  version: string,
  draining: AbortSignal,
): Pick<Handlers, 'getLiveness' | 'getReadiness' | 'getStatus' | 'getMetrics'> {
  const readiness = new Readiness(() => store.ping());
  return {
    getLiveness: ({ reply }) => reply({ status: 200, body: { status: 'live' } }),

    getReadiness: async ({ reply }) => {
      if (draining.aborted) throw unavailable('The service is stopping; try again in a moment.');
      await readiness.check();
      return reply({ status: 200, body: { status: 'ready' } });
    },

    getStatus: ({ reply }) => reply({ status: 200, body: { version, mindsdb_version: version } }),

    getMetrics: async ({ reply }) => {
      const text = await metrics.text();
      return reply({ status: 200, body: new PlainText(metrics.contentType, text) });
    },
  };
}

/** The longest time that a result is reused, and the time until a change is confirmed, in milliseconds. */
const PROBE_EVERY_MS = 1000;

interface Finding {
  readonly isReady: boolean;
  readonly failure?: unknown;
}

/**
 * Reports whether the store takes requests. It is probed at most once a second, one probe at a
 * time, however many requests ask. The answer changes only after two equal results in a row, so
 * that it does not flap; the second probe follows on its own.
 */
export class Readiness {
  #answer: Finding | undefined;
  #found: Finding | undefined;
  #foundAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<void> | undefined;

  /** @param probe tries what requests need, and ends within seconds */
  constructor(private readonly probe: () => Promise<void>) {}

  /** @throws {ProblemError} if the store takes no requests, with the cause */
  async check(): Promise<void> {
    if (performance.now() - this.#foundAt >= PROBE_EVERY_MS) await this.#look();
    if (this.#answer?.isReady !== false) return;
    const { failure } = this.#answer;
    throw unavailable(`${describe(failure)}; try again in a moment.`, 1, { cause: failure });
  }

  #look(): Promise<void> {
    this.#probing ??= this.#find().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #find(): Promise<void> {
    const before = this.#found;
    const found = await this.probe().then(
      () => ({ isReady: true }),
      (failure: unknown) => ({ isReady: false, failure }),
    );
    this.#found = found;
    this.#foundAt = performance.now();
    if (!before || before.isReady === found.isReady) this.#answer = found;
    else setTimeout(() => void this.#look(), PROBE_EVERY_MS).unref();
  }
}

function describe(failure: unknown): string {
  if (isUnwritable(failure)) return 'The store takes no writes: its disk is full or read-only';
  return isTimeout(failure)
    ? 'The store does not answer a read in time: it is locked or overloaded'
    : 'The store does not answer';
}
