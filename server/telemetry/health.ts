import { setTimeout as delay } from 'node:timers/promises';
import type { Handlers } from '../api/handlers.js';
import { PlainText } from '../api/reply/send.js';
import { unavailable } from '../problems/problem.js';
import { isLocked, isTimeout, isUnwritable } from '../store/index.js';
import type { Metrics } from './metrics.js';

/**
 * @param readiness whether the store takes requests
 * @param version the version of the service
 * @param draining aborted when the service is about to stop
 */
export function healthOperations(
  readiness: Readiness,
  metrics: Metrics,
  version: string,
  draining: AbortSignal,
): Pick<Handlers, 'getLiveness' | 'getReadiness' | 'getStatus' | 'getMetrics'> {
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

  /**
   * @param probe tries what requests need, and ends within seconds
   * @param note called when the answer changes: with the failure, or without one when the store takes requests again
   */
  constructor(
    private readonly probe: () => Promise<void>,
    private readonly note: (failure?: unknown) => void = () => {},
  ) {}

  /** @throws {ProblemError} if the store takes no requests, with the cause */
  async check(): Promise<void> {
    await this.#lookWhenDue();
    if (this.#answer?.isReady !== false) return;
    const { failure } = this.#answer;
    throw unavailable(`${describe(failure)}; try again in a moment.`, 1, { cause: failure });
  }

  /**
   * Returns whether the store takes requests, as far as it is known.
   * @param patienceMs the longest wait for a probe, in milliseconds; the answer before holds then
   */
  async isReady(patienceMs: number): Promise<boolean> {
    await Promise.race([this.#lookWhenDue(), delay(patienceMs, undefined, { ref: false })]);
    return this.#answer?.isReady !== false;
  }

  async #lookWhenDue(): Promise<void> {
    if (performance.now() - this.#foundAt >= PROBE_EVERY_MS) await this.#look();
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
    if (!before || before.isReady === found.isReady) this.#settle(found);
    else setTimeout(() => void this.#look(), PROBE_EVERY_MS).unref();
  }

  #settle(found: Finding): void {
    const wasReady = this.#answer?.isReady ?? true;
    this.#answer = found;
    if (wasReady !== found.isReady) this.note(found.failure);
  }
}

function describe(failure: unknown): string {
  if (isUnwritable(failure)) return 'The store takes no writes: its disk is full or read-only';
  if (isLocked(failure)) return 'The store takes no writes: another program locks it';
  return isTimeout(failure)
    ? 'The store does not answer a read in time: it is locked or overloaded'
    : 'The store does not answer';
}
