/** A version of the model is already training. */
export class TrainingInProgressError extends Error {
  override readonly name = 'TrainingInProgressError';

  constructor(readonly version: number) {
    super(`Version ${version} is training`);
  }
}

/** The training queue is full, in total or for one owner. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}
