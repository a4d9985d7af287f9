import type { AnyPredictor } from 'roster-prediction/predicting';
import { type Caller, seesProject } from '../../auth/caller.js';
import { WhileUnchanged } from '../../common/lru-cache.js';
import { pausing } from '../../common/pausing.js';
import { findProject } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { modelNotReady } from '../model-problems.js';
import { findModel, requireModel } from '../model-rows.js';
import {
  findServingVersion,
  parseNumberedName,
  readStoredModel,
  type ServingVersion,
  type StoredModel,
} from '../serving-version.js';
import { ModelCache } from './answer-body.js';

/** About how many bytes the loaded models may take together. */
const MAX_LOADED_BYTES = 512 * 1024 * 1024;

/** The names of a model in an address. */
interface ModelAddress {
  readonly projectName: string;
  readonly modelName: string;
  /** A version of the model with this very name; without it, the one that serves, or that of a name such as `prices.3`. */
  readonly version?: number | undefined;
}

/** Returns what answers for a version: the trained model, or with a calibration that truths have moved. */
function adapt(predictor: AnyPredictor, { adapted }: ServingVersion): AnyPredictor {
  return adapted ? predictor.adapt(adapted) : predictor;
}

/** The trained models, made ready to answer. A version never changes, so it is loaded once. */
export class Predictors {
  readonly #cache = new ModelCache(MAX_LOADED_BYTES);
  /** Versions that are being loaded: further requests for one wait for the same loading. */
  readonly #loading = new Map<string, Promise<AnyPredictor | undefined>>();
  readonly #known: WhileUnchanged<ServingVersion>;

  constructor(private readonly store: Store) {
    this.#known = new WhileUnchanged(store.recently);
  }

  /**
   * Returns the predictor that serves a model; undefined if the project or model does not exist, or no version is ready.
   * @throws {Error} if the store has lost or damaged what it should have
   */
  #serving(caller: Caller, model: ModelAddress): AnyPredictor | Promise<AnyPredictor | undefined> {
    const version = this.#servingVersion(caller, model);
    if (version instanceof Promise) return this.#loadServing(caller, model, version);
    const predictor = this.#cache.get(version.id);
    if (predictor) return adapt(predictor, version);
    return this.#loadServing(caller, model, version);
  }

  /**
   * Returns the predictor that serves a model of the caller.
   * @throws {ProblemError} if there is no such model, or nothing answers for it yet
   */
  require(caller: Caller, model: ModelAddress): AnyPredictor | Promise<AnyPredictor> {
    const find = () => this.#serving(caller, model);
    const predictor = find();
    return predictor instanceof Promise ? this.#orExplain(caller, model, predictor, find) : predictor;
  }

  /**
   * Returns the version that serves a model of the caller.
   * @throws {ProblemError} if there is no such model, or nothing answers for it yet
   */
  async requireVersion(caller: Caller, model: ModelAddress): Promise<ServingVersion> {
    const find = async () => this.#servingVersion(caller, model);
    return this.#orExplain(caller, model, find(), find);
  }

  /** Returns the predictor of a version; undefined if the store does not have the version any more. */
  ofVersion(versionId: string): AnyPredictor | Promise<AnyPredictor | undefined> {
    const ready = this.#cache.get(versionId) ?? this.#loading.get(versionId);
    if (ready) return ready;
    const loading = this.#load(versionId).finally(() => this.#loading.delete(versionId));
    this.#loading.set(versionId, loading);
    return loading;
  }

  /** Returns the trained model of a version as it is stored; undefined if the store does not have it any more. */
  storedModel(versionId: string): Promise<StoredModel | undefined> {
    return readStoredModel(this.store, versionId);
  }

  #servingVersion(caller: Caller, model: ModelAddress): ServingVersion | Promise<ServingVersion | undefined> {
    const { projectName, modelName, version: number = '' } = model;
    // Every prediction asks this first: while nothing has changed, the answer is the same.
    const found = this.#known.get(`${caller.owner}\0${projectName}\0${modelName}\0${number}`, () =>
      this.#findServing(caller, model),
    );
    if (caller.projectId === undefined) return found;
    const ifSeen = (version: ServingVersion | undefined) =>
      version && seesProject(caller, version.project_id) ? version : undefined;
    return found instanceof Promise ? found.then(ifSeen) : (ifSeen(found) ?? Promise.resolve(undefined));
  }

  #findServing({ owner }: Caller, { projectName: project, modelName: name, version }: ModelAddress) {
    return findServingVersion(this.store, { owner, project, name }, version);
  }

  /** Explains why nothing serves a model, unless it became ready meanwhile. */
  async #orExplain<T>(
    caller: Caller,
    { projectName, modelName, version: number }: ModelAddress,
    first: Promise<T | undefined>,
    find: () => T | Promise<T | undefined>,
  ): Promise<T> {
    const serving = await first;
    if (serving !== undefined) return serving;
    const project = await findProject(this.store, caller, projectName);
    const model = await findModel(this.store, project.id, modelName, number);
    const numbered = model || number !== undefined ? undefined : parseNumberedName(modelName);
    const { name, version } = numbered ?? { name: modelName, version: number };
    const asked = model ?? (await requireModel(this.store, project, name, version));
    // It may have become ready, or been replaced, between the two.
    const served = await find();
    if (served === undefined) throw modelNotReady(asked, version !== undefined);
    return served;
  }

  async #loadServing(
    caller: Caller,
    model: ModelAddress,
    asked: ServingVersion | Promise<ServingVersion | undefined>,
  ): Promise<AnyPredictor | undefined> {
    const version = await asked;
    if (version === undefined) return undefined;
    const predictor = await this.ofVersion(version.id);
    if (predictor) return adapt(predictor, version);
    // A newer version may have taken the place of this one since; then there is another to ask for.
    const now = await this.#findServing(caller, model);
    if (now === undefined) return undefined;
    if (now.id === version.id) throw new Error(`Version ${now.id} has no trained model`);
    const newer = await this.ofVersion(now.id);
    return newer && adapt(newer, now);
  }

  async #load(versionId: string): Promise<AnyPredictor | undefined> {
    const stored = await this.storedModel(versionId);
    return stored && this.#cache.load(versionId, stored, pausing());
  }
}
