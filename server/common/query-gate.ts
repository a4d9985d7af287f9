import { FairGate, type GateLimits } from './fair-gate.js';
import { unlessAborted } from './unless-aborted.js';

export interface QueryGateLimits extends GateLimits {
  /** The longest time of a query, its wait included, in milliseconds. */
  readonly timeoutMs: number;
  /** Creates the error for a query that takes longer. */
  readonly late: (timeoutMs: number) => Error;
  /** Creates the error for a query that the stop ends, or that comes after it. */
  readonly stopped: () => Error;
}

/** Lets owners query in turns, each query for a limited time. */
export class QueryGate {
  readonly #gate: FairGate;
  /** The queries that have not ended, whether or not somebody waits for them. */
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #isStopped = false;

  constructor(private readonly limits: QueryGateLimits) {
    this.#gate = new FairGate(limits);
  }

  /**
   * Runs a query when it is its owner's turn. It keeps its slot until it has ended, but nobody waits
   * for a database that is silent.
   * @param query gets a signal that aborts with the caller's, when the time is up, or at the stop
   * @param timeoutMs the longest time of this query
   * @throws the error of `busy`, `late` or `stopped`, the reason of `signal`, or what `query` throws
   */
  async run<T>(
    owner: string,
    signal: AbortSignal,
    query: (signal: AbortSignal) => Promise<T>,
    timeoutMs = this.limits.timeoutMs,
  ): Promise<T> {
    const { late, stopped } = this.limits;
    if (this.#isStopped) throw stopped();
    signal.throwIfAborted();
    const running = new AbortController();
    const timer = setTimeout(() => running.abort(late(timeoutMs)), timeoutMs);
    const forward = () => running.abort(signal.reason);
    // `AbortSignal.any` would do, but keeps what it made for as long as a source lives.
    signal.addEventListener('abort', forward);
    const result = this.#gate.run(owner, running.signal, () => query(running.signal));
    this.#running.set(running, result);
    const end = () => this.#running.delete(running);
    result.then(end, end);
    try {
      return await unlessAborted(result, running.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', forward);
    }
  }

  /** Ends the queries that run, and refuses others; resolves when all have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const running of this.#running.keys()) running.abort(this.limits.stopped());
    await Promise.allSettled(this.#running.values());
  }
}
