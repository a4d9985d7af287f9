import {
  OutOfMemoryError,
  type PoolOptions,
  WorkerEndedError,
  WorkerPool,
} from '../../workers/worker-process.js';
import { DatabaseUnavailableError, QueryError } from '../query-error.js';
import { QueryTurns } from '../query-turns.js';
import { tooMuchMemory } from '../refusals.js';
import { RunningQueries } from '../running-queries.js';
import { limitTerms } from './limit-terms.js';
import type { ParsedSelect, ParseResult } from './parse-select.js';

/** The longest time of a parse, in milliseconds: the start of a process, and 100 ms of work. */
const MAX_TIME_MS = 10_000;

/**
 * The most processes. A statement takes some milliseconds, so that few are enough; each has 110 MiB.
 */
const MAX_PROCESSES = 2;

const OPTIONS: Omit<PoolOptions, 'script'> = {
  maxHeap: 64,
  maxIdle: MAX_PROCESSES,
  idleTimeout: 30_000,
};

/**
 * Parses statements in processes that can be thrown away. A statement that overflows the stack of
 * WebAssembly leaves the parser's memory broken for all that come after it. Owners take turns, as
 * with queries.
 */
export class StatementParser {
  readonly #pool: WorkerPool<string, ParseResult>;
  readonly #running = new RunningQueries();
  readonly #turns = new QueryTurns(MAX_PROCESSES);

  constructor(script: URL) {
    this.#pool = new WorkerPool({ ...OPTIONS, script });
  }

  /**
   * @throws {QueryError} if the statement is too large, malformed, not one SELECT, or has a part
   *   that is not allowed
   * @throws the reason of `signal`
   */
  async parse(owner: string, sql: string, signal: AbortSignal): Promise<ParsedSelect> {
    limitTerms(sql);
    const running = this.#running.begin(signal, MAX_TIME_MS);
    const job = { details: sql, input: nothing(), onData: () => {}, signal: running.signal };
    try {
      const result = await this.#turns.run(owner, running.signal, () => this.#pool.run(job));
      if ('parsed' in result) return result.parsed;
      throw new QueryError(result.refused);
    } catch (error) {
      running.signal.throwIfAborted();
      throw error instanceof QueryError ? error : unparsable(error);
    } finally {
      running.abort();
    }
  }

  stop(): void {
    this.#running.stop();
    this.#pool.close();
  }
}

function unparsable(cause: unknown): QueryError {
  if (cause instanceof OutOfMemoryError) return tooMuchMemory();
  const answer = 'The statement could not be parsed; try again, or write a simpler one.';
  if (cause instanceof WorkerEndedError) return new DatabaseUnavailableError(answer, { cause });
  return new QueryError('The statement is nested too deeply; write a simpler one.', { cause });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
