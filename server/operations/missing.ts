import type { RefuseMissing } from '../pipeline/router.js';
import type { Services } from './index.js';
import { refuseUnserved } from './models.js';
import { findProject } from './project-access.js';

/**
 * Returns the look-up that comes before a large body: of the model that is to predict, and of the project
 * that anything else is in. Finding them costs less than reading a body in vain.
 */
export function refuseMissing({ store, predictors }: Services): RefuseMissing {
  return async (operationId, params, caller) => {
    const { projectName, modelName, project_name: project = projectName } = params;
    if (operationId === 'predict' && projectName !== undefined && modelName !== undefined) {
      await refuseUnserved(store, predictors, caller, projectName, modelName);
    } else if (project !== undefined) {
      await findProject(store, caller, project);
    }
  };
}
