import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pause } from 'roster-prediction/predicting';

/** The longest time that the event loop is blocked between two pauses, in milliseconds. */
const YIELD_INTERVAL_MS = 4;

/** Returns a function that yields to other requests if a few milliseconds have passed since the last time. */
export function pausing(yieldTurn: () => Promise<unknown> = () => nextTurn()): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < YIELD_INTERVAL_MS) return;
    await yieldTurn();
    since = performance.now();
  };
}

/** Returns a function that yields as that of `pausing` does, and throws the reason of a signal that has aborted. */
export function abortablePausing(signal: AbortSignal): Pause {
  const pause = pausing();
  return async () => {
    await pause();
    signal.throwIfAborted();
  };
}
