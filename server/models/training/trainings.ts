import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { Logger } from 'pino';
import { v4 as uuidv4 } from 'uuid';
import { isUnavailable, type Store } from '../../store/index.js';
import { Leases } from '../../store/lease.js';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import { OutOfMemoryError, WorkerEndedError, WorkerTimeoutError } from '../../work/worker-process.js';
import type { Effort } from '../model-rows.js';
import { failTraining, finishTraining, type TrainedVersion } from './end-training.js';
import { findServingModel, type ServingModel } from './promotion.js';
import { readTablePart } from './table-rows.js';
import { type Claim, claimTraining, releaseTraining, renewTraining, type TrainingState } from './training-claims.js';

/** A training that ends its process this often would do so again. */
const MAX_ATTEMPTS = 3;

/** The lease of a training, after which it is taken over from a silent instance, in milliseconds. */
export const LEASE_MS = 5_000;

/** Within this time, an instance notices that a training was cancelled or deleted by another one. */
const RENEW_EVERY_MS = 500;

/** The interval at which other instances' new or abandoned trainings are looked for. */
const LOOK_EVERY_MS = 500;

const PATIENCE_MS = 60_000;

/** The wait before a failed write to the store is repeated. */
const RETRY_AFTER_MS = 500;

const WORKERS: PoolOptions = {
  script: new URL('./training-worker.js', import.meta.url),
  maxHeapMiB: 2048,
  maxMemoryBytes: 4 * 1024 * 1024 * 1024,
  maxSilenceMs: 15 * 60_000,
  isBackground: true,
  maxIdle: 1,
  idleTimeoutMs: 10_000,
};

/** The details of a training; its table follows as input. */
export interface TrainingJob {
  /** The version to compare with; null if there is none to compare with. */
  readonly serving: ServingModel | null;
  readonly effort: Effort;
  /** The remaining time of the training, in milliseconds. */
  readonly maxTime: number;
}

/** The result of a training process, without the bytes, which it writes separately. */
export type TrainingResult = Omit<TrainedVersion, 'artifact' | 'seenRows' | 'sample'>;

/** A part of a table is missing, usually because the model was deleted. */
class TableGoneError extends Error {}

class TrainingTimeoutError extends Error {}

/** A training that runs here. */
interface RunningTraining {
  readonly claim: Claim;
  readonly cancel: AbortController;
  readonly log: Logger;
  /** As given by `performance.now()`. */
  readonly begun: number;
  /** From 0 to 1. */
  progress: number;
}

