/** Finds models and their versions, and says why there is none or why it cannot be used. */

import { type ProblemError, problem } from '../problems/problem.js';
import type { Project } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { findModel, type Model } from './model-rows.js';

/** In how many seconds a training is worth asking after. */
const RETRY_AFTER = { 'Retry-After': '1' };

/**
 * Finds a model, as its newest version shows it, or the one with a number.
 * @throws {ProblemError} if the project has no model of this name, or that has no such version
 */
export async function requireModel(
  store: Store,
  project: Project,
  name: string,
  version?: number,
): Promise<Model> {
  const model = await findModel(store, project.id, name, version);
  if (model) return model;
  if (version !== undefined) await requireModel(store, project, name);
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

/**
 * The problem of a model that cannot answer.
 * @param isVersion whether this version was asked for by its number; else no version can answer
 */
export function modelNotReady(model: Model, isVersion: boolean): ProblemError {
  const { name, version, status } = model;
  if (status === 'training') {
    const rest = isVersion
      ? '; try again in a moment, or choose a version that is ready.'
      : ', and no earlier one is there to answer; try again in a moment.';
    return problem(
      '/problems/model-not-ready',
      `Version ${version} of the model "${name}" is still training${rest}`,
      { model_status: 'training' },
      RETRY_AFTER,
    );
  }
  const rest = isVersion
    ? '; choose a version that is ready.'
    : ', and no earlier one is there to answer; send a table to train it again.';
  return problem(
    '/problems/model-not-ready',
    `The training of version ${version} of the model "${name}" failed${rest}`,
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
