import type { RosterClient } from './calls.js';
import { ProblemError } from './problem-error.js';
import type { Problem } from './problems.js';
import type { Model } from './resources.js';
import { retryAfter } from './retry-after.js';
import { wait } from './wait.js';

/** How to wait for a model. */
export interface UntilReadyOptions {
  /** Called with the model as it is at first, and whenever its training has got further. */
  onProgress?: ((model: Model) => void) | undefined;
  /** Ends the waiting, which then rejects with the signal's reason. The training goes on. */
  signal?: AbortSignal | undefined;
  /** How many milliseconds to wait between two questions: 500, if not given; at least 50. */
  every?: number | undefined;
}

/** Thrown where the training of the model has failed. Its message is the model's `failure`. */
export class TrainingFailedError extends Error {
  override readonly name = 'TrainingFailedError';

  constructor(
    /** The model as it is now. `serving_version` tells whether an earlier version answers. */
    readonly model: Model,
  ) {
    super(model.failure ?? 'The training failed');
  }

  /** Why the training failed, and what to do about it. */
  get failure(): string {
    return this.message;
  }
}

const MIN_WAIT_MS = 50;

/**
 * Waits until the newest version of a model is ready, and gives the model. An answer that the service
 * is busy is waited out for as long as its `Retry-After` says.
 *
 * @throws TrainingFailedError where the training has failed
 * @throws ProblemError where the service answers another problem, such as that the model was deleted
 */
export async function untilReady(
  roster: Pick<RosterClient, 'GET'>,
  path: { projectName: string; modelName: string },
  { onProgress, signal, every = 500 }: UntilReadyOptions = {},
): Promise<Model> {
  let before: Model | undefined;
  for (;;) {
    const { data, error, response } = await roster.GET(
      '/api/projects/{projectName}/models/{modelName}',
      { params: { path }, signal: signal ?? null },
    );
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
