import { Worker } from 'node:worker_threads';
import type { AnswerOptions } from '../../prediction/src/predicting.js';
import { type JobRunner, RunningJobs } from './job-runner.js';
import type { RunningJob } from './running-job.js';
import { type FromThread, movable, movedWith, type ToThread } from './thread-messages.js';

const SCRIPT = new URL('./prediction-thread.js', import.meta.url);

/** The most memory of a thread's heap, in MiB. Typed arrays and the kernel's memory are not in it. */
const MAX_HEAP = 1024;

/** The thread of a job ended before the job did. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
}

/** Returns the trained model of a version; undefined if the store does not have it any more. */
export type ArtifactOf = (versionId: string) => Promise<Uint8Array | undefined>;

/** A thread that answers rows, and the jobs that it runs. */
export class PredictionThread implements JobRunner {
  readonly #worker: Worker;
  readonly #jobs = new RunningJobs((message) => this.#send(message));

  /**
   * @param onEnd called when the thread has ended, with the reason if it failed
   * @param script the code of the thread
   * @param maxHeap the most memory of its heap, in MiB
   */
  constructor(
    private readonly artifactOf: ArtifactOf,
    onEnd: (error: Error | undefined) => void,
    { script = SCRIPT, maxHeap = MAX_HEAP } = {},
  ) {
    this.#worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: maxHeap } });
    let failure: Error | undefined;
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => {
      failure = error;
    });
    this.#worker.on('exit', (code) => {
      onEnd(failure);
      const cause = failure ?? new Error(`The thread ended with ${code}`);
      this.#jobs.fail(new ThreadEndedError('The thread of the prediction ended', { cause }));
    });
    // A stop of the service ends its threads, which must not delay it.
    this.#worker.unref();
  }

  get load(): number {
    return this.#jobs.size;
  }

  run(job: RunningJob, options: AnswerOptions, onLeave: () => void): void {
    this.#jobs.begin(job, options, onLeave);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message, movedWith(message));
  }

  #receive(message: FromThread): void {
    if (message.kind === 'ask') void this.#sendArtifact(message.versionId);
    else this.#jobs.receive(message);
  }

  async #sendArtifact(versionId: string): Promise<void> {
    let bytes: Uint8Array | undefined;
    try {
      bytes = await this.artifactOf(versionId);
    } catch (error) {
      this.#jobs.fail(error, versionId);
    }
    this.#send({ kind: 'artifact', versionId, bytes: bytes && movable(bytes) });
  }
}
