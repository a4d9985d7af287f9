import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WorkerLimits } from './serve-jobs.js';

/** The pause between two looks, in milliseconds. */
const PAUSE_MS = 50;

const STDERR = 2;

const { parent, maxMemoryBytes }: WorkerLimits = workerData;

/** Runs in a thread of a worker process. */
setInterval(() => {
  const isTooLarge = process.memoryUsage.rss() > maxMemoryBytes;
  if (!isTooLarge && !isParentGone()) return;
  // The pool tells by this text why the process ended.
  if (isTooLarge) writeSync(STDERR, `Error: out of memory beyond ${maxMemoryBytes} bytes\n`);
  process.kill(process.pid, 'SIGKILL');
}, PAUSE_MS);

function isParentGone(): boolean {
  // An orphan gets another parent. Windows leaves it the number of the one that is gone.
  if (process.platform !== 'win32') return process.ppid !== parent;
  try {
    return !process.kill(parent, 0);
  } catch {
    return true;
  }
}
