import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { type Answer, FRAME, type Frame, frameHead, isOutOfMemory, readFrames } from './frames.js';
import { writeLimits } from './watchdog.js';

/** The most characters of a worker's standard error that are kept; V8 states the reason first. */
const MAX_STDERR = 16 * 1024;

/** The interval at which a running job is looked at, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** The worker process ran out of memory. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';
}

/** The worker process ended before its job did, by itself or by a signal. */
export class WorkerEndedError extends Error {
  override readonly name = 'WorkerEndedError';
}

/** The worker process was ended, because its job did nothing for too long. */
export class WorkerTimeoutError extends WorkerEndedError {}

/** The job failed in the worker; the message has its stack. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';
}

/** A job for a worker process. */
export interface Job<Details, Event = never> {
  /** The details of the job; they are cloned. */
  readonly details: Details;
  /** The input of the job. The rest is not read if the worker returns its result early. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Takes the bytes that the worker writes, in order; the worker waits for it. */
  readonly onData: (bytes: Buffer<ArrayBuffer>) => Promise<void> | void;
  /** Takes the events of the job, in order with the bytes; the worker waits for it. */
  readonly onEvent?: (event: Event) => Promise<void> | void;
  /** Called when the worker has taken a piece of the input. */
  readonly onTaken?: () => void;
  /** Ends the job, and with it the worker, unless the job ends within `graceMs`. */
  readonly signal?: AbortSignal | undefined;
}

/** The limits of a worker process. */
export interface WorkerOptions {
  /** A module that calls `serveJobs`. */
  readonly script: URL;
  /** The limit of V8's heap in MiB, without typed arrays. */
  readonly maxHeap: number;
  /** The most resident memory of the process, in bytes. */
  readonly maxMemory: number;
  /**
   * The longest time in which a job may neither take input nor write, in milliseconds. Time that it
   * spends waiting for input or for its reader does not count.
   */
  readonly maxSilence: number;
}

export type Success<Result> = Extract<Answer<Result>, { result: unknown }>;

/** A process that runs one job at a time. */
export class WorkerProcess<Details, Event, Result> {
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #frames: AsyncGenerator<Frame>;
  readonly #ended: Promise<string>;
  readonly #maxSilence: number;
  #stderr = '';
  #hasTaken = false;
  /** The answer of a job that was given up. */
  #leftover: Promise<unknown> | undefined;
  #timeout: WorkerTimeoutError | undefined;

