import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { Logger } from 'pino';
import { v4 as uuidv4 } from 'uuid';
import { unlessAborted } from '../../common/unless-aborted.js';
import { type Claim, isUnavailable, type Store, type TrainedVersion } from '../../store/index.js';
import {
  OutOfMemoryError,
  WorkerEndedError,
  WorkerTimeoutError,
} from '../../work/worker-process.js';
import { Trainer } from './trainer.js';

/** The most attempts: a training that ends its process this often would do so again. */
const MAX_ATTEMPTS = 3;
/**
 * The time after which the training of a silent instance is taken over, and the interval at which a
 * running instance renews its lease, in milliseconds.
 */
export const LEASE_MS = 5_000;
const RENEW_EVERY = 1_000;
/**
 * The interval at which other instances' new or abandoned trainings are looked for, in
 * milliseconds.
 */
const LOOK_EVERY = 500;
/** See `TrainingOptions`. */
const PATIENCE = 60_000;
/** The wait before a failed write to the store is repeated, in milliseconds. */
const RETRY_AFTER = 500;

/** A part of a table is missing, usually because the model was deleted. */
class TableGoneError extends Error {}

/** A training has taken the longest time that one may. */
class TrainingTimeoutError extends Error {}

/** A training that runs here. */
interface Running {
  readonly owner: string;
  readonly cancel: AbortController;
  /** When it began, as given by `performance.now()`. */
  readonly begun: number;
}

export interface TrainingOptions {
  /** The longest time of a training, in milliseconds. */
  readonly maxTime: number;
  /** The time after which a training of another owner runs beside one, in milliseconds. */
  readonly patience?: number;
  readonly trainer?: Trainer;
}

/** The outcome of a training on this instance. */
export type TrainingOutcome = 'ready' | 'failed' | 'cancelled';

/**
 * Runs trainings in separate processes: as a rule one, since a training keeps one core busy and
 * requests need the other. While one takes long, a training of another owner runs beside it.
 * Trainings wait in the store, where each instance claims those that nobody runs, under a lease that
 * it renews. A training that is interrupted by a crash or a stop therefore starts again, here or
 * elsewhere.
 */
export class Trainings {
  readonly #instance = uuidv4();
  readonly #stopping = new AbortController();
  readonly #trainer: Trainer;
  readonly #maxTime: number;
  readonly #patience: number;
  readonly #running = new Map<string, Running>();
  #looking: Promise<unknown> | undefined;
  #sweeping: Promise<void> | undefined;
  #rest = new AbortController();

  /** @param note called for each training that ends here */
  constructor(
    private readonly store: Store,
    private readonly log: Logger,
    private readonly note: (outcome: TrainingOutcome) => void,
    { maxTime, patience = PATIENCE, trainer = new Trainer() }: TrainingOptions,
  ) {
    this.#maxTime = maxTime;
    this.#patience = patience;
    this.#trainer = trainer;
  }

  /** The number of trainings that run here. */
  get running(): number {
    return this.#running.size;
  }

