import { Worker } from 'node:worker_threads';

/** The limits that the service sets for a worker process, as the arguments of its script. */
export interface WorkerLimits {
  /** The process that started the worker. The worker ends within a second of it. */
  readonly parent: number;
  /** The most resident memory, in bytes. */
  readonly maxMemoryBytes: number;
}

export function writeLimits({ parent, maxMemoryBytes }: WorkerLimits): string[] {
  return [String(parent), String(maxMemoryBytes)];
}

function readLimits([parent, maxMemoryBytes]: readonly string[]): WorkerLimits {
  return { parent: Number(parent), maxMemoryBytes: Number(maxMemoryBytes) };
}

/**
 * Ends this process when its parent is gone, or when it holds more memory than its limit, also while
 * its main thread is busy. V8's own limit does not count the memory of native code and of typed
 * arrays.
 */
export function startWatchdog(): void {
  // The thread's output is left alone: Node would pipe it to standard output, and opening that makes
  // it non-blocking, so that a job's writes fail while the service is slow to read.
  const options = {
    workerData: readLimits(process.argv.slice(2)),
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  };
  new Worker(new URL('./watchdog-thread.js', import.meta.url), options).unref();
}
