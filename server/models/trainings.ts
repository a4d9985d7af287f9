import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { isUnavailable, type Store, type TrainedVersion } from '../store/index.js';
import type { TrainingMessage } from './training-message.js';

/** One at a time: a training keeps a core busy, and requests want the other. */
const CONCURRENCY = 1;
/** Each waits with its table in the store; beyond this a caller is better told to come back. */
const MAX_WAITING = 100;
/** A training that ended the process this often would end it again. */
const MAX_ATTEMPTS = 3;
/** How much further a training must be for its progress to be written down. */
const PROGRESS_STEP = 0.05;
/** How long to wait before what the store did not take is written again, in milliseconds. */
const RETRY_AFTER = 500;

/**
 * Runs the trainings, each in a thread of its own. What is to be trained is in the store: a training
 * that a crash or a stop cut short begins again when the service starts.
 */
export class Trainings {
  readonly #waiting: string[] = [];
  readonly #running = new Map<string, { cancel: AbortController; ended: Promise<void> }>();
  #stopping = false;

  constructor(
    private readonly store: Store,
    private readonly log: Logger,
  ) {}

  /** Whether so many trainings wait that no other should be begun. */
  get full(): boolean {
    return this.#waiting.length >= MAX_WAITING;
  }

  /** Takes up the trainings that had not ended when the service did. */
  async resume(): Promise<void> {
    for (const versionId of await this.store.models.unfinishedTrainings()) this.add(versionId);
  }

  /** Trains a version as soon as there is room. */
  add(versionId: string): void {
    this.#waiting.push(versionId);
    this.#next();
  }

  /** Cancels trainings, such as those of a model that was deleted. */
  cancel(versionIds: readonly string[]): void {
    for (const versionId of versionIds) {
      const place = this.#waiting.indexOf(versionId);
      if (place >= 0) this.#waiting.splice(place, 1);
      this.#running.get(versionId)?.cancel.abort();
    }
  }

  /** Ends the threads; their trainings begin again at the next start. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#waiting.length = 0;
    const running = [...this.#running];
    this.cancel(running.map(([versionId]) => versionId));
    await Promise.all(running.map(([, { ended }]) => ended));
    for (const [versionId] of running) await this.store.models.takeBackAttempt(versionId);
  }

  #next(): void {
    if (this.#stopping || this.#running.size >= CONCURRENCY) return;
    const versionId = this.#waiting.shift();
    if (versionId === undefined) return;
    const cancel = new AbortController();
    const ended = this.#train(versionId, cancel.signal)
      .catch((error) => this.log.error({ err: error, versionId }, 'training not recorded'))
      .finally(() => {
        this.#running.delete(versionId);
        this.#next();
      });
    this.#running.set(versionId, { cancel, ended });
  }

  async #train(versionId: string, signal: AbortSignal): Promise<void> {
    const { models } = this.store;
    const attempt = await this.#persist(() => models.attemptTraining(versionId));
    if (!attempt) return;
    const { attempts, model, version, table } = attempt;
    const log = this.log.child({ model, version, versionId });
    if (attempts > MAX_ATTEMPTS) {
      const failure = `The training was cut short ${MAX_ATTEMPTS} times by the end of the service. If that was for lack of memory, send a smaller table, else send it again.`;
      await this.#persist(() => models.failTraining(versionId, failure));
      return;
    }
    log.info({ attempt: attempts }, 'training');
    let trained: TrainedVersion;
    try {
      signal.throwIfAborted();
      trained = await this.#inThread(versionId, table, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.error({ err: error }, 'training failed');
      await this.#persist(() => models.failTraining(versionId, failureOf(error)));
      return;
    }
    await this.#persist(() => models.finishTraining(versionId, trained));
    log.info({ metrics: trained.metrics }, 'trained');
  }

  /** Writes how a training begins or ends, as soon as the store can take it: nothing else would end it. */
  async #persist<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isUnavailable(error) || this.#stopping) throw error;
        this.log.warn({ err: error }, 'the store takes no note of a training yet');
        await delay(RETRY_AFTER);
      }
    }
  }

  async #inThread(
    versionId: string,
    table: Uint8Array,
    signal: AbortSignal,
  ): Promise<TrainedVersion> {
    const worker = new Worker(new URL('./training-worker.js', import.meta.url), {
      workerData: table,
    });
    const abort = () => worker.terminate();
    signal.addEventListener('abort', abort);
    let noted = 0;
    try {
      return await new Promise<TrainedVersion>((resolve, reject) => {
        worker.on('message', (message: TrainingMessage) => {
          if ('trained' in message) return resolve(message.trained);
          if (message.progress < noted + PROGRESS_STEP) return;
          noted = message.progress;
          this.store.models
            .noteProgress(versionId, noted)
            .catch((error) => this.log.warn({ err: error, versionId }, 'progress not noted'));
        });
        worker.on('error', reject);
        worker.on('exit', () => reject(new Error('The training thread ended early')));
      });
    } finally {
      signal.removeEventListener('abort', abort);
      await worker.terminate();
    }
  }
}

function failureOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'The training ran out of memory; send a smaller table.'
    : 'The training failed inside the service, whose log has the cause; send the table again.';
}
