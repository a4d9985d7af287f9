import { writeSync } from 'node:fs';

const LOOK_EVERY_MS = 50;

const STDERR = 2;

/** The process that started the worker, and the most resident memory of the worker, in bytes. */
const [parent = 0, maxMemoryBytes = 0] = process.argv.slice(2).map(Number);

setInterval(() => {
  const isTooLarge = process.memoryUsage.rss() > maxMemoryBytes;
  if (!isTooLarge && !isParentGone()) return;
  // The pool derives from this text why the process ended.
  if (isTooLarge) writeSync(STDERR, `Error: out of memory beyond ${maxMemoryBytes} bytes\n`);
  process.kill(process.pid, 'SIGKILL');
}, LOOK_EVERY_MS);

function isParentGone(): boolean {
  // An orphan gets another parent. Windows leaves it the number of the one that is gone.
  if (process.platform !== 'win32') return process.ppid !== parent;
  try {
    return !process.kill(parent, 0);
  } catch {
    return true;
  }
}
