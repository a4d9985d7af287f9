import type { TrainedVersion } from '../../store/index.js';

/** The result of a training process, without the artefact, which it writes separately. */
export type TrainingResult = Omit<TrainedVersion, 'artifact'>;
