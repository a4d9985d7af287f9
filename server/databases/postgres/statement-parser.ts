import { QueryGate } from '../../common/query-gate.js';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import { JobFailedError } from '../../work/worker-process.js';
import { explainEnd, GATE_ERRORS, queryError } from '../query-error.js';
import { limitTerms } from './limit-terms.js';
import type { ParsedSelect } from './statement.js';

/** The longest time of a parse, in milliseconds: the start of a process, and 100 ms of work. */
const MAX_TIME_MS = 10_000;

/**
 * The most processes. A statement takes some milliseconds, so that few are enough; each has 110 MiB.
 */
const MAX_PROCESSES = 2;

const MAX_WAITING = 512;

/**
 * Usual statements need some 110 MiB. WebAssembly returns none, so the pool keeps no process with more
 * than 256 MiB: any statement has as much again.
 */
const OPTIONS: Omit<PoolOptions, 'script'> = {
  maxHeapMiB: 64,
  maxMemoryBytes: 512 * 1024 * 1024,
  maxSilenceMs: MAX_TIME_MS,
  maxIdle: MAX_PROCESSES,
  idleTimeoutMs: 30_000,
};

/**
 * Parses statements in processes that can be thrown away. A statement that overflows the stack of
 * WebAssembly leaves the parser's memory broken for all that come after it. Owners take turns, as
 * with queries.
 */
export class StatementParser {
  readonly #pool: WorkerPool<string, ParsedSelect>;
  readonly #gate = new QueryGate({
    slots: MAX_PROCESSES,
    maxWaiting: MAX_WAITING,
    timeoutMs: MAX_TIME_MS,
    ...GATE_ERRORS,
  });

  constructor(script: URL) {
    this.#pool = new WorkerPool({ ...OPTIONS, script });
  }

  /**
   * @throws {ProblemError} if the statement is too large, malformed, not one SELECT, or has a part
   *   that is not allowed
   * @throws the reason of `signal`
   */
  async parse(owner: string, sql: string, signal: AbortSignal): Promise<ParsedSelect> {
    limitTerms(sql);
    try {
      return await this.#gate.run(owner, signal, (running) =>
        this.#pool.run({ details: sql, signal: running }),
      );
    } catch (error) {
      if (error instanceof JobFailedError) {
        const message = 'The statement is nested too deeply; write a simpler one.';
        throw queryError(message, { cause: error });
      }
      throw explainEnd(
        error,
        'The statement could not be parsed; try again, or write a simpler one.',
      );
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.#gate.stop(), this.#pool.close()]);
  }
}
