import { MessageChannel, Worker } from 'node:worker_threads';
import type { TrainedVersion } from '../store/index.js';
import { sendBytes } from './byte-channel.js';
import type { TrainingMessage } from './training-message.js';

/**
 * Trains a model in a thread that ends with it.
 * @param parts a table as `encodeTable` made it
 * @param signal ends the thread early
 * @param onProgress told how far the training is, from 0 to 1
 * @throws what the thread or `parts` threw, or that the thread ended early
 */
export async function trainInThread(
  parts: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  onProgress: (part: number) => void,
): Promise<TrainedVersion> {
  signal.throwIfAborted();
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('./training-worker.js', import.meta.url), {
    workerData: port2,
    transferList: [port2],
  });
  const abort = () => worker.terminate();
  signal.addEventListener('abort', abort);
  try {
    const trained = new Promise<TrainedVersion>((resolve, reject) => {
      worker.on('message', (message: TrainingMessage) => {
        if ('trained' in message) return resolve(message.trained);
        onProgress(message.progress);
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('The training thread ended early')));
    });
    const [made] = await Promise.all([trained, sendBytes(port1, parts)]);
    return made;
  } finally {
    signal.removeEventListener('abort', abort);
    port1.close();
    await worker.terminate();
  }
}
