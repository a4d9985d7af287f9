import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { type Answer, FRAME, type Frame, FrameParser, isOutOfMemory, writeHead } from './frames.js';

/** The most characters of a worker's standard error that are kept; V8 states the reason first. */
const MAX_STDERR = 16 * 1024;

/** The interval at which a running job is looked at, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** The pieces of the input that are sent before the worker has read any of them. */
const MAX_PIECES = 2;

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
  /** The input of the job; none by default. The rest is not read if the worker returns its result early. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Takes the bytes that the worker writes, in order; the worker waits for it. */
  readonly onData: (bytes: Buffer<ArrayBuffer>) => Promise<void> | void;
  /** Takes the events of the job, in order with the bytes; the worker waits for it. */
  readonly onEvent?: (event: Event) => Promise<void> | void;
  /** Called when the worker has read a piece of the input. */
  readonly onTaken?: () => void;
  /** Ends the job, and with it the worker, unless the job ends within `graceMs`. */
  readonly signal?: AbortSignal | undefined;
}

/** The limits of a worker process. */
export interface WorkerOptions {
  /** A module that calls `serveJobs`. */
  readonly script: URL;
  /** The limit of V8's heap in MiB, without typed arrays. */
  readonly maxHeapMiB: number;
  /** The most resident memory of the process, in bytes. */
  readonly maxMemoryBytes: number;
  /**
   * The longest time in which a job may neither take input nor write, in milliseconds. Time that it
   * spends waiting for input or for its reader does not count.
   */
  readonly maxSilenceMs: number;
  /** Whether the process yields to the service and to those that answer requests at once. */
  readonly isBackground?: boolean;
}

export type Success<Result> = Extract<Answer<Result>, { result: unknown }>;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A process that runs one job at a time. */
export class WorkerProcess<Details, Event, Result> {
  readonly #child: Child;
  readonly #exit: Promise<string>;
  readonly #maxSilenceMs: number;
  readonly #parser = new FrameParser();
  /** The frames with a job or a piece of input that were sent, and those that the worker has taken. */
  #sent = 0;
  #taken = 0;
  #running: JobClient<Details, Event, Result> | undefined;
  #stderr = '';
  #timeout: WorkerTimeoutError | undefined;

