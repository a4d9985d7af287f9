import { Worker } from 'node:worker_threads';
import type { TrainedVersion } from '../store/index.js';
import type { TrainingMessage } from './training-message.js';

/**
 * Trains a model in a thread that ends with it.
 * @param table a table as `encodeTable` wrote it
 * @param signal ends the thread early
 * @param onProgress told how far the training is, from 0 to 1
 * @throws what the thread threw, or that it ended early
 */
export async function trainInThread(
  table: Uint8Array,
  signal: AbortSignal,
  onProgress: (part: number) => void,
): Promise<TrainedVersion> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./training-worker.js', import.meta.url), {
    workerData: table,
  });
  const abort = () => worker.terminate();
  signal.addEventListener('abort', abort);
  try {
    return await new Promise<TrainedVersion>((resolve, reject) => {
      worker.on('message', (message: TrainingMessage) => {
        if ('trained' in message) return resolve(message.trained);
        onProgress(message.progress);
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('The training thread ended early')));
    });
  } finally {
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}
