import { parentPort } from 'node:worker_threads';
import type { Logger } from 'pino';

/** The longest time from the end of the drain to the end of the process, in milliseconds. */
export const STOP_TIMEOUT_MS = 10_000;

/** Stands for the time of the drain until the service has started. */
export const NOT_STARTED = -1;

/** The message of the main thread that asks for a stop. */
export interface StopMessage {
  readonly cause: string;
  /** Whether to skip the drain, because somebody waits at the terminal. */
  readonly isHurried: boolean;
}

export interface StopRequest {
  readonly cause: string;
  /** Aborted when there is no time to drain, also after the drain has begun. */
  readonly hurry: AbortSignal;
}

/** Waits for the main thread to ask for a stop. The wait alone does not keep the thread running. */
export function stopRequest(): Promise<StopRequest> {
  return new Promise((resolve) => {
    const hurry = new AbortController();
    parentPort?.on('message', ({ cause, isHurried }: StopMessage) => {
      if (isHurried) hurry.abort();
      resolve({ cause, hurry: hurry.signal });
    });
    parentPort?.unref();
  });
}

/** The time before its deadline at which a stop that hangs is logged, in milliseconds. */
const LOG_TIME_MS = 500;

/**
 * Logs what a stop waits for, shortly before the main thread ends the process.
 * @param drainMs the longest time of the drain
 * @param hurry ends the drain
 * @param underWay returns what the stop waits for
 */
export function logLateStop(drainMs: number, hurry: AbortSignal, underWay: () => readonly string[], log: Logger): void {
  const logLate = () => {
    const resources = process.getActiveResourcesInfo();
    log.error({ under_way: underWay(), resources }, 'the stop took too long: ended by force');
    log.flush();
  };
  setTimeout(logLate, drainMs + STOP_TIMEOUT_MS - LOG_TIME_MS).unref();
  if (drainMs > 0) {
    const logSooner = () => logLateStop(0, hurry, underWay, log);
    hurry.addEventListener('abort', logSooner, { once: true });
  }
}
