import type { Logger } from 'pino';
import { MainLoopRunner } from './job-runner.js';
import { PredictionPool } from './prediction-pool.js';
import type { Predictors } from './predictors.js';
import { PredictionThread } from './thread.js';

/**
 * Creates the pool that answers rows in threads.
 * @param threads their number; with 0, the main loop answers
 */
export function createPool(threads: number, predictors: Predictors, log: Logger): PredictionPool {
  if (threads === 0) return new PredictionPool(1, false, () => new MainLoopRunner(predictors));
  const artifactOf = (versionId: string) => predictors.artifact(versionId);
  return new PredictionPool(threads, true, (onEnd) => {
    return new PredictionThread(artifactOf, (error) => {
      if (error) log.warn({ err: error }, 'a thread that answered rows ended');
      onEnd();
    });
  });
}
