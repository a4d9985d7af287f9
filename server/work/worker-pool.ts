import { ProblemError } from '../problems/problem.js';
import { type Job, WorkerEndedError, type WorkerOptions, WorkerProcess } from './worker-process.js';

export interface PoolOptions extends WorkerOptions {
  /** The most idle processes, and the time for which they wait for another job, in milliseconds. */
  readonly maxIdle: number;
  readonly idleTimeoutMs: number;
  /** The largest resident memory of a process that is reused, in bytes. */
  readonly maxIdleMemoryBytes?: number;
  /**
   * The time in which a job that was given up may end by itself, in milliseconds. Its process is then
   * reused, which costs less than starting one. 0 ends the process at once.
   */
  readonly graceMs?: number;
}

const DEFAULTS = { maxIdleMemoryBytes: 256 * 1024 * 1024, graceMs: 0 };

/**
 * Runs jobs in separate processes. V8 aborts the whole process if any of its threads runs out of
 * memory, so a worker thread could end the service. A process stays idle for a while after its job,
 * because starting one takes a tenth of a second.
 */
export class WorkerPool<Details, Result, Event = never> {
  readonly #options: PoolOptions & typeof DEFAULTS;
  readonly #all = new Set<WorkerProcess<Details, Event, Result>>();
  /** The processes that wait for a job, with the affinity of their last one. */
  readonly #idle = new Map<
    WorkerProcess<Details, Event, Result>,
    { readonly timeout: NodeJS.Timeout; readonly affinity: string | undefined }
  >();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /**
   * Runs a job and returns its result. Replaces a process that ended while it was idle. A job that is
   * given up has left its process, or ended it, when this rejects.
   * @param affinity prefers an idle process whose last job had the same
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends before the job does
   * @throws {ProblemError} if the job throws one in the worker
   * @throws {JobFailedError} if it throws another error there
   * @throws the error of `input`, `onData` or `onEvent`, or the reason of `signal`
   */
  async run(job: Job<Details, Event>, affinity?: string): Promise<Result> {
    job.signal?.throwIfAborted();
    if (this.#isClosed) throw new WorkerEndedError('The service is stopping');
    const idle = this.#takeIdle(affinity);
    const worker = idle ?? this.#start();
    let memory: number | undefined;
    try {
      const answer = await worker.run(job);
      memory = answer.memory;
      if ('refusal' in answer) throw new ProblemError(...answer.refusal);
      return answer.result;
    } catch (error) {
      // Safe to repeat: no input was read yet.
      if (idle && !idle.hasTaken && !job.signal?.aborted && error instanceof WorkerEndedError) {
        return this.run(job, affinity);
      }
      const { graceMs } = this.#options;
      if (graceMs > 0) memory ??= await worker.settle(graceMs);
      throw error;
    } finally {
      if (memory === undefined) await this.#end(worker);
      else this.#release(worker, memory, affinity);
    }
  }

  /** Ends all processes, also those that run a job, and resolves when they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timeout } of this.#idle.values()) clearTimeout(timeout);
    this.#idle.clear();
    await Promise.all([...this.#all].map((worker) => worker.end()));
  }

  #start(): WorkerProcess<Details, Event, Result> {
    const worker = new WorkerProcess<Details, Event, Result>(this.#options);
    this.#all.add(worker);
    return worker;
  }

  #takeIdle(affinity: string | undefined): WorkerProcess<Details, Event, Result> | undefined {
    for (const worker of this.#idle.keys()) if (!worker.isAlive) void this.#end(worker);
    const idle = [...this.#idle];
    const [chosen] = idle.find(([, last]) => last.affinity === affinity) ?? idle[0] ?? [];
    if (!chosen) return undefined;
    clearTimeout(this.#idle.get(chosen)?.timeout);
    this.#idle.delete(chosen);
    return chosen;
  }

  #release(worker: WorkerProcess<Details, Event, Result>, memory: number, affinity: string | undefined): void {
    const { maxIdle, maxIdleMemoryBytes, idleTimeoutMs } = this.#options;
    if (this.#isClosed || memory > maxIdleMemoryBytes || this.#idle.size >= maxIdle) {
      void this.#end(worker);
      return;
    }
    const timeout = setTimeout(() => void this.#end(worker), idleTimeoutMs).unref();
    this.#idle.set(worker, { timeout, affinity });
  }

  async #end(worker: WorkerProcess<Details, Event, Result>): Promise<void> {
    clearTimeout(this.#idle.get(worker)?.timeout);
    this.#idle.delete(worker);
    await worker.end();
    this.#all.delete(worker);
  }
}
