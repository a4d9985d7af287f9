import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';

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