  /** Starts to claim trainings, including those that a stop of the service interrupted. */
  start(): void {
    this.#looking ??= Promise.all([
      this.#look(() => ({ exceptOwner: undefined })),
      this.#look(() => this.#besideLongOne()),
    ]);
    this.#sweeping ??= this.#sweep();
  }

  /** Looks for a training at once, for example one that was just created here. */
  wake(): void {
    this.#rest.abort();
  }

  /**
   * Cancels trainings, such as those of a deleted model. One that runs elsewhere ends with its
   * lease.
   */
  cancel(versionIds: readonly string[]): void {
    for (const versionId of versionIds) this.#running.get(versionId)?.cancel.abort();
  }

  /** Ends the process, and leaves its training to the next claim. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#rest.abort();
    for (const { cancel } of this.#running.values()) cancel.abort();
    await Promise.all([this.#looking, this.#sweeping]);
    await this.#trainer.close();
  }

  /** Returns whose trainings may run beside the one that takes long; undefined if none may. */
  #besideLongOne(): { readonly exceptOwner: string } | undefined {
    const [running] = this.#running.values();
    const takesLong = running && performance.now() - running.begun > this.#patience;
    return takesLong && this.#running.size === 1 ? { exceptOwner: running.owner } : undefined;
  }

  /** @param whose returns whose trainings may begin; undefined if none may */
  async #look(
    whose: () => { readonly exceptOwner: string | undefined } | undefined,
  ): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#rest.signal.aborted) this.#rest = new AbortController();
      try {
        // SQLite works in this thread: let other work run between the steps.
        await nextTurn();
        const allowed = whose();
        const claim = allowed && (await this.#claim(allowed.exceptOwner));
        await nextTurn();
        if (claim) await this.#run(claim);
        else await pause(LOOK_EVERY, this.#rest.signal);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.log.error({ err: error }, 'a training could not be claimed or recorded');
        await pause(RETRY_AFTER, this.#stopping.signal);
      }
    }
  }

  /**
   * Deletes the tables of trainings that ended or never began, one part per turn of the event loop.
   * It may take long, so trainings begin and run meanwhile.
   */
  async #sweep(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        // A stop does not wait for a database that is silent.
        if (await unlessAborted(this.#sweepStep(), signal)) await nextTurn();
        else await pause(LOOK_EVERY, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.log.warn({ err: error }, 'unused tables are not deleted yet');
        await pause(RETRY_AFTER, signal);
      }
    }
  }

  /** Returns whether there was something to delete. */
  async #sweepStep(): Promise<boolean> {
    return this.store.tables.sweep();
  }

  async #claim(exceptOwner: string | undefined): Promise<Claim | undefined> {
    try {
      return await this.store.models.claimTraining(this.#instance, LEASE_MS, exceptOwner);
    } catch (error) {
      this.#throwUnlessUnavailable(error);
    }
    await pause(RETRY_AFTER, this.#stopping.signal);
    await this.#persist(() => this.store.ping());
    // A lease may have expired because the store was down: give its holder time to renew it.
    await pause(2 * RENEW_EVERY, this.#stopping.signal);
    return undefined;
  }

  async #run(claim: Claim): Promise<void> {
    const { versionId, owner, attempts, model, version } = claim;
    const log = this.log.child({ model, version, versionId, instance: this.#instance });
    const cancel = new AbortController();
    const ended = new AbortController();
    this.#running.set(versionId, { owner, cancel, begun: performance.now() });
    const late = setTimeout(() => cancel.abort(new TrainingTimeoutError()), this.#maxTime);
    if (this.#stopping.signal.aborted) cancel.abort();
    const progress = { part: 0 };
    const renewing = this.#renew(versionId, progress, cancel, ended.signal);
    try {
      log.info({ attempt: attempts }, 'training');
      const outcome = await this.#train(claim, progress, cancel.signal, log);
      if (outcome) this.note(outcome);
    } finally {
      clearTimeout(late);
      this.#running.delete(versionId);
      ended.abort();
      await renewing;
      if (this.#stopping.signal.aborted) await this.#release(versionId);
    }
  }

  /**
   * Trains and records the outcome; returns it, unless the training continues elsewhere or later.
   */
  async #train(
    { versionId, attempts, parts }: Claim,
    progress: { part: number },
    signal: AbortSignal,
    log: Logger,
  ): Promise<TrainingOutcome | undefined> {
    if (attempts > MAX_ATTEMPTS) return this.#fail(versionId, CUT_SHORT);
    let trained: TrainedVersion;
    try {
      trained = await this.#trainer.train(this.#table(versionId, parts), signal, (part) => {
        progress.part = part;
      });
    } catch (error) {
      if (this.#stopping.signal.aborted) return undefined;
      if (signal.reason instanceof TrainingTimeoutError) {
        log.warn('training takes too long');
        const minutes = Math.round(this.#maxTime / 60_000);
        return this.#fail(
          versionId,
          `The training took longer than ${minutes} minutes, the most that one may; send fewer rows, columns or classes.`,
        );
      }
      if (signal.aborted) {
        log.info('training cancelled');
        return 'cancelled';
      }
      // It would do the same again.
      if (error instanceof WorkerTimeoutError) {
        log.error({ err: error }, 'training made no progress');
        const seconds = Math.round(this.#trainer.maxSilenceMs / 1000);
        return this.#fail(
          versionId,
          `The training made no progress for ${seconds} seconds, and was ended; send fewer rows, columns or classes.`,
        );
      }
      // Ended from outside, for example because the system ran out of memory: the training restarts
      // after its lease.
      if (error instanceof WorkerEndedError) {
        log.error({ err: error }, 'training cut short');
        return undefined;
      }
      const outcome = await this.#fail(versionId, failureOf(error));
      // Deleted by another instance before this one noticed: no training is left to fail.
      if (!outcome && error instanceof TableGoneError) {
        log.info('training cancelled');
        return 'cancelled';
      }
      log.error({ err: error }, 'training failed');
      return outcome;
    }
    const isOurs = await this.#persist(() =>
      this.store.models.finishTraining(versionId, this.#instance, trained),
    );
    if (!isOurs) return undefined;
    log.info({ metrics: trained.metrics }, 'trained');
    return 'ready';
  }

  /**
   * Reads the table of a training no faster than it is consumed, one part per turn of the event
   * loop.
   */
  async *#table(versionId: string, parts: number): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < parts; position++) {
      const part = await this.#persist(() => this.store.tables.part(versionId, position));
      if (!part) throw new TableGoneError(`version ${versionId} has no part ${position}`);
      yield part;
      await nextTurn();
    }
  }

  async #fail(versionId: string, failure: string): Promise<TrainingOutcome | undefined> {
    const isOurs = await this.#persist(() =>
      this.store.models.failTraining(versionId, this.#instance, failure),
    );
    return isOurs ? 'failed' : undefined;
  }

  /** Renews the lease until the training has ended; cancels the training if the lease is lost. */
  async #renew(
    versionId: string,
    progress: { readonly part: number },
    cancel: AbortController,
    ended: AbortSignal,
  ): Promise<void> {
    for (;;) {
      await pause(RENEW_EVERY, ended);
      if (ended.aborted) return;
      try {
        const { models } = this.store;
        if (await models.renewClaim(versionId, this.#instance, LEASE_MS, progress.part)) continue;
        cancel.abort();
        return;
      } catch (error) {
        this.log.warn({ err: error, versionId }, 'the lease of a training is not renewed yet');
      }
    }
  }

  async #release(versionId: string): Promise<void> {
    try {
      await this.store.models.releaseClaim(versionId, this.#instance);
    } catch (error) {
      this.log.warn(
        { err: error, versionId },
        'the lease of a training is not released, and will expire',
      );
    }
  }

  /** Retries until the store responds: nothing else would end a training. */
  #persist<T>(write: () => Promise<T>): Promise<T> {
    return pRetry(write, {
      retries: Number.POSITIVE_INFINITY,
      factor: 1,
      minTimeout: RETRY_AFTER,
      signal: this.#stopping.signal,
      onFailedAttempt: ({ error }) => this.#throwUnlessUnavailable(error),
    });
  }

  /** @throws the error, unless the store is only unavailable */
  #throwUnlessUnavailable(error: unknown): void {
    if (!isUnavailable(error)) throw error;
    this.log.warn({ err: error }, 'the store cannot record a training yet');
  }
}

/** Waits for a time, in milliseconds, or until the signal aborts. */
async function pause(time: number, signal: AbortSignal): Promise<void> {
  await delay(time, undefined, { signal }).catch(() => {});
}

const CUT_SHORT = `The training was cut short ${MAX_ATTEMPTS} times by the end of its process or of the service. If that was for lack of memory, send a smaller table, else send it again.`;

function failureOf(error: unknown): string {
  return error instanceof OutOfMemoryError
    ? 'The training ran out of memory; send fewer rows, or only the columns that bear on the target.'
    : 'The training failed inside the service, whose log has the cause; send the table again.';
}
