import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

/**
 * Preloaded into the service. Replies to messages with what only the process itself can measure. Does nothing until
 * it is asked.
 */

/** The location of this module, for `startService`. */
export const PRELOAD = new URL(import.meta.url);

const RESOLUTION = 1;
const NANOSECONDS = 1e6;
const MICROSECONDS = 1000;
const PARSING_MS = 3000;

type Answer = (question: string) => unknown;

/** Joins the main thread, which has the channel to the parent, and the thread of the service. */
const CHANNEL = 'bench';

/** All threads load this module: the service runs in the first that its main thread starts. */
const isService = isMainThread ? !process.argv[1]?.endsWith('main.js') : threadId === 1;
if (isService) {
  const answers = [loopDelays(), longestTurn(), timesASecond];
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (event) => {
    if (!(event instanceof MessageEvent)) return;
    for (const answer of answers) {
      const reply = answer(String(event.data));
      if (reply !== undefined) channel.postMessage(reply);
    }
  };
  // Does not keep the service from exiting.
  channel.unref();
}
// The bench loads this module too, and has no channel.
if (isMainThread && process.channel) {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (event) => {
    if (event instanceof MessageEvent) process.send?.(event.data);
  };
  channel.unref();
  process.on('message', (question) => channel.postMessage(question));
  // A bench that was killed leaves no service behind.
  process.once('disconnect', () => process.exit());
  process.channel.unref();
}

/**
 * Answers `loop delay` with the delays of the event loop since the last such message: the p99 and the longest, in
 * milliseconds.
 */
function loopDelays(): Answer {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  return (question) => {
    if (question !== 'loop delay') return undefined;
    delays.enable();
    // A delay is the time between two ticks, which is the resolution if nothing blocks the loop.
    const at = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION);
    const answer = { p99: at(delays.percentile(99)), max: at(delays.max) };
    delays.reset();
    return answer;
  };
}

/**
 * Answers `begin` when it starts watching the event loop, and each `lap` with the longest turn since the question
 * before, in milliseconds: the smaller of elapsed and processor time, so that a turn that waited for a processor does
 * not count.
 */
function longestTurn(): Answer {
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
  };
  const watch = () => {
    turn();
    setImmediate(watch);
  };
  return (question) => {
    if (question !== 'begin' && question !== 'lap') return undefined;
    if (!isWatching) watch();
    isWatching = true;
    turn();
    const lap = longest;
    longest = 0;
    return question === 'lap' ? lap : 'watching';
  };
}

/**
 * Answers `parse and stringify` and two files with the number of times a second that this process can JSON.parse the
 * bytes of the first and JSON.stringify the contents of the second to bytes, while it does nothing else.
 */
function timesASecond(question: string): number | undefined {
  const [, body, answer] = /^parse and stringify (\S+) (\S+)$/.exec(question) ?? [];
  if (!body || !answer) return undefined;
  const bytes = readFileSync(body);
  const objects: unknown = JSON.parse(readFileSync(answer, 'utf8'));
  const begun = performance.now();
  let times = 0;
  for (; performance.now() - begun < PARSING_MS; times++) {
    JSON.parse(bytes.toString());
    Buffer.from(JSON.stringify(objects));
  }
  return (times * 1000) / (performance.now() - begun);
}
