import { removed } from '../session/removed.js';
import { roster } from '../session/roster.js';

/** The names in the address of a model. */
export interface ModelPath {
  readonly projectName: string;
  readonly modelName: string;
}

/**
 * Deletes a model with all its versions. A training that runs is cancelled.
 * @throws ProblemError if the service refuses
 */
export function deleteModel(path: ModelPath): Promise<void> {
  return removed(
    roster.DELETE('/api/projects/{projectName}/models/{modelName}', { params: { path } }),
  );
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
