import {
  type AnyPredictor,
  createPredictorInSteps,
  decodeModelInSteps,
  type Model,
  type Steps,
} from '../../../prediction/src/predicting.js';
import { LruCache } from '../../common/lru-cache.js';

/** The most trained models in memory. Others are loaded again when they are needed. */
const MAX_LOADED = 64;

/** The memory of a loaded model, in bytes: of any, for each byte of its artifact, and for each category. Measured, and rounded up. */
const MEMORY = { base: 384 * 1024, perByte: 4, perCategory: 320 };

type Pause = () => Promise<void> | void;

/** Trained models that are ready to answer, by their versions. */
export class ModelCache extends LruCache<AnyPredictor> {
  /** @param maxBytes about how many bytes they may take together */
  constructor(private readonly maxBytes: number) {
    super({ maxEntries: MAX_LOADED, maxSize: maxBytes });
  }

  /** @param pause called between two steps, for others to work */
  async load(versionId: string, artifact: Uint8Array, pause: Pause): Promise<AnyPredictor> {
    const model = await runSteps(decodeModelInSteps(artifact), pause);
    const predictor = await runSteps(createPredictorInSteps(model), pause);
    this.set(versionId, predictor, Math.min(estimateMemory(model, artifact.length), this.maxBytes));
    return predictor;
  }
}

async function runSteps<T>(steps: Steps<T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

function estimateMemory({ columns }: Model, artifactBytes: number): number {
  const categories = columns.reduce((sum, column) => sum + (column.categories?.length ?? 0), 0);
  return MEMORY.base + MEMORY.perByte * artifactBytes + MEMORY.perCategory * categories;
}
