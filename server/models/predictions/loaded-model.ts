import {
  type AnyPredictor,
  createPredictorInSteps,
  decodeModelInSteps,
  type Model,
  type Steps,
} from '../../../prediction/src/predicting.js';

/** The memory of a loaded model, in bytes: of any, for each byte of its artifact, and for each category. Measured, and rounded up. */
const MEMORY = { least: 384 * 1024, perByte: 4, perCategory: 320 };

/** A model that is ready to answer. */
export interface LoadedModel {
  readonly predictor: AnyPredictor;
  /** An estimate of its memory, in bytes. */
  readonly size: number;
}

/**
 * Loads a model from its artifact.
 * @param pause called between two steps, for others to work
 */
export async function loadModel(
  artifact: Uint8Array,
  pause: () => Promise<void> | void,
): Promise<LoadedModel> {
  const model = await inTurns(decodeModelInSteps(artifact), pause);
  const predictor = await inTurns(createPredictorInSteps(model), pause);
  return { predictor, size: memoryOf(model, artifact.length) };
}

async function inTurns<T>(steps: Steps<T>, pause: () => Promise<void> | void): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

function memoryOf({ columns }: Model, artifactBytes: number): number {
  const categories = columns.reduce((sum, column) => sum + (column.categories?.length ?? 0), 0);
  return MEMORY.least + MEMORY.perByte * artifactBytes + MEMORY.perCategory * categories;
}
