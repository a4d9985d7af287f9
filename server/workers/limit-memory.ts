import { Worker } from 'node:worker_threads';

/**
 * Ends this process when it holds more memory than a limit, also while its main thread is in native
 * code. V8's limit does not count the memory of native code.
 * @param maxBytes the most resident memory, in bytes
 */
export function limitMemory(maxBytes: number): void {
  // The thread's output is left alone: Node would pipe it to standard output, and opening that makes
  // it non-blocking, so that a job's writes fail while the service is slow to read.
  const options = { workerData: maxBytes, stdout: true, stderr: true };
  new Worker(new URL('./memory-watch.js', import.meta.url), options).unref();
}
