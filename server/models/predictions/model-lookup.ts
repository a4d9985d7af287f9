/** Finds models and their versions, and says why there is none or why it cannot be used. */

import { type ProblemError, problem } from '../../problems/problem.js';
import type { Project } from '../../projects/projects.js';
import { MAX_VERSION, type Model, type Store } from '../../store/index.js';

/** In how many seconds a training is worth asking after. */
const RETRY_AFTER = { 'Retry-After': '1' };

/**
 * Finds a model, as its newest version shows it.
 * @throws {ProblemError} if the project has none of this name
 */
export async function findModel(store: Store, project: Project, name: string): Promise<Model> {
  const model = await store.models.find(project.id, name);
  if (!model) throw modelNotFound(name, project.name);
  return model;
}

/**
 * Finds a model, as the version with this number shows it.
 * @throws {ProblemError} if the project has no model of this name, or that has no such version
 */
export async function findVersion(
  store: Store,
  project: Project,
  name: string,
  version: number,
): Promise<Model> {
  // A larger number is none to PostgreSQL.
  const model =
    version <= MAX_VERSION ? await store.models.find(project.id, name, version) : undefined;
  if (model) return model;
  await findModel(store, project, name);
  throw modelNotFound(name, project.name, version);
}

/** A model as it is sent, from which its entity tag is made. */
export const modelJson = (model: Model) => [JSON.stringify(model)];

export function modelNotFound(name: string, project: string, version?: number): ProblemError {
  const what =
    version === undefined
      ? `model with the name "${name}"`
      : `version ${version} of a model with the name "${name}"`;
  return problem('/problems/model-not-found', `There is no ${what} in the project "${project}".`);
}

export function trainingInProgress({ name, version }: Model): ProblemError {
  return problem(
    '/problems/training-in-progress',
    `Version ${version} of the model "${name}" is still training; try again when it is done, or delete the model to cancel it.`,
    {},
    RETRY_AFTER,
  );
}

/** The problem of a model none of whose versions can answer. */
export function notReady({ name, version, status }: Model): ProblemError {
  return status === 'training'
    ? problem(
        '/problems/model-not-ready',
        `Version ${version} of the model "${name}" is still training, and no earlier one is there to answer; try again in a moment.`,
        { model_status: 'training' },
        RETRY_AFTER,
      )
    : problem(
        '/problems/model-not-ready',
        `The training of version ${version} of the model "${name}" failed, and no earlier one is there to answer; send a table to train it again.`,
        { model_status: 'failed' },
      );
}

/** The problem of a version that was asked for by its number, and cannot answer. */
export function versionNotReady({ name, version, status }: Model): ProblemError {
  return status === 'training'
    ? problem(
        '/problems/model-not-ready',
        `Version ${version} of the model "${name}" is still training; try again in a moment, or choose a version that is ready.`,
        { model_status: 'training' },
        RETRY_AFTER,
      )
    : problem(
        '/problems/model-not-ready',
        `The training of version ${version} of the model "${name}" failed; choose a version that is ready.`,
        { model_status: 'failed' },
      );
}

/** The problem of a version that is to be deleted, and cannot be spared. */
export function versionInUse({ name, version, serving_version }: Model): ProblemError {
  const detail =
    serving_version === version
      ? `Version ${version} of the model "${name}" answers predictions; make another one serve first, or delete the model.`
      : `Version ${version} is the only one of the model "${name}"; delete the model instead.`;
  return problem('/problems/version-in-use', detail);
}
