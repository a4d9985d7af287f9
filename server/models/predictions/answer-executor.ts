import { setImmediate as nextTurn } from 'node:timers/promises';
import { WorkerPool } from '../../work/worker-pool.js';
import type { Job } from '../../work/worker-process.js';
import { type AnswerEvent, type AnswerJob, type AnswerResult, answerJob } from './answer-job.js';
import type { Predictors } from './predictors.js';

const MEBIBYTE = 1024 * 1024;

/** The version of a model is not in the store any more. */
export class VersionGoneError extends Error {
  override readonly name = 'VersionGoneError';
}

/** Runs jobs that answer rows. */
export interface AnswerExecutor {
  /** @param affinity prefers a worker whose last job had the same */
  run(job: Job<AnswerJob, AnswerEvent>, affinity?: string): Promise<AnswerResult>;
  close(): Promise<void>;
}

/**
 * Returns worker processes that answer rows. What a body makes one of them hold can end no other
 * request.
 * @param count how many of them stay when they have nothing to do
 */
export function answerWorkers(
  count: number,
  { script = new URL('./prediction-worker.js', import.meta.url), maxHeapMiB = 512 } = {},
): AnswerExecutor {
  return new WorkerPool<AnswerJob, AnswerResult, AnswerEvent>({
    script,
    maxHeapMiB,
    // The models that stay loaded, what one request may hold, and the process itself.
    maxMemoryBytes: 1024 * MEBIBYTE,
    maxIdleMemoryBytes: 512 * MEBIBYTE,
    maxSilenceMs: 20_000,
    maxIdle: count,
    idleTimeoutMs: 5 * 60_000,
    graceMs: 1_000,
  });
}

const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

/** Answers rows on the main loop, between other requests. */
export class MainLoop implements AnswerExecutor {
  constructor(private readonly predictors: Pick<Predictors, 'ofVersion'>) {}

  async run({
    details: { versionId, options },
    input,
    onData,
    onEvent,
    signal,
  }: Job<AnswerJob, AnswerEvent>): Promise<AnswerResult> {
    const predictor = await this.predictors.ofVersion(versionId);
    if (!predictor) throw new VersionGoneError();
    await onEvent?.({ kind: 'model', isLoaded: true });
    return answerJob(predictor, input ?? NOTHING, options, {
      data: async (bytes, event) => {
        await onEvent?.(event);
        await onData(Buffer.from(bytes));
        await nextTurn();
        signal?.throwIfAborted();
      },
      event: (event) => onEvent?.(event),
    });
  }

  async close(): Promise<void> {}
}
