import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the service before it starts: tells, when it is asked to `read`, for how long its event loop
 * was held (p50, p99 and the longest, in milliseconds), and begins anew when it is asked to `reset`.
 */
const RESOLUTION = 1;
const NANOSECONDS = 1e6;

// Threads load it as well.
if (isMainThread) watch();

function watch(): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();

  process.on('message', (question) => {
    // A delay is the time between two ticks, which is the resolution where nothing holds the loop.
    const at = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION);
    const { max } = delays;
    process.send?.({
      p50: at(delays.percentile(50)),
      p99: at(delays.percentile(99)),
      max: at(max),
    });
    if (question === 'reset') delays.reset();
  });
  // It does not keep the service from ending.
  process.channel?.unref();
}
