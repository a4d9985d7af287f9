import { ProblemError } from 'roster-client';
import { roster } from '../session/roster.js';

interface ModelPath {
  readonly projectName: string;
  readonly modelName: string;
}

/**
 * Deletes a model with all its versions. A training that runs is cancelled.
 * @throws ProblemError if the service refuses
 */
export async function removeModel(path: ModelPath): Promise<void> {
  const { error, response } = await roster.DELETE(
    '/api/projects/{projectName}/models/{modelName}',
    { params: { path } },
  );
  if (error) throw new ProblemError(error, response);
}

/**
 * Deletes a version of a model.
 * @throws ProblemError if the service refuses, as for the version that serves
 */
export async function removeVersion(path: ModelPath, version: number): Promise<void> {
  const { error, response } = await roster.DELETE(
    '/api/projects/{projectName}/models/{modelName}/versions/{version}',
    { params: { path: { ...path, version: String(version) } } },
  );
  if (error) throw new ProblemError(error, response);
}
