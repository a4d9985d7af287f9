import { DatabaseUnavailableError } from './query-error.js';
import { tooSlow } from './refusals.js';

/** The queries that run, each with a signal of its own. */
export class RunningQueries {
  readonly #running = new Set<AbortController>();
  #isStopped = false;

  /**
   * Returns a controller that aborts with the caller's signal, when the time is up, or at the stop.
   * Abort it when the query has ended.
   * @param timeoutMs the longest time of the query, in milliseconds
   * @throws {DatabaseUnavailableError} after the stop
   * @throws the reason of `signal` if it has aborted
   */
  begin(signal: AbortSignal, timeoutMs: number): AbortController {
    if (this.#isStopped) throw stopping();
    signal.throwIfAborted();
    const running = new AbortController();
    const timer = setTimeout(() => running.abort(tooSlow(timeoutMs)), timeoutMs);
    const forward = () => running.abort(signal.reason);
    signal.addEventListener('abort', forward);
    // `AbortSignal.any` would do, but keeps what it made for as long as a source lives.
    running.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', forward);
      this.#running.delete(running);
    });
    this.#running.add(running);
    return running;
  }

  /** Cancels what runs, and refuses what comes. */
  stop(): void {
    this.#isStopped = true;
    for (const running of this.#running) running.abort(stopping());
  }
}

function stopping(): DatabaseUnavailableError {
  return new DatabaseUnavailableError('The service is stopping; ask again in a moment.');
}
