import {
  type Classifier,
  createPredictorInSteps,
  decodeModelInSteps,
  type Model,
  type Predictor,
  type Steps,
} from '../../prediction/src/predicting.js';
import { LruCache } from '../lru-cache.js';
import { pausing, type Store } from '../store/index.js';

/** A predictor of numbers or of classes. */
export type AnyPredictor = Predictor | Classifier;

/** The most trained models in memory. Others are loaded again when they are needed. */
const MAX_LOADED = 64;

/** About how many bytes they may take together. */
const MAX_LOADED_BYTES = 512 * 1024 * 1024;

/** The memory of a loaded model, in bytes: of any, for each byte of its artifact, and for each category. Measured, and rounded up. */
const MEMORY = { least: 384 * 1024, perByte: 4, perCategory: 320 };

/** For how many models it is known which version answers. */
const MAX_KNOWN = 10_000;

/** The version that answered for a model when the store bore this mark. */
interface Known {
  readonly mark: string;
  readonly versionId: string;
}

/** The trained models, made ready to answer. A version never changes, so it is loaded once. */
export class Predictors {
  readonly #loaded = new LruCache<AnyPredictor>({
    maxEntries: MAX_LOADED,
    maxSize: MAX_LOADED_BYTES,
  });
  /** Versions that are being loaded: further requests for one wait for the same loading. */
  readonly #loading = new Map<string, Promise<AnyPredictor | undefined>>();
  readonly #known = new LruCache<Known>({ maxEntries: MAX_KNOWN });

  constructor(private readonly store: Store) {}

  /**
   * Returns the predictor that serves a model; undefined if the project or model does not exist, or no version is ready.
   * @throws {Error} if the store has lost or damaged what it should have
   */
  serving(
    owner: string,
    project: string,
    name: string,
  ): AnyPredictor | Promise<AnyPredictor | undefined> {
    // Every prediction asks this first: while nothing in the store has changed, the answer is the same.
    const address = `${owner}\0${project}\0${name}`;
    const mark = this.store.mark();
    const known = this.#known.get(address);
    const predictor =
      known !== undefined && known.mark === mark ? this.#loaded.get(known.versionId) : undefined;
    return predictor ?? this.#ask(owner, project, name, address, mark);
  }

  async #ask(
    owner: string,
    project: string,
    name: string,
    address: string,
    mark: string | undefined,
  ): Promise<AnyPredictor | undefined> {
    const serving = await this.store.models.serving(owner, project, name);
    if (!serving) return undefined;
    if (mark !== undefined) this.#known.set(address, { mark, versionId: serving.versionId });
    const predictor = await this.#load(serving.versionId);
    if (predictor) return predictor;
    // A newer version may have taken the place of this one since; then there is another to ask for.
    const now = await this.store.models.serving(owner, project, name);
    if (now?.versionId === serving.versionId) {
      throw new Error(`Version ${now.versionId} has no trained model`);
    }
    return now && this.#load(now.versionId);
  }

  #load(versionId: string): AnyPredictor | Promise<AnyPredictor | undefined> {
    const ready = this.#loaded.get(versionId) ?? this.#loading.get(versionId);
    if (ready) return ready;
    const loading = this.#read(versionId).finally(() => this.#loading.delete(versionId));
    this.#loading.set(versionId, loading);
    return loading;
  }

  async #read(versionId: string): Promise<AnyPredictor | undefined> {
    const artifact = await this.store.models.artifact(versionId);
    if (!artifact) return undefined;
    const model = await inTurns(decodeModelInSteps(artifact));
    const predictor = await inTurns(createPredictorInSteps(model));
    const bytes = memoryOf(model, artifact.length);
    this.#loaded.set(versionId, predictor, Math.min(bytes, MAX_LOADED_BYTES));
    return predictor;
  }
}

/** Runs steps with pauses, in which other requests are served. */
async function inTurns<T>(steps: Steps<T>): Promise<T> {
  const pause = pausing();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

/** Estimates how many bytes of memory a model takes once it is loaded. */
function memoryOf({ columns }: Model, artifactBytes: number): number {
  const categories = columns.reduce((sum, column) => sum + (column.categories?.length ?? 0), 0);
  return MEMORY.least + MEMORY.perByte * artifactBytes + MEMORY.perCategory * categories;
}
