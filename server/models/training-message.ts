import type { TrainedVersion } from '../store/index.js';

/** What a training thread tells: how far it is, from 0 to 1, and at last what it made. */
export type TrainingMessage = { readonly progress: number } | { readonly trained: TrainedVersion };