  constructor({ script, maxHeap, maxMemory, maxSilence }: WorkerOptions) {
    // Does not inherit this process's flags and environment: it needs neither secrets nor a
    // debugger port.
    const child = spawn(
      process.execPath,
      [
        `--max-old-space-size=${maxHeap}`,
        fileURLToPath(script),
        ...writeLimits({ parent: process.pid, maxMemory }),
      ],
      { stdio: ['pipe', 'pipe', 'pipe'], env: environment(), windowsHide: true },
    );
    this.#child = child;
    this.#maxSilence = maxSilence;
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

  /** Ends the process at once, and resolves when it has ended. */
  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /**
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends before the job does
   * @throws {Error} if the job throws in the worker
   * @throws the error of `input`, `onData` or `onEvent`, or the reason of `signal`
   */
  async run(job: Job<Details, Event>): Promise<Success<Result>> {
    const { details, input, signal } = job;
    this.#leftover = undefined;
    const over = new AbortController();
    const stopped = once(over.signal, 'abort').then(() => Promise.reject(over.signal.reason));
    stopped.catch(() => {});
    const abort = () => over.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    const activity = new Activity();
    const watch = setInterval(() => this.#endIfSilent(activity), LOOK_EVERY_MS).unref();
    try {
      await Promise.race([this.#give(details), stopped]);
      activity.note();
      const sent = this.#send(input, job, activity, over.signal);
      const answered = this.#receive(job, activity, over.signal);
      this.#leftover = answered;
      // The first failure is the reason; the other one follows from it.
      sent.catch(() => {});
      answered.catch(() => {});
      return await Promise.race([stopped, answered, sent.then(() => answered)]);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      clearInterval(watch);
      over.abort();
      signal?.removeEventListener('abort', abort);
    }
  }

  /**
   * Waits for the end of a job that was given up, whose output is discarded.
   * @param graceMs the longest wait, in milliseconds
   * @returns whether the process can run another job
   */
  async settle(graceMs: number): Promise<boolean> {
    const given = new AbortController();
    const settled = this.#leftover?.then(
      () => true,
      () => false,
    );
    const late = delay(graceMs, false, { ref: false, signal: given.signal }).catch(() => false);
    const canGoOn = (await Promise.race([settled ?? false, late])) && this.isAlive;
    given.abort();
    return canGoOn;
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
  async #send(
    input: AsyncIterable<Uint8Array>,
    { onTaken }: Job<Details, Event>,
    activity: Activity,
    signal: AbortSignal,
  ): Promise<void> {
    const end = () => this.#input.write(frameHead(FRAME.end, 0));
    signal.addEventListener('abort', end, { once: true });
    activity.waitsForInput = true;
    for await (const bytes of input) {
      if (signal.aborted) return;
      activity.waitsForInput = false;
      activity.note();
      await this.#write(FRAME.data, bytes);
      onTaken?.();
      activity.waitsForInput = true;
    }
    if (signal.aborted) return;
    activity.waitsForInput = false;
    activity.note();
    signal.removeEventListener('abort', end);
    end();
  }

  /** Resolves when the bytes are written, or can no longer be. */
  #write(kind: number, bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#input.cork();
      this.#input.write(frameHead(kind, bytes.length));
      this.#input.write(bytes, () => resolve());
      this.#input.uncork();
    });
  }

  /** Hands on the output of a job until its end; discards it when the signal has aborted. */
  async #receive(
    { onData, onEvent }: Job<Details, Event>,
    activity: Activity,
    signal: AbortSignal,
  ): Promise<Success<Result>> {
    for (;;) {
      const next = await this.#frames.next();
      if (next.done) throw await this.#whyEnded();
      const { kind, payload } = next.value;
      if (kind === FRAME.result) {
        const answer: Answer<Result> = deserialize(payload);
        if ('failure' in answer) throw new JobFailedError(answer.failure);
        return answer;
      }
      if (signal.aborted) continue;
      activity.waitsForReader = true;
      if (kind === FRAME.data) await onData(payload);
      else await onEvent?.(deserialize(payload));
      activity.waitsForReader = false;
      activity.note();
    }
  }

  #endIfSilent(activity: Activity): void {
    if (activity.silence < this.#maxSilence) return;
    const seconds = Math.round(this.#maxSilence / 1000);
    this.#timeout = new WorkerTimeoutError(`A worker process did nothing for ${seconds} seconds`);
    void this.end();
  }

  async #whyEnded(): Promise<Error> {
    const how = await this.#ended;
    if (this.#timeout) return this.#timeout;
    const reason = /^.*(?:FATAL|Fatal|Error).*$/m.exec(this.#stderr)?.[0];
    const message = `A worker process ended with ${how}${reason ? `: ${reason.trim()}` : ''}`;
    return isOutOfMemory(this.#stderr)
      ? new OutOfMemoryError(message)
      : new WorkerEndedError(message);
  }
}

/** The last activity of a job, and whether it is the service that keeps it waiting. */
class Activity {
  #last = performance.now();
  waitsForInput = false;
  waitsForReader = false;

  note(): void {
    this.#last = performance.now();
  }

  /** The time in which the job could have done something and did not, in milliseconds. */
  get silence(): number {
    return this.waitsForInput || this.waitsForReader ? 0 : performance.now() - this.#last;
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
