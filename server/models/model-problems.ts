import type { components } from '../../generated/openapi.js';
import { type ProblemError, problem } from '../problems/problem.js';

type Model = components['schemas']['Model'];

/** In how many seconds a training is worth asking after. */
const RETRY_AFTER = { 'Retry-After': '1' };

/** @param pointer the field of the request that names the version, if it is not in the address */
export function modelNotFound(name: string, project: string, version?: number, pointer?: string): ProblemError {
  const what =
    version === undefined ? `model with the name "${name}"` : `version ${version} of a model with the name "${name}"`;
  const message = 'names no version of the model; listVersions shows those that there are';
  const members = pointer === undefined ? {} : { errors: [{ pointer, message }] };
  return problem('/problems/model-not-found', `There is no ${what} in the project "${project}".`, members);
}

export function trainingInProgress({ name, version }: Model): ProblemError {
  return problem(
    '/problems/training-in-progress',
    `Version ${version} of the model "${name}" is still training; try again when it is done, or cancel it.`,
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
  const type = '/problems/model-not-ready';
  if (status !== 'training') {
    const rest = isVersion
      ? '; choose a version that is ready.'
      : ', and no earlier one is there to answer; send a table to train it again.';
    const detail = `The training of version ${version} of the model "${name}" failed${rest}`;
    return problem(type, detail, { model_status: 'failed' });
  }
  const rest = isVersion
    ? '; try again in a moment, or choose a version that is ready.'
    : ', and no earlier one is there to answer; try again in a moment.';
  const detail = `Version ${version} of the model "${name}" is still training${rest}`;
  return problem(type, detail, { model_status: 'training' }, RETRY_AFTER);
}

export function trainingEnded({ name, version }: Model): ProblemError {
  return problem(
    '/problems/training-ended',
    `Version ${version} of the model "${name}" is ready, so there is no training to cancel; delete the version, or make another one serve.`,
  );
}

export function versionInUse({ name, version, serving_version }: Model): ProblemError {
  const detail =
    serving_version === version
      ? `Version ${version} of the model "${name}" answers predictions; make another one serve first, or delete the model.`
      : `Version ${version} is the only one of the model "${name}"; delete the model instead.`;
  return problem('/problems/version-in-use', detail);
}
