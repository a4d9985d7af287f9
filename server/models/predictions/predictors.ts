import type { AnyPredictor } from '../../../prediction/src/predicting.js';
import { LruCache } from '../../common/lru-cache.js';
import { pausing } from '../../common/pausing.js';
import type { Store } from '../../store/index.js';
import { loadModel } from './loaded-model.js';

/** The most trained models in memory. Others are loaded again when they are needed. */
const MAX_LOADED = 64;

/** About how many bytes they may take together. */
const MAX_LOADED_BYTES = 512 * 1024 * 1024;

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

  /**
   * Returns the version that serves a model; undefined if the project or model does not exist, or no version is ready.
   */
  servingVersion(
    owner: string,
    project: string,
    name: string,
  ): string | Promise<string | undefined> {
    const address = `${owner}\0${project}\0${name}`;
    const mark = this.store.mark();
    const known = this.#known.get(address);
    if (known !== undefined && known.mark === mark) return known.versionId;
    return this.#askVersion(owner, project, name, address, mark);
  }

  /** Returns the predictor of a version; undefined if the store does not have the version any more. */
  ofVersion(versionId: string): AnyPredictor | Promise<AnyPredictor | undefined> {
    return this.#load(versionId);
  }

  /** Returns the trained model of a version as it is stored; undefined if the store does not have it any more. */
  artifact(versionId: string): Promise<Uint8Array | undefined> {
    return this.store.models.artifact(versionId);
  }

  async #askVersion(
    owner: string,
    project: string,
    name: string,
    address: string,
    mark: string | undefined,
  ): Promise<string | undefined> {
    const serving = await this.store.models.serving(owner, project, name);
    if (serving && mark !== undefined) {
      this.#known.set(address, { mark, versionId: serving.versionId });
    }
    return serving?.versionId;
  }

  async #ask(
    owner: string,
    project: string,
    name: string,
    address: string,
    mark: string | undefined,
  ): Promise<AnyPredictor | undefined> {
    const versionId = await this.#askVersion(owner, project, name, address, mark);
    if (versionId === undefined) return undefined;
    const predictor = await this.#load(versionId);
    if (predictor) return predictor;
    // A newer version may have taken the place of this one since; then there is another to ask for.
    const now = await this.store.models.serving(owner, project, name);
    if (now?.versionId === versionId) {
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
    const artifact = await this.artifact(versionId);
    if (!artifact) return undefined;
    const { predictor, size } = await loadModel(artifact, pausing());
    this.#loaded.set(versionId, predictor, Math.min(size, MAX_LOADED_BYTES));
    return predictor;
  }
}
