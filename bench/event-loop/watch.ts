import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into the service. Replies to `begin` when it starts watching the event loop, and to `end` with the
 * longest turn of the loop since then, in milliseconds.
 *
 * The duration of a turn is the smaller of the elapsed time and the processor time: a turn that waited for a
 * processor because of other processes does not count.
 */
const MICROSECONDS = 1000;

// Worker threads load this module as well.
if (isMainThread) watch();

function watch(): void {
  let isWatching = false;
  let longest = 0;
  let passed = 0;
  let used = 0;
  const turn = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage();
    const processor = (user + system) / MICROSECONDS;
    longest = Math.max(longest, Math.min(now - passed, processor - used));
    passed = now;
    used = processor;
    if (isWatching) setImmediate(turn);
  };

  process.on('message', (question) => {
    if (question === 'begin') {
      isWatching = true;
      turn();
      longest = 0;
      process.send?.('watching');
    } else if (question === 'end') {
      turn();
      isWatching = false;
      process.send?.(longest);
    }
  });
  // Does not keep the service from exiting.
  process.channel?.unref();
}
