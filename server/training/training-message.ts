import type { TrainedVersion } from '../store/index.js';

/** The result of a training process, beside the artefact, which it writes. */
export type TrainingResult = Omit<TrainedVersion, 'artifact'>;
