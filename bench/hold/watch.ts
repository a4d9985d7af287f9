import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the service before it starts. Answers `begin` when it watches the event loop, and `end` with the
 * longest time that one turn of the loop took since, in milliseconds.
 *
 * The time of a turn is the lesser of what passed and of what the process had of its processors: a turn that
 * waited for a processor, because others use them, is no hold.
 */
const MICROSECONDS = 1000;

// Threads load it as well.
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
  // It does not keep the service from ending.
  process.channel?.unref();
}
