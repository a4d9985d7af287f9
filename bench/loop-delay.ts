import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the service before it starts: tells, when it is asked for the `loop delay`, for how long its
 * event loop was held since it was asked last (p99 and the longest, in milliseconds).
 */
const RESOLUTION = 1;
const NANOSECONDS = 1e6;

// Threads load it as well.
if (isMainThread) watch();

function watch(): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();

  process.on('message', (question) => {
    if (question !== 'loop delay') return;
    // A delay is the time between two ticks, which is the resolution where nothing holds the loop.
    const at = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION);
    process.send?.({ p99: at(delays.percentile(99)), max: at(delays.max) });
    delays.reset();
  });
  // It does not keep the service from ending.
  process.channel?.unref();
}
