import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { type Answer, FRAME, type Frame, frameHead, isOutOfMemory, readFrames } from './frames.js';

/** The largest memory of a worker process that is reused, in bytes. */
const MAX_IDLE_MEMORY = 256 * 1024 * 1024;

/** The most characters of a worker's standard error that are kept; V8 states the reason first. */
const MAX_STDERR = 16 * 1024;

/** The worker process ran out of memory. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';
}

/** The worker process ended before its job did, by itself or by a signal. */
export class WorkerEndedError extends Error {
  override readonly name = 'WorkerEndedError';
}

/** A job for a worker process. */
export interface Job<Details> {
  /** The details of the job; they are cloned. */
  readonly details: Details;
  /** The input of the job. The rest is not read if the worker returns its result early. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Takes the bytes that the worker writes, in order. */
  readonly onData: (bytes: Buffer<ArrayBuffer>) => Promise<void> | void;
  /** Takes the progress that the worker reports, from 0 to 1. */
  readonly onProgress?: (part: number) => void;
  /** Ends the worker. */
  readonly signal?: AbortSignal | undefined;
}

/** The options for worker processes. */
export interface PoolOptions {
  /** A module that calls `serveJobs`. */
  readonly script: URL;
  /** The limit of V8's heap in MiB, without typed arrays. */
  readonly maxHeap: number;
  /** The most idle processes, and the time for which they wait for another job, in milliseconds. */
  readonly maxIdle: number;
  readonly idleTimeout: number;
}

/**
 * Runs jobs in separate processes. V8 aborts the whole process if any of its threads runs out of
 * memory, so a worker thread could end the service. A process stays idle for a while after its job,
 * because starting one costs more than a small table does.
 */
export class WorkerPool<Details, Result> {
  readonly #options: PoolOptions;
  readonly #idle = new Map<WorkerProcess<Details, Result>, NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Runs a job and returns its result. Replaces a process that ended while it was idle.
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends before the job does
   * @throws {Error} if the job throws in the worker
   * @throws the error of `input` or `onData`, or the reason of `signal`
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
      // Safe to repeat: no input was read yet.
      if (idle && !idle.hasTaken && error instanceof WorkerEndedError) return this.run(job);
      throw error;
    }
  }

  /** Ends the idle processes. */
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
    // Does not inherit this process's flags and environment: it needs neither secrets nor a
    // debugger port.
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${maxHeap}`, fileURLToPath(script)],
      { stdio: ['pipe', 'pipe', 'pipe'], env: environment(), windowsHide: true },
    );
    this.#child = child;
    this.#input = child.stdin;
    // A process that is gone is detected by the end of its output.
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

  /** Whether the process has taken its last job. */
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
      // The first failure is the reason; the other one follows from it.
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
   * Gives the process a job, and waits until it takes the job: an idle process may have ended
   * unnoticed.
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends first
   */
  async #give(details: Details): Promise<void> {
    this.#hasTaken = false;
    await this.#write(FRAME.job, serialize(details));
    const { done } = await this.#frames.next();
    if (done) throw await this.#whyEnded();
    this.#hasTaken = true;
  }

  /**
   * Sends the input of a job, no faster than it is consumed, until it ends or the signal aborts.
   */
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

  /** Resolves when the bytes are written, or can no longer be. */
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

/** Treats a stream that breaks off as ended. */
async function* untilClosed(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch {}
}

/** Returns the environment of a worker. Windows cannot start a process without its SystemRoot. */
function environment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return SystemRoot === undefined ? {} : { SystemRoot };
}
