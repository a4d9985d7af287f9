import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** The pause between two looks at the memory, in milliseconds. */
const PAUSE_MS = 20;

const STDERR = 2;

/** Runs in a thread of a worker process, and ends the process when it holds too much memory. */
setInterval(() => {
  if (process.memoryUsage.rss() <= Number(workerData)) return;
  // The pool tells by this text why the process ended.
  writeSync(STDERR, 'Error: native code ran out of memory\n');
  process.kill(process.pid, 'SIGKILL');
}, PAUSE_MS);
