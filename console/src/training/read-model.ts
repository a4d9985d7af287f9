import { answered, type Model } from 'roster-client';
import { roster } from '../session/roster.js';

/**
 * Reads the newest version of a model.
 * @throws ProblemError if there is none
 */
export function readModel(project: string, name: string, signal: AbortSignal): Promise<Model> {
  const path = { projectName: project, modelName: name };
  return answered(roster.GET('/api/projects/{projectName}/models/{modelName}', { params: { path }, signal }));
}