  constructor({ script, maxHeapMiB, maxMemoryBytes, maxSilenceMs, isBackground }: WorkerOptions) {
    // Does not inherit this process's flags and environment: it needs neither secrets nor a
    // debugger port.
    const child = spawn(
      process.execPath,
      [
        `--max-old-space-size=${maxHeapMiB}`,
        fileURLToPath(script),
        // As `serveJobs` reads them.
        ...[String(process.pid), String(maxMemoryBytes)],
      ],
      { stdio: ['pipe', 'pipe', 'pipe'], env: environment(), windowsHide: true },
    );
    this.#child = child;
    this.#maxSilenceMs = maxSilenceMs;
    this.#exit = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
      });
      child.on('error', (error) => resolve(error.message));
    });
    // Without free file descriptors there is no process, and it has no streams.
    if (child.pid === undefined) return;
    if (isBackground) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    // A process that is gone is detected by the end of its output.
    child.stdin.on('error', () => {});
    child.stdout.on('data', (chunk: Buffer) => void this.#receive(chunk));
    child.stdout.once('close', () => void this.#failRunning());
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text.slice(0, MAX_STDERR - this.#stderr.length);
    });
  }

  get isAlive(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Whether the process has taken its last job. */
  get hasTaken(): boolean {
    return this.#running !== undefined && this.#taken >= this.#running.number;
  }

  /** Ends the process at once, and resolves when it has ended. */
  async end(): Promise<void> {
    const { stdin, stdout, stderr, pid } = this.#child;
    if (pid === undefined) return;
    this.#child.kill('SIGKILL');
    // What nobody reads any more would keep them open.
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    await this.#exit;
  }

  /**
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends before the job does
   * @throws {JobFailedError} if the job throws in the worker
   * @throws the error of `input`, `onData` or `onEvent`, or the reason of `signal`
   */
  async run(job: Job<Details, Event>): Promise<Success<Result>> {
    if (this.#child.pid === undefined) throw await this.#whyEnded();
    const { signal } = job;
    const running = new JobClient<Details, Event, Result>(job, this.#sent + 1);
    this.#running = running;
    const abort = () => running.giveUp(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const watch = setInterval(() => this.#endIfSilent(running), LOOK_EVERY_MS).unref();
    void this.#send(running).catch((error) => running.giveUp(error));
    if (this.#child.stdout.closed) void this.#failRunning();
    try {
      return await running.outcome;
    } finally {
      clearInterval(watch);
      signal?.removeEventListener('abort', abort);
    }
  }

  /**
   * Waits for the end of a job that was given up, whose output is discarded.
   * @param graceMs the longest wait, in milliseconds
   * @returns the resident memory of the process in bytes; undefined if it can run no other job
   */
  async settle(graceMs: number): Promise<number | undefined> {
    const waiting = new AbortController();
    const late = delay(graceMs, undefined, { ref: false, signal: waiting.signal });
    const answer = await Promise.race([this.#running?.answer, late]);
    waiting.abort();
    late.catch(() => {});
    return answer && 'memory' in answer && this.isAlive ? answer.memory : undefined;
  }

  /** Sends a job and its input, no faster than the worker reads it, until the job is over. */
  async #send(running: JobClient<Details, Event, Result>): Promise<void> {
    const { details, input } = running.job;
    let isEnded = false;
    const end = () => {
      if (!isEnded) this.#child.stdin.write(writeHead(FRAME.end, 0));
      isEnded = true;
    };
    running.onOver = end;
    this.#write(FRAME.job, serialize(details));
    await running.until(() => this.#taken >= running.number);
    // Another process may then read the input.
    if (running.isOver) return;
    running.isReadingInput = true;
    for await (const bytes of input ?? []) {
      if (running.isOver) return;
      this.#write(FRAME.data, bytes);
      running.note();
      running.isReadingInput = false;
      await running.until(() => this.#sent - this.#taken < MAX_PIECES);
      running.isReadingInput = true;
    }
    running.isReadingInput = false;
    running.note();
    end();
  }

  #write(kind: number, bytes: Uint8Array): void {
    this.#sent += 1;
    this.#child.stdin.cork();
    this.#child.stdin.write(writeHead(kind, bytes.length));
    this.#child.stdin.write(bytes);
    this.#child.stdin.uncork();
  }

  /** Hands on frames in order, and reads no others while the service takes one. */
  async #receive(chunk: Uint8Array): Promise<void> {
    const { stdout } = this.#child;
    stdout.pause();
    for (const frame of this.#parser.push(chunk)) await this.#take(frame);
    stdout.resume();
  }

  /** Returns a promise if the service needs time for a frame. */
  #take({ kind, payload }: Frame): Promise<void> | undefined {
    const running = this.#running;
    running?.note();
    if (kind === FRAME.data) return running?.receive((job) => job.onData(payload));
    if (kind === FRAME.event) return running?.receive((job) => job.onEvent?.(deserialize(payload)));
    if (kind === FRAME.result) running?.finish(deserialize(payload));
    if (kind === FRAME.taken) {
      this.#taken += 1;
      running?.noteTaken(this.#taken);
    }
    return undefined;
  }

  async #failRunning(): Promise<void> {
    this.#running?.fail(await this.#whyEnded());
  }

  #endIfSilent(running: JobClient<Details, Event, Result>): void {
    const waitsForInput = running.isReadingInput && this.#taken === this.#sent;
    if (waitsForInput || running.silence < this.#maxSilenceMs) return;
    const seconds = Math.round(this.#maxSilenceMs / 1000);
    this.#timeout = new WorkerTimeoutError(`A worker process did nothing for ${seconds} seconds`);
    void this.end();
  }

  async #whyEnded(): Promise<Error> {
    const how = await this.#exit;
    const { pid, stderr } = this.#child;
    if (pid !== undefined && !stderr.closed) await once(stderr, 'close');
    if (this.#timeout) return this.#timeout;
    const reason = /^.*(?:FATAL|Fatal|Error).*$/m.exec(this.#stderr)?.[0];
    const message = `A worker process ended with ${how}${reason ? `: ${reason.trim()}` : ''}`;
    return isOutOfMemory(this.#stderr)
      ? new OutOfMemoryError(message)
      : new WorkerEndedError(message);
  }
}

/** A job in a process, until the worker has answered it: longer than somebody may wait for it. */
class JobClient<Details, Event, Result> {
  /** Settles when the job has ended, or is given up. */
  readonly outcome: Promise<Success<Result>>;
  /** Resolves with the last frame of the worker, or undefined if the process has ended. */
  readonly answer: Promise<Answer<Result> | undefined>;
  #resolve: (success: Success<Result>) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #resolveAnswer: (answer: Answer<Result> | undefined) => void = () => {};
  #wake = () => {};
  #last = performance.now();
  #isTaking = false;
  isOver = false;
  /** Called once, when nothing more is to be sent. */
  onOver = () => {};
  /** Whether the service waits for the next piece of the input. */
  isReadingInput = false;

  /** @param number of the frame with the job, among those that were sent */
  constructor(
    readonly job: Job<Details, Event>,
    readonly number: number,
  ) {
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.answer = new Promise((resolve) => {
      this.#resolveAnswer = resolve;
    });
  }

  /** The time in which the worker has sent nothing and the service was not busy, in milliseconds. */
  get silence(): number {
    return this.#isTaking ? 0 : performance.now() - this.#last;
  }

  note(): void {
    this.#last = performance.now();
  }

  /** @param taken the number of frames that were taken */
  noteTaken(taken: number): void {
    if (!this.isOver && taken > this.number) this.job.onTaken?.();
    this.#wake();
  }

  /** Resolves when a condition is met after a frame was taken, or the job is over. */
  async until(isMet: () => boolean): Promise<void> {
    while (!this.isOver && !isMet()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async receive(take: (job: Job<Details, Event>) => Promise<void> | void): Promise<void> {
    if (this.isOver) return;
    this.#isTaking = true;
    try {
      await take(this.job);
    } catch (error) {
      this.giveUp(error);
    }
    this.#isTaking = false;
    this.note();
  }

  /** Ends the job for those who wait for it; the worker may go on. */
  giveUp(error: unknown): void {
    this.#reject(error);
    this.#close();
  }

  finish(answer: Answer<Result>): void {
    this.#resolveAnswer(answer);
    if ('failure' in answer) this.#reject(new JobFailedError(answer.failure));
    else this.#resolve(answer);
    this.#close();
  }

  /** Ends the job because its process has ended. */
  fail(error: Error): void {
    this.#resolveAnswer(undefined);
    this.giveUp(error);
  }

  #close(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#wake();
    this.onOver();
  }
}

/** Returns the environment of a worker. Windows cannot start a process without its SystemRoot. */
function environment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return SystemRoot === undefined ? {} : { SystemRoot };
}
