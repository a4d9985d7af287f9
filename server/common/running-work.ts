/** The reasons for which work ends before its time. */
interface Reasons {
  /** @param timeoutMs the longest time of the work, in milliseconds */
  readonly late: (timeoutMs: number) => Error;
  readonly stopped: () => Error;
}

/** The work that runs for callers, each with a signal of its own. */
export class RunningWork {
  readonly #running = new Set<AbortController>();
  #isStopped = false;

  constructor(private readonly reasons: Reasons) {}

  /**
   * Returns a controller that aborts with the caller's signal, when the time is up, or at the stop.
   * Abort it when the work has ended.
   * @param timeoutMs the longest time of the work, in milliseconds
   * @throws the reason of the stop after it
   * @throws the reason of `signal` if it has aborted
   */
  begin(signal: AbortSignal, timeoutMs: number): AbortController {
    if (this.#isStopped) throw this.reasons.stopped();
    signal.throwIfAborted();
    const running = new AbortController();
    const timer = setTimeout(() => running.abort(this.reasons.late(timeoutMs)), timeoutMs);
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

  /** Ends what runs, and refuses what comes. */
  stop(): void {
    this.#isStopped = true;
    for (const running of this.#running) running.abort(this.reasons.stopped());
  }
}
