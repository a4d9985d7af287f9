import { SeriesServer } from 'roster-prediction/predicting';
import type { Handlers } from '../api/handlers.js';
import { findProject } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { requireModel } from './model-rows.js';
import type { Predictors } from './predictions/predictors.js';
import { findServingVersion } from './serving-version.js';

/** The most values of an answer. */
const MAX_VALUES = 1000;

/** The last values of the series of forecasts. */
export function seriesOperations(store: Store, predictors: Predictors): Pick<Handlers, 'getSeries'> {
  return {
    getSeries: async ({ caller, params, query, reply }) => {
      const { projectName, modelName } = params;
      const project = await findProject(store, caller, projectName);
      const { name } = await requireModel(store, project, modelName);
      const version = await findServingVersion(store, { owner: caller.owner, project: projectName, name: modelName });
      const predictor = version && (await predictors.ofVersion(version.id));
      const none = (reason: string) => reply({ status: 200, body: { model: name, reason, values: [] } });
      if (predictor === undefined) return none('No version of the model is ready.');
      if (!(predictor instanceof SeriesServer)) return none('The model predicts rows, and knows no series.');
      const values = predictor.lastValues(query.group ?? [], MAX_VALUES);
      if (values === undefined) return none('The model knows no such series.');
      return reply({ status: 200, body: { model: name, reason: null, values } });
    },
  };
}
