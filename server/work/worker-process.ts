import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { unlessAborted } from '../common/unless-aborted.js';
import { type Answer, FRAME, type Frame, isOutOfMemory, readFrames, type SettledAnswer, writeHead } from './frames.js';

/** The most characters of a worker's standard error that are kept; V8 states the reason first. */
const MAX_STDERR = 16 * 1024;

/** The interval at which a running job is looked at, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** The pieces of the input that are sent before the worker has read any of them. */
const MAX_PIECES = 2;

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

export interface Job<Details, Event = never> {
  /** Cloned. */
  readonly details: Details;
  /** The rest is not read if the worker returns its result early. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Takes the bytes that the worker writes, in order; the worker waits for it. */
  readonly onData?: (bytes: Buffer<ArrayBuffer>) => Promise<void> | void;
  /** Takes the events of the job, in order with the bytes; the worker waits for it. */
  readonly onEvent?: (event: Event) => Promise<void> | void;
  readonly onTaken?: () => void;
  /** Returns whether the worker has work to do before the next piece of the input. */
  readonly isWorking?: () => boolean;
  /** Ends the job, and with it the worker, unless the job ends within `graceMs`. */
  readonly signal?: AbortSignal | undefined;
}

export interface WorkerOptions {
  /** A module that calls `serveJobs`. */
  readonly script: URL;
  /** The limit of V8's heap in MiB, without typed arrays. */
  readonly maxHeapMiB: number;
  readonly maxMemoryBytes: number;
  /**
   * The longest time in which a job may neither take input nor write, in milliseconds. Time that it
   * spends waiting for input or for its reader does not count.
   */
  readonly maxSilenceMs: number;
  /** True if the process yields to the service and to those that answer requests at once. */
  readonly isBackground?: boolean;
}

export class WorkerProcess<Details, Event, Result> {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exit: Promise<string>;
  readonly #frames: AsyncGenerator<Frame>;
  readonly #maxSilenceMs: number;
  /** The frames with a job or a piece of input that were sent, and those that the worker has taken. */
  #sent = 0;
  #taken = 0;
  /** The number of the frame with the last job. */
  #job = 1;
  /** The answer to the last job, for which nobody may wait any more; undefined if the process ended. */
  #answer: Promise<Answer<Result> | undefined> = Promise.resolve(undefined);
  /** Continues the input, when the worker has taken a frame or the job is over. */
  #wake = () => {};
  /** When the worker last sent something, or got input that the service waited for. */
  #last = 0;
  /** True while the service waits for the next piece of the input, or takes what was sent. */
  #isReadingInput = false;
  #isTaking = false;
  #stderr = '';
  #timeout: WorkerTimeoutError | undefined;

