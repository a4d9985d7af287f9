import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { type Answer, FRAME, type Frame, frameHead, isOutOfMemory, readFrames } from './frames.js';

/** A worker process that used more than this is not used again, in bytes. */
const MAX_IDLE_MEMORY = 256 * 1024 * 1024;

/** The most of a worker's standard error that is kept, in characters: V8 says first why it gives up. */
const MAX_STDERR = 16 * 1024;

/** The worker process ran out of memory. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';
}

/** The worker process ended before its job, for a reason of its own or by a signal. */
export class WorkerEndedError extends Error {
  override readonly name = 'WorkerEndedError';
}

/** A job for a worker process. */
export interface Job<Details> {
  /** What the worker is told first; it is cloned. */
  readonly details: Details;
  /** The input that it then reads. The rest is left unread if the worker has its result before. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Takes the bytes that it writes, one piece after the other. */
  readonly onData: (bytes: Buffer<ArrayBuffer>) => Promise<void> | void;
  /** Takes the progress that it reports, from 0 to 1. */
  readonly onProgress?: (part: number) => void;
  /** Ends the worker. */
  readonly signal?: AbortSignal | undefined;
}

/** How worker processes are started and kept. */
export interface PoolOptions {
  /** A module that calls `serveJobs`. */
  readonly script: URL;
  /** The limit of V8's heap in MiB. What a job holds in typed arrays lies outside it. */
  readonly maxHeap: number;
  /** How many processes wait for a next job at most, and for how long, in milliseconds. */
  readonly maxIdle: number;
  readonly idleTimeout: number;
}

/**
 * Runs jobs in processes of their own. V8 aborts the whole process when any of its threads cannot get memory, so a
 * worker thread cannot promise that the service outlives it. A process that has done its job waits a while for
 * the next: starting one costs more than a small table does.
 */
export class WorkerPool<Details, Result> {
  readonly #options: PoolOptions;
  readonly #idle = new Map<WorkerProcess<Details, Result>, NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Runs a job; resolves with its result. A process that ended while it waited for a job is replaced.
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends before the job
   * @throws {Error} what the job threw in the worker
   * @throws what `input` or `onData` threw, or the reason of `signal`
   */
  async run(job: Job<Details>): Promise<Result> {
    job.signal?.throwIfAborted();
    const idle = this.#takeIdle();
    const worker = idle ?? new WorkerProcess(this.#options.script, this.#options.maxHeap);
    try {
      const { result, memory } = await worker.run(job);
      if (memory < MAX_IDLE_MEMORY && !this.#isClosed) this.#keep(worker);
      else worker.end();
      return result;
    } catch (error) {
      worker.end();
      // Nothing of the input was asked for yet.
      if (idle && !idle.hasTaken && error instanceof WorkerEndedError) return this.run(job);
      throw error;
    }
  }

  /** Ends the processes that have no job. */
  close(): void {
    this.#isClosed = true;
    for (const worker of this.#idle.keys()) this.#endIdle(worker);
  }

  #takeIdle(): WorkerProcess<Details, Result> | undefined {
    for (const [worker, timeout] of this.#idle) {
      clearTimeout(timeout);
      this.#idle.delete(worker);
      if (worker.isAlive) return worker;
    }
    return undefined;
  }

  #keep(worker: WorkerProcess<Details, Result>): void {
    const { maxIdle, idleTimeout } = this.#options;
    if (this.#idle.size >= maxIdle) {
      worker.end();
      return;
    }
    const timeout = setTimeout(() => this.#endIdle(worker), idleTimeout);
    timeout.unref();
    this.#idle.set(worker, timeout);
  }

  #endIdle(worker: WorkerProcess<Details, Result>): void {
    clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
    worker.end();
  }
}

type Success<Result> = Extract<Answer<Result>, { result: unknown }>;

class WorkerProcess<Details, Result> {
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #frames: AsyncGenerator<Frame>;
  readonly #ended: Promise<string>;
  #stderr = '';
  #hasTaken = false;

