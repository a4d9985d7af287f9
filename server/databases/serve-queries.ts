import { type JobOutput, serveJobs } from '../work/serve-jobs.js';
import { DatabaseUnavailableError, QueryError } from './query-error.js';
import type { Reply } from './query-process.js';

/**
 * Runs the jobs of `runInProcess`, in a process of its own: statements may be hostile.
 * @param work may throw a `QueryError`, whose message the service gets
 */
export function serveQueries<Job, Answer>(
  work: (job: Job, output: JobOutput) => Promise<Answer> | Answer,
): Promise<void> {
  return serveJobs<Job, never, Reply<Answer>>(async (job, _input, output) => {
    try {
      return { answer: await work(job, output) };
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      const isUnavailable = error instanceof DatabaseUnavailableError;
      return { refused: error.message, isUnavailable, cause: String(error.cause ?? '') };
    }
  });
}
