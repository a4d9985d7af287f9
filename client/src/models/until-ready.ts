import type { RosterClient } from '../contract/calls.js';
import type { Problem } from '../contract/problems.js';
import type { Model } from '../contract/resources.js';
import { retryAfter } from '../middleware/retry-after.js';
import { wait } from '../middleware/wait.js';
import { ProblemError } from '../problem-error.js';

/** Options of `untilReady`: how often it asks, and when it gives up. */
export interface UntilReadyOptions {
  /** Called with the first state of the model, and after each step of its training. */
  onProgress?: ((model: Model) => void) | undefined;
  /** Stops the wait, which then rejects with the signal's reason. The training continues. */
  signal?: AbortSignal | undefined;
  /** The time between two requests, in milliseconds; at least 50. Default: 500. */
  every?: number | undefined;
}

/** Thrown if the training failed. Its message is the model's `failure`. */
export class TrainingFailedError extends Error {
  override readonly name = 'TrainingFailedError';

  constructor(
    /**
     * The model after the failure. `serving_version` shows whether an earlier version still
     * answers.
     */
    readonly model: Model,
  ) {
    super(model.failure ?? 'The training failed');
  }

  /** The reason for the failure, and how to fix it. */
  get failure(): string {
    return this.message;
  }
}

const MIN_WAIT_MS = 50;

/**
 * Waits until the newest version of a model is ready, and returns the model. If the service is
 * busy, waits as long as its `Retry-After` asks.
 *
 * @throws TrainingFailedError if the training failed
 * @throws ProblemError if the service answers with another problem, for example if the model was
 *   deleted
 */
export async function untilReady(
  roster: Pick<RosterClient, 'GET'>,
  path: { projectName: string; modelName: string },
  { onProgress, signal, every = 500 }: UntilReadyOptions = {},
): Promise<Model> {
  let before: Model | undefined;
  for (;;) {
    const { data, error, response } = await roster.GET('/api/projects/{projectName}/models/{modelName}', {
      params: { path },
      signal: signal ?? null,
    });
    if (error && !isForNow(error)) throw new ProblemError(error, response);
    if (data) {
      if (data.version !== before?.version || data.progress !== before.progress) onProgress?.(data);
      if (data.status === 'ready') return data;
      if (data.status === 'failed') throw new TrainingFailedError(data);
      before = data;
    }
    await wait(Math.max(retryAfter(response) ?? 0, every, MIN_WAIT_MS), signal);
  }
}

function isForNow({ type }: Problem): boolean {
  return type === '/problems/too-many-requests' || type === '/problems/service-unavailable';
}
