import type { TrainedVersion } from '../../store/index.js';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import type { TrainingResult } from './training-message.js';

const OPTIONS: PoolOptions = {
  script: new URL('./training-worker.js', import.meta.url),
  maxHeapMiB: 2048,
  maxMemoryBytes: 4 * 1024 * 1024 * 1024,
  maxSilenceMs: 15 * 60_000,
  isBackground: true,
  maxIdle: 1,
  idleTimeoutMs: 10_000,
};

/** Trains models in separate processes. */
export class Trainer {
  readonly #pool: WorkerPool<null, TrainingResult, number>;

  /** The longest time in which a training may make no progress, in milliseconds. */
  readonly maxSilenceMs: number;

  constructor(options: Partial<PoolOptions> = {}) {
    const all = { ...OPTIONS, ...options };
    this.#pool = new WorkerPool(all);
    this.maxSilenceMs = all.maxSilenceMs;
  }

  /**
   * Trains a model.
   * @param parts a table, as `encodeTable` makes it
   * @param signal cancels the training
   * @param onProgress gets the progress, from 0 to 1
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends early
   * @throws the error of the training or of `parts`, or the reason of `signal`
   */
  async train(
    parts: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    onProgress: (part: number) => void,
  ): Promise<TrainedVersion> {
    let artifact: Uint8Array | undefined;
    const onData = (bytes: Uint8Array) => {
      artifact = bytes;
    };
    const result = await this.#pool.run({
      details: null,
      input: parts,
      onData,
      onEvent: onProgress,
      signal,
    });
    if (artifact === undefined) throw new Error('A training made no model');
    return { ...result, artifact };
  }

  /** Ends all processes. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
