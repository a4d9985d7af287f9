/** The argument that makes the service stop when the process that started it has gone. */
export const STOP_WITH_PARENT = '--stop-with-parent';

/** Asks the service to stop. */
export interface StopRequest {
  readonly cause: string;
  /** Aborted when there is no time to drain: somebody waits at the terminal, or nobody is left. */
  readonly hurry: AbortSignal;
}

/**
 * Waits to be asked to stop: by SIGTERM, by SIGINT or, with {@link STOP_WITH_PARENT}, by the end of
 * the process that started this one. A second signal of the same kind ends the process at once.
 */
export function stopSignal(): Promise<StopRequest> {
  return new Promise((resolve) => {
    const hurry = new AbortController();
    const stop = (cause: string) => resolve({ cause, hurry: hurry.signal });
    const stopInHurry = (cause: string) => {
      hurry.abort();
      stop(cause);
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stopInHurry);
    if (process.argv.includes(STOP_WITH_PARENT)) {
      const onGone = () => stopInHurry('the process that started it has gone');
      if (!process.connected) onGone();
      process.once('disconnect', onGone);
      // The channel must not delay the end of the process.
      process.channel?.unref();
    }
  });
}
