import { answered, type Model } from 'roster-client';
import { removed } from '../session/removed.js';
import { roster } from '../session/roster.js';

export interface ModelPath {
  readonly projectName: string;
  readonly modelName: string;
}

/**
 * Deletes a model with all its versions. A training that runs is cancelled.
 * @throws ProblemError if the service refuses
 */
export function deleteModel(path: ModelPath): Promise<void> {
  // The page may be left at once.
  const options = { params: { path }, keepalive: true };
  return removed(roster.DELETE('/api/projects/{projectName}/models/{modelName}', options));
}

/**
 * Deletes a version of a model.
 * @throws ProblemError if the service refuses, as for the version that serves
 */
export function deleteVersion(path: ModelPath, version: number): Promise<void> {
  return removed(
    roster.DELETE('/api/projects/{projectName}/models/{modelName}/versions/{version}', {
      params: { path: { ...path, version: String(version) } },
    }),
  );
}

/**
 * Cancels the training of a version; the other versions stay.
 * @throws ProblemError if the service refuses, as for a version that is ready
 */
export function cancelTraining(path: ModelPath, version: number): Promise<Model> {
  const address = '/api/projects/{projectName}/models/{modelName}/versions/{version}/training' as const;
  const params = { path: { ...path, version: String(version) } };
  return answered(roster.DELETE(address, { params }));
}

/**
 * Sets the name and the description of a model.
 * @throws ProblemError if the service refuses, as for a name that another model has
 */
export function changeDetails(
  path: ModelPath,
  model: { readonly name: string; readonly description: string | null },
): Promise<Model> {
  const address = '/api/projects/{projectName}/models/{modelName}/details' as const;
  return answered(roster.PUT(address, { params: { path }, body: { model } }));
}

/**
 * Sets which version of a model answers predictions, and which later ones are to.
 * @throws ProblemError if the service refuses, as for a version that is not ready
 */
export function setServing(
  path: ModelPath,
  serving: { version?: number; promotion?: Model['promotion'] },
): Promise<Model> {
  return answered(
    roster.PUT('/api/projects/{projectName}/models/{modelName}/serving', { params: { path }, body: { serving } }),
  );
}
