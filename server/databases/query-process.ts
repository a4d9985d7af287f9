import type { WorkerPool } from '../work/worker-pool.js';
import { OutOfMemoryError, WorkerEndedError } from '../work/worker-process.js';
import type { LineSink } from './driver.js';
import { DatabaseUnavailableError, QueryError, tooMuchMemory } from './query-error.js';

/** The answer of a process: `refused` has the message of a `QueryError`. */
export type Reply<Answer> =
  | { readonly answer: Answer }
  | { readonly refused: string; readonly isUnavailable: boolean; readonly cause: string };

/**
 * Runs a job of `serveQueries`.
 * @param ended the message if the process ends before the job does
 * @throws {QueryError} if the job is refused, or its process ends
 * @throws {JobFailedError} if the process failed by itself
 * @throws the error of `sink`, or the reason of `signal`
 */
export async function runInProcess<Job, Answer>(
  pool: WorkerPool<Job, Reply<Answer>>,
  details: Job,
  ended: string,
  signal: AbortSignal,
  sink: LineSink = async () => {},
): Promise<Answer> {
  try {
    const reply = await pool.run({ details, onData: sink, signal });
    if ('answer' in reply) return reply.answer;
    const { refused, isUnavailable, cause } = reply;
    throw isUnavailable
      ? new DatabaseUnavailableError(refused, { cause })
      : new QueryError(refused, { cause });
  } catch (error) {
    if (error instanceof OutOfMemoryError) throw tooMuchMemory();
    if (!(error instanceof WorkerEndedError)) throw error;
    throw new DatabaseUnavailableError(ended, { cause: error });
  }
}
