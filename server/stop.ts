import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';

/** The argument that makes the service stop when the process that started it has gone. */
export const STOP_WITH_PARENT = '--stop-with-parent';

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

/** The longest time from the end of the drain to the end of the process, in milliseconds. */
const STOP_TIMEOUT_MS = 10_000;

/** The time before the deadline at which this thread ends the process itself, in milliseconds. */
const LOG_TIME_MS = 500;

/**
 * Ends the process ten seconds after its drain, whatever still runs: by SIGKILL, since
 * `process.exit` waits for threads. If this thread is free, it logs first what was under way;
 * otherwise another thread ends the process.
 * @param drainMs the longest time of the drain
 * @param hurry ends the drain
 * @param underWay returns what the stop waits for
 */
export function endInTime(
  drainMs: number,
  hurry: AbortSignal,
  underWay: () => readonly string[],
  log: Logger,
): void {
  const deadline = drainMs + STOP_TIMEOUT_MS;
  const giveUp = () => {
    const resources = process.getActiveResourcesInfo();
    log.error({ under_way: underWay(), resources }, 'the stop took too long: ended by force');
    log.flush();
    process.kill(process.pid, 'SIGKILL');
  };
  setTimeout(giveUp, deadline - LOG_TIME_MS).unref();
  // The thread's output is left alone, as in a worker process.
  const options = { workerData: deadline, stdout: true, stderr: true };
  new Worker(new URL('./deadline-thread.js', import.meta.url), options)
    .on('error', (error) => log.warn({ err: error }, 'nothing watches the time of the stop'))
    .unref();
  if (drainMs > 0) {
    const endSooner = () => endInTime(0, hurry, underWay, log);
    hurry.addEventListener('abort', endSooner, { once: true });
  }
}