export interface TrainingOptions {
  /** The longest time of a training, in milliseconds. */
  readonly maxTime: number;
  /** The time after which a training of another owner runs beside one, in milliseconds. */
  readonly patience?: number;
  readonly workers?: Partial<PoolOptions>;
}

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
  readonly #workers: WorkerPool<TrainingJob, TrainingResult, number>;
  readonly #limits: Readonly<Record<'maxTime' | 'patience' | 'maxSilenceMs', number>>;
  readonly #running = new Map<string, RunningTraining>();
  #looking: Promise<unknown> | undefined;
  #rest = new AbortController();

  /** @param note called for each training that ends here */
  constructor(
    private readonly store: Store,
    private readonly log: Logger,
    private readonly note: (outcome: TrainingOutcome) => void,
    { maxTime, patience = PATIENCE_MS, workers = {} }: TrainingOptions,
  ) {
    const options = { ...WORKERS, ...workers };
    this.#limits = { maxTime, patience, maxSilenceMs: options.maxSilenceMs };
    this.#workers = new WorkerPool(options);
  }

  get running(): number {
    return this.#running.size;
  }

  /** Starts to claim trainings, including those that a stop of the service interrupted. */
  start(): void {
    this.#looking ??= Promise.all([
      this.#look(() => ({ exceptOwner: undefined })),
      this.#look(() => this.#besideLongOne()),
    ]);
  }

  /** Looks for a training at once, for example one that was just created here. */
  wake(): void {
    this.#rest.abort();
  }

  /**
   * Ends trainings that were cancelled in the store, or whose model was deleted. One that runs
   * elsewhere ends when its lease is to be renewed.
   */
  cancel(versionIds: readonly string[]): void {
    for (const versionId of versionIds) this.#running.get(versionId)?.cancel.abort();
  }

  /** Ends the process, and leaves its training to the next claim. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#rest.abort();
    for (const { cancel } of this.#running.values()) cancel.abort();
    await this.#looking;
    await this.#workers.close();
  }

  /** Returns whose trainings may run beside the one that takes long; undefined if none may. */
  #besideLongOne(): { readonly exceptOwner: string } | undefined {
    const [running] = this.#running.values();
    const takesLong = running && performance.now() - running.begun > this.#limits.patience;
    return takesLong && this.#running.size === 1 ? { exceptOwner: running.claim.owner } : undefined;
  }

  /** @param whose returns whose trainings may begin; undefined if none may */
  async #look(whose: () => { readonly exceptOwner: string | undefined } | undefined): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#rest.signal.aborted) this.#rest = new AbortController();
      try {
        // SQLite works in this thread: let other work run between the steps.
        await nextTurn();
        const allowed = whose();
        const claim = allowed && (await this.#claim(allowed.exceptOwner));
        await nextTurn();
        if (claim) await this.#run(claim);
        else await pause(LOOK_EVERY_MS, this.#rest.signal);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.log.error({ err: error }, 'a training could not be claimed or recorded');
        await pause(RETRY_AFTER_MS, this.#stopping.signal);
      }
    }
  }

  async #claim(exceptOwner: string | undefined): Promise<Claim | undefined> {
    try {
      return await claimTraining(this.store, this.#instance, LEASE_MS, exceptOwner);
    } catch (error) {
      this.#throwUnlessUnavailable(error);
    }
    await pause(RETRY_AFTER_MS, this.#stopping.signal);
    await this.#persist(() => this.store.ping());
    // A lease may have expired because the store was down: give its holder time to renew it.
    await pause(2 * RENEW_EVERY_MS, this.#stopping.signal);
    return undefined;
  }

  async #run(claim: Claim): Promise<void> {
    const { versionId, attempts, owner, project, model, version } = claim;
    const log = this.log.child({ owner, project, model, version, versionId });
    const cancel = new AbortController();
    const training = { claim, cancel, log, begun: performance.now(), progress: 0 };
    this.#running.set(versionId, training);
    const lease = this.#createLease(training);
    lease.hold(claim, cancel);
    const timeout = () => cancel.abort(new TrainingTimeoutError());
    const late = setTimeout(timeout, this.#limits.maxTime);
    if (this.#stopping.signal.aborted) cancel.abort();
    try {
      log.info({ attempt: attempts, instance: this.#instance }, 'training');
      const outcome = attempts > MAX_ATTEMPTS ? await this.#fail(claim, CUT_SHORT) : await this.#train(training);
      if (outcome) this.note(outcome);
    } finally {
      clearTimeout(late);
      this.#running.delete(versionId);
      await lease.drop(claim);
      if (this.#stopping.signal.aborted) {
        await releaseTraining(this.store, claim).catch((error) => {
          log.warn({ err: error }, 'the lease of a training is not released, and will expire');
        });
      }
    }
  }

  /**
   * Trains and records the outcome; returns it, unless the training continues elsewhere or later.
   */
  async #train(training: RunningTraining): Promise<TrainingOutcome | undefined> {
    const { claim, cancel, log } = training;
    const written: Uint8Array[] = [];
    let trained: TrainedVersion;
    try {
      const serving = await this.#persist(() => findServingModel(this.store, claim.versionId));
      const result = await this.#workers.run({
        details: {
          serving: serving ?? null,
          effort: claim.effort ?? 'standard',
          maxTime: Math.max(1, this.#limits.maxTime - (performance.now() - training.begun)),
        },
        input: this.#readTable(claim),
        onData: (bytes) => {
          written.push(bytes);
        },
        onEvent: (progress) => {
          training.progress = progress;
        },
        signal: cancel.signal,
      });
      const [artifact, seenRows = null, sample = null] = written;
      if (artifact === undefined) throw new Error('A training made no model');
      trained = { ...result, artifact, seenRows, sample };
    } catch (error) {
      return this.#stopping.signal.aborted ? undefined : this.#end(training, error);
    }
    const isOurs = await this.#persist(() => finishTraining(this.store, claim, trained));
    if (!isOurs) return undefined;
    const seconds = Math.round((performance.now() - training.begun) / 1000);
    log.info({ rows: claim.rows, seconds }, 'trained');
    return 'ready';
  }

  /** Records that a training did not succeed; returns undefined if it restarts later. */
  async #end(
    { claim, cancel: { signal }, log }: RunningTraining,
    error: unknown,
  ): Promise<TrainingOutcome | undefined> {
    const { maxTime, maxSilenceMs } = this.#limits;
    if (signal.reason instanceof TrainingTimeoutError) {
      log.warn('training takes too long');
      return this.#fail(
        claim,
        `The training took longer than ${Math.round(maxTime / 60_000)} minutes, the most that one may; ${SEND_FEWER}.`,
      );
    }
    if (signal.aborted) {
      log.info('training cancelled');
      return 'cancelled';
    }
    // It would do the same again.
    if (error instanceof WorkerTimeoutError) {
      log.error({ err: error }, 'training made no progress');
      return this.#fail(
        claim,
        `The training made no progress for ${Math.round(maxSilenceMs / 1000)} seconds, and was ended; ${SEND_FEWER}.`,
      );
    }
    // Ended from outside, for example because the system ran out of memory: the training restarts
    // after its lease.
    if (error instanceof WorkerEndedError) {
      log.error({ err: error }, 'training cut short');
      return undefined;
    }
    const failure = error instanceof OutOfMemoryError ? OUT_OF_MEMORY : FAILED_INSIDE;
    const outcome = await this.#fail(claim, failure);
    // Deleted by another instance before this one noticed: no training is left to fail.
    if (!outcome && error instanceof TableGoneError) {
      log.info('training cancelled');
      return 'cancelled';
    }
    log.error({ err: error }, 'training failed');
    return outcome;
  }

  /**
   * Reads the table of a training no faster than it is consumed, one part per turn of the event
   * loop.
   */
  async *#readTable({ versionId, parts }: Claim): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < parts; position++) {
      const part = await this.#persist(() => readTablePart(this.store, versionId, position));
      if (!part) throw new TableGoneError(`version ${versionId} has no part ${position}`);
      yield part;
      await nextTurn();
    }
  }

  async #fail(claim: Claim, failure: string): Promise<TrainingOutcome | undefined> {
    const isOurs = await this.#persist(() => failTraining(this.store, claim, failure));
    return isOurs ? 'failed' : undefined;
  }

  /** A training has a separate lease: its row may be locked while those of others are not. */
  #createLease(training: RunningTraining): Leases<Claim> {
    const { log } = training;
    return new Leases({
      renewEveryMs: RENEW_EVERY_MS,
      renew: async (claims) => {
        const [claim] = claims;
        if (!claim) return [];
        const isOurs = await renewTraining(
          this.store,
          claim,
          LEASE_MS,
          describeProgress(training, this.#limits.maxTime),
        );
        return isOurs ? claims : [];
      },
      onError: (error) => log.warn({ err: error }, 'the lease of a training is not renewed yet'),
    });
  }

  /** Retries until the store responds: nothing else would end a training. */
  #persist<T>(write: () => Promise<T>): Promise<T> {
    return pRetry(write, {
      retries: Number.POSITIVE_INFINITY,
      factor: 1,
      minTimeout: RETRY_AFTER_MS,
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

/** Before this share of a training is done, its pace says little about the rest. */
const TELLING_SHARE = 0.05;

/** @param maxTime the longest time of a training, in milliseconds: with the effort `best`, it ends in time */
function describeProgress({ progress, begun, claim }: RunningTraining, maxTime: number): TrainingState {
  if (progress < TELLING_SHARE) return { progress, secondsLeft: null };
  const elapsed = performance.now() - begun;
  const atThisPace = (elapsed * (1 - progress)) / progress;
  const left = claim.effort === 'best' ? Math.min(atThisPace, Math.max(0, maxTime - elapsed)) : atThisPace;
  return { progress, secondsLeft: Math.ceil(left / 1000) };
}

/** Waits for a time, in milliseconds, or until the signal aborts. */
async function pause(time: number, signal: AbortSignal): Promise<void> {
  await delay(time, undefined, { signal }).catch(() => {});
}

const SEND_FEWER = 'send fewer rows, columns or classes';
const CUT_SHORT = `The training was cut short ${MAX_ATTEMPTS} times by the end of its process or of the service. If that was for lack of memory, send a smaller table, else send it again.`;
const OUT_OF_MEMORY = 'The training ran out of memory; send fewer rows, or only the columns that bear on the target.';
const FAILED_INSIDE = 'The training failed inside the service, whose log has the cause; send the table again.';
