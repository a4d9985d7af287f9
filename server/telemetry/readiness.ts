import { type ProblemError, unavailable } from '../problems/problem.js';
import { isTimeout, isUnwritable } from '../store/index.js';

/**
 * The longest time that a result is reused, and the time until a change is confirmed, in
 * milliseconds.
 */
const PROBE_EVERY_MS = 1000;

/** The result of a probe. */
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
    if (this.#answer?.isReady === false) throw notReady(this.#answer.failure);
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

function notReady(failure: unknown): ProblemError {
  return unavailable(`${describe(failure)}; try again in a moment.`, 1, { cause: failure });
}

function describe(failure: unknown): string {
  if (isUnwritable(failure)) return 'The store takes no writes: its disk is full or read-only';
  return isTimeout(failure)
    ? 'The store does not answer a read in time: it is locked or overloaded'
    : 'The store does not answer';
}