  constructor({ script, maxHeapMiB, maxMemoryBytes, maxSilenceMs, isBackground }: WorkerOptions) {
    // Does not inherit this process's flags and environment: it needs neither secrets nor a debugger port.
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
    this.#frames = readFrames(child.stdout);
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
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text.slice(0, MAX_STDERR - this.#stderr.length);
    });
  }

  get isAlive(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  get hasTaken(): boolean {
    return this.#taken >= this.#job;
  }

  /** Ends the process at once, and resolves when it has ended. */
  async end(): Promise<void> {
    const { stdin, stdout, stderr, pid } = this.#child;
    if (pid === undefined) return;
    this.#child.kill('SIGKILL');
    // Output that nobody reads any more would keep them open.
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    await this.#exit;
  }

  /**
   * @throws {OutOfMemoryError | WorkerEndedError} if the process ends before the job does
   * @throws {JobFailedError} if the job throws in the worker
   * @throws the error of `input`, `onData` or `onEvent`, or the reason of `signal`
   */
  async run(job: Job<Details, Event>): Promise<SettledAnswer<Result>> {
    if (this.#child.pid === undefined) throw await this.#whyEnded();
    const { signal } = job;
    const over = new AbortController();
    const giveUp = () => over.abort(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    const lookEveryMs = Math.min(LOOK_EVERY_MS, this.#maxSilenceMs);
    const watch = setInterval(() => this.#endIfSilent(job.isWorking), lookEveryMs).unref();
    this.#job = this.#sent + 1;
    this.#last = performance.now();
    this.#answer = this.#receive(job, over);
    void this.#send(job, over.signal).catch((error) => over.abort(error));
    try {
      const answer = await unlessAborted(this.#answer, over.signal);
      if (answer === undefined) throw await this.#whyEnded();
      if ('failure' in answer) throw new JobFailedError(answer.failure);
      return answer;
    } finally {
      over.abort();
      clearInterval(watch);
      signal?.removeEventListener('abort', giveUp);
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
    const answer = await Promise.race([this.#answer, late]);
    waiting.abort();
    late.catch(() => {});
    return answer && 'memory' in answer && this.isAlive ? answer.memory : undefined;
  }

  /** Sends a job and its input, no faster than the worker reads it, until the job is over. */
  async #send({ details, input }: Job<Details, Event>, over: AbortSignal): Promise<void> {
    const { stdin } = this.#child;
    let isEnded = false;
    const end = () => {
      this.#isReadingInput = false;
      if (!isEnded) stdin.write(writeHead(FRAME.end, 0));
      isEnded = true;
      this.#wake();
    };
    over.addEventListener('abort', end, { once: true });
    const until = async (isMet: () => boolean) => {
      while (!over.aborted && !isMet()) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    };
    this.#write(FRAME.job, serialize(details));
    await until(() => this.hasTaken);
    // Another process may then read the input.
    if (over.aborted) return;
    this.#isReadingInput = true;
    for await (const bytes of input ?? []) {
      if (over.aborted) return;
      this.#write(FRAME.data, bytes);
      this.#last = performance.now();
      this.#isReadingInput = false;
      await until(() => this.#sent - this.#taken < MAX_PIECES);
      // The next job may run already, and wait for its own input.
      if (over.aborted) return;
      this.#isReadingInput = true;
    }
    if (over.aborted) return;
    this.#last = performance.now();
    end();
  }

  #write(kind: number, bytes: Uint8Array): void {
    this.#sent += 1;
    this.#child.stdin.cork();
    this.#child.stdin.write(writeHead(kind, bytes.length));
    this.#child.stdin.write(bytes);
    this.#child.stdin.uncork();
  }

  /**
   * Hands on what the worker sends until the job is over, and discards what comes then. Reads no other
   * frame while the service takes one.
   * @returns the answer; undefined if the process ends before
   */
  async #receive(job: Job<Details, Event>, over: AbortController): Promise<Answer<Result> | undefined> {
    for (;;) {
      // The output of a process that is ended breaks off.
      const next = await this.#frames.next().catch(() => undefined);
      if (next === undefined || next.done) return undefined;
      const { kind, payload } = next.value;
      this.#last = performance.now();
      if (kind === FRAME.result) return deserialize(payload);
      if (kind === FRAME.taken) {
        this.#taken += 1;
        if (!over.signal.aborted && this.#taken > this.#job) job.onTaken?.();
        this.#wake();
      } else if (!over.signal.aborted) {
        this.#isTaking = true;
        try {
          await (kind === FRAME.data ? job.onData?.(payload) : job.onEvent?.(deserialize(payload)));
        } catch (error) {
          over.abort(error);
        }
        this.#isTaking = false;
        this.#last = performance.now();
      }
    }
  }

  /** Time in which the service is busy, or the worker waits for input, is not silence. */
  #endIfSilent(isWorking = () => false): void {
    const waitsForInput = this.#isReadingInput && this.#taken === this.#sent && !isWorking();
    const silence = performance.now() - this.#last;
    if (this.#isTaking || waitsForInput || silence < this.#maxSilenceMs) return;
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
    return isOutOfMemory(this.#stderr) ? new OutOfMemoryError(message) : new WorkerEndedError(message);
  }
}

/** Returns the environment of a worker. Windows cannot start a process without its SystemRoot. */
function environment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return SystemRoot === undefined ? {} : { SystemRoot };
}
