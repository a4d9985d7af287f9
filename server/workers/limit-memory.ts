import { Worker } from 'node:worker_threads';

/**
 * Ends this process when it holds more memory than a limit, also while its main thread is in native
 * code. V8's limit does not count the memory of native code.
 * @param maxBytes the most resident memory, in bytes
 */
export function limitMemory(maxBytes: number): void {
  new Worker(new URL('./memory-watch.js', import.meta.url), { workerData: maxBytes }).unref();
}
