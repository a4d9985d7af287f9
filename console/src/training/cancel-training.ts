import { ProblemError } from 'roster-client';
import { roster } from '../session/roster.js';

const MODEL = '/api/projects/{projectName}/models/{modelName}';

/** A training that goes on changes the model between reading and deleting it. */
const MAX_ATTEMPTS = 10;

/**
 * Cancels the first training of a model, by deleting the model. A training of a further version cannot be
 * cancelled alone: deleting the model would take along the versions that answer.
 * @returns false if the model has become ready in the meantime, and stays
 * @throws ProblemError if the service refuses
 */
export async function cancelTraining(path: {
  projectName: string;
  modelName: string;
}): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const { data, error, response } = await roster.GET(MODEL, { params: { path } });
    if (error !== undefined) throw new ProblemError(error, response);
    if (data && data.serving_version !== null) return false;
    const etag = response.headers.get('ETag');
    const deletion = await roster.DELETE(MODEL, {
      params: { path, header: etag === null ? {} : { 'If-Match': etag } },
    });
    if (deletion.error === undefined) return true;
    const isChanged = deletion.error.type === '/problems/precondition-failed';
    if (!isChanged || attempt === MAX_ATTEMPTS) {
      throw new ProblemError(deletion.error, deletion.response);
    }
  }
}
