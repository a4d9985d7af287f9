import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into the service. Replies to `loop delay` with the delays of the event loop since the last such
 * message: the p99 and the longest, in milliseconds.
 */
const RESOLUTION = 1;
const NANOSECONDS = 1e6;

// Worker threads load this module as well.
if (isMainThread) watch();

function watch(): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();

  process.on('message', (question) => {
    if (question !== 'loop delay') return;
    // A delay is the time between two ticks, which is the resolution if nothing blocks the loop.
    const at = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION);
    process.send?.({ p99: at(delays.percentile(99)), max: at(delays.max) });
    delays.reset();
  });
  // Does not keep the service from exiting.
  process.channel?.unref();
}
