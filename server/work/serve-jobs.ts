import { writeFileSync, writevSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { ProblemError } from '../problems/problem.js';
import { type Answer, FRAME, type Frame, isOutOfMemory, readFrames, writeHead } from './frames.js';

const OUTPUT = 1;

const TAKEN = [writeHead(FRAME.taken, 0)];

/** The output of a job to the service. A write blocks the calling thread until the service takes it. */
export interface JobOutput<Event = never> {
  /**
   * @param event comes before the bytes, at no further cost
   * @throws if the service is gone
   */
  data(bytes: Uint8Array, event?: Event): void;
  /**
   * Sends a value of the job's own; it is cloned.
   * @throws if the service is gone
   */
  event(value: Event): void;
}

/**
 * Runs the jobs of a `WorkerPool` one after another, until the service closes the input or is gone.
 * @param work runs one job; its result is cloned. The service gets a `ProblemError` that it throws
 */
export async function serveJobs<Details, Event, Result>(
  work: (details: Details, input: AsyncIterable<Uint8Array>, output: JobOutput<Event>) => Promise<Result> | Result,
): Promise<void> {
  // Signals are for the service, which ends its workers itself. A terminal and systemd send them to all processes.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  preferAsVictim();
  startWatchdog();
  const output: JobOutput<Event> = {
    data: (bytes, event) => {
      const before = event === undefined ? [] : toFrame(FRAME.event, serialize(event));
      write([...before, ...toFrame(FRAME.data, bytes)]);
    },
    event: (value) => write(toFrame(FRAME.event, serialize(value))),
  };
  const frames = readFrames(process.stdin);
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    write(TAKEN);
    const { payload } = next.value;
    const input = readInput(frames);
    const answer = await settle(() => work(deserialize(payload), input, output));
    write(toFrame(FRAME.result, serialize(answer)));
    // Skip the input that the job did not read.
    for await (const _ of input);
  }
}

/** @throws on a lack of memory, which then ends the process as an abort of V8 does */
async function settle<Result>(work: () => Promise<Result> | Result): Promise<Answer<Result>> {
  try {
    return { result: await work(), memory: process.memoryUsage.rss() };
  } catch (error) {
    if (error instanceof ProblemError) {
      const { type, detail, members, headers, cause } = error;
      const refusal = [type, detail, members, headers, { cause: String(cause ?? '') }] as const;
      return { refusal, memory: process.memoryUsage.rss() };
    }
    if (error instanceof RangeError && isOutOfMemory(error.message)) throw error;
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** Returns the input of one job. Unlike a generator, it can be read on after a `for await` that stops early. */
function readInput(frames: AsyncGenerator<Frame>): AsyncIterableIterator<Uint8Array> {
  let isOver = false;
  const input: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => input,
    next: async () => {
      const next = isOver ? undefined : await frames.next();
      if (next?.done) throw new Error('The input broke off');
      isOver ||= next?.value.kind === FRAME.end;
      if (next === undefined || isOver) return { done: true, value: undefined };
      write(TAKEN);
      return { done: false, value: next.value.payload };
    },
  };
  return input;
}

function toFrame(kind: number, payload: Uint8Array): Uint8Array[] {
  return [writeHead(kind, payload.length), payload];
}

/**
 * Writes bytes with one system call, as a rule.
 * @throws if the service is gone
 */
function write(pieces: readonly Uint8Array[]): void {
  let rest = pieces;
  while (rest.length > 0) {
    let written = writeSome(rest);
    rest = rest.flatMap((piece) => {
      const skipped = Math.min(written, piece.length);
      written -= skipped;
      return skipped === piece.length ? [] : [piece.subarray(skipped)];
    });
  }
}

/** The time that a write waits for the service if the output does not block, in milliseconds. */
const WAIT_MS = 1;

/** @returns the number of bytes that were written, 0 if the output took none */
function writeSome(pieces: readonly Uint8Array[]): number {
  try {
    return writevSync(OUTPUT, pieces);
  } catch (error) {
    // Whatever opens `process.stdout` makes it non-blocking.
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    return 0;
  }
}

/** Makes Linux end this process before the service if the machine runs out of memory (proc_pid_oom_score_adj(5)). */
function preferAsVictim(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // A container may forbid it; the process is then as likely to be ended as the service.
  }
}

/**
 * Ends this process when its parent is gone, or when it holds more memory than its limit, also while its main thread is
 * busy. V8's own limit does not count the memory of native code and of typed arrays.
 */
function startWatchdog(): void {
  // The thread's output is left alone: Node would pipe it to standard output, and opening that makes
  // it non-blocking, so that a job's writes fail while the service is slow to read.
  const options = {
    argv: process.argv.slice(2),
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  };
  new Worker(new URL('./watchdog-thread.js', import.meta.url), options).unref();
}
