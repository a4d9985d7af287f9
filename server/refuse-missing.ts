import type { RefuseMissing } from './api/handle-request.js';
import { requireServing } from './models/predictions/predict.js';
import type { Services } from './operations.js';
import { findProject } from './projects/projects.js';
import { findDocumentSkill } from './resources/documents/documents.js';

/**
 * Returns the check that runs before a large body is read: for a prediction it looks up the model, for
 * a document the skill, else the project. A look-up costs less than reading a body in vain.
 */
export function refuseMissing({ store, predictors }: Services): RefuseMissing {
  return async (operationId, params, caller) => {
    const { projectName, modelName, skill_name, project_name: project = projectName } = params;
    if (operationId === 'predict' && projectName !== undefined && modelName !== undefined) {
      await requireServing(store, caller, projectName, modelName, () =>
        predictors.servingVersion(caller.owner, projectName, modelName),
      );
    } else if (project !== undefined) {
      const found = await findProject(store, caller, project);
      if (operationId === 'putDocument' && skill_name !== undefined) {
        await findDocumentSkill(store, found, skill_name);
      }
    }
  };
}