  constructor(script: URL, maxHeap: number) {
    // Without the flags and the environment of this process: it needs no secret and no port of a debugger.
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${maxHeap}`, fileURLToPath(script)],
      { stdio: ['pipe', 'pipe', 'pipe'], env: environment(), windowsHide: true },
    );
    this.#child = child;
    this.#input = child.stdin;
    // A process that is gone is found by what it leaves unsaid.
    child.stdin.on('error', () => {});
    this.#frames = readFrames(untilClosed(child.stdout));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text.slice(0, MAX_STDERR - this.#stderr.length);
    });
    this.#ended = once(child, 'close').then(
      ([code, signal]) => (signal === null ? `exit code ${code}` : `signal ${signal}`),
      (error: Error) => error.message,
    );
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Whether the process has taken the last job that it was given. */
  get hasTaken(): boolean {
    return this.#hasTaken;
  }

  /** Ends the process at once. */
  end(): void {
    this.#child.kill('SIGKILL');
  }

  async run({
    details,
    input,
    onData,
    onProgress,
    signal,
  }: Job<Details>): Promise<Success<Result>> {
    const abort = () => this.end();
    signal?.addEventListener('abort', abort);
    const sending = new AbortController();
    try {
      await this.#give(details);
      const sent = this.#send(input, sending.signal);
      const answered = this.#receive(onData, onProgress);
      // Whichever fails first is the reason; the other only fails in its wake.
      sent.catch(() => {});
      answered.catch(() => {});
      return await Promise.race([answered, sent.then(() => answered)]);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      sending.abort();
      signal?.removeEventListener('abort', abort);
    }
  }

  /**
   * Gives the process a job, and waits until it takes it: one that ended while it had no job may not be known to have.
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends before
   */
  async #give(details: Details): Promise<void> {
    this.#hasTaken = false;
    await this.#write(FRAME.job, serialize(details));
    const { done } = await this.#frames.next();
    if (done) throw await this.#whyEnded();
    this.#hasTaken = true;
  }

  /** Sends the input of a job, no faster than it is taken, until the end or the signal. */
  async #send(input: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const end = () => this.#input.write(frameHead(FRAME.end, 0));
    signal.addEventListener('abort', end);
    for await (const bytes of input) {
      if (signal.aborted) return;
      await this.#write(FRAME.data, bytes);
    }
    if (signal.aborted) return;
    signal.removeEventListener('abort', end);
    end();
  }

  /** Resolves when the bytes were taken, or cannot be any more. */
  #write(kind: number, bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#input.write(frameHead(kind, bytes.length));
      this.#input.write(bytes, () => resolve());
    });
  }

  async #receive(
    onData: Job<Details>['onData'],
    onProgress: Job<Details>['onProgress'],
  ): Promise<Success<Result>> {
    for (;;) {
      const next = await this.#frames.next();
      if (next.done) throw await this.#whyEnded();
      const { kind, payload } = next.value;
      if (kind === FRAME.data) await onData(payload);
      else if (kind === FRAME.progress) onProgress?.(payload.readDoubleLE());
      else {
        const answer: Answer<Result> = deserialize(payload);
        if ('failure' in answer) throw new Error(answer.failure);
        return answer;
      }
    }
  }

  async #whyEnded(): Promise<Error> {
    const how = await this.#ended;
    const reason = /^.*(?:FATAL|Fatal|Error).*$/m.exec(this.#stderr)?.[0];
    const message = `A worker process ended with ${how}${reason ? `: ${reason.trim()}` : ''}`;
    return isOutOfMemory(this.#stderr)
      ? new OutOfMemoryError(message)
      : new WorkerEndedError(message);
  }
}

/** A stream that breaks off has ended, too. */
async function* untilClosed(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch {}
}

/** Windows starts no process without its root. */
function environment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return SystemRoot === undefined ? {} : { SystemRoot };
}
