import { columnName } from '../../prediction/src/predicting.js';
import type { Handlers } from '../pipeline/handlers.js';
import type { Model, Project, Store } from '../store/index.js';
import type { Tables } from '../training/tables.js';
import type { Trainings } from '../training/trainings.js';
import { listPage } from './list-page.js';
import {
  findModel,
  findVersion,
  modelJson,
  modelNotFound,
  trainingInProgress,
} from './predicting/model-lookup.js';
import {
  type Conditions,
  checkPreconditions,
  isConditional,
  shown,
} from './writing/preconditions.js';
import { findProject, inProject } from './writing/project-access.js';

type ModelOperations = Pick<
  Handlers,
  'listModels' | 'getModel' | 'trainModel' | 'deleteModel'
>;

export function modelOperations(
  store: Store,
  tables: Tables,
  trainings: Trainings,
): ModelOperations {
  return {
    listModels: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const page = await listPage(
        `${base}/api/projects/${project.name}/models`,
        query,
        (part) => store.models.list(project.id, part),
        (model) => model,
      );
      return reply({ status: 200, ...page });
    },

    getModel: async ({ caller, params, query, headers, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const { version } = query;
      const model =
        version === undefined
          ? await findModel(store, project, params.modelName)
          : await findVersion(store, project, params.modelName, version);
      return reply(await shown<Model>(modelJson(model), headers));
    },

    trainModel: async ({ caller, params, query, headers, body, base, reply }) => {
      const { owner } = caller;
      const project = await findProject(store, caller, params.projectName);
      const name = params.modelName;
      const target = columnName(query.target);
      // Before the table is read, which is work; and again when it has been.
      await checkTrainable(store, project, name, headers);
      await store.models.refuseFullQueue(project.id);
      await store.tables.refuseFullOwner(owner);
      const format = body.mediaType === 'text/csv' ? 'csv' : 'json';
      const { task } = query;
      const table = await tables.keep({ owner, format, target, task, text: body.bytes });
      const begun = await inProject(store, caller, project.name, async (tx, project) => {
        await checkTrainable(tx, project, name, headers);
        return tx.models.beginTraining(project.id, name, table);
      }).catch(async (error) => {
        await tables.discard(table);
        throw error;
      });
      trainings.wake();
      const location = `${base}/api/projects/${project.name}/models/${name}`;
      return reply({ status: 202, body: begun.model, headers: { Location: location } });
    },

    deleteModel: async ({ caller, params, headers, reply }) => {
      const name = params.modelName;
      const removed = await inProject(store, caller, params.projectName, async (tx, project) => {
        if (isConditional(headers)) {
          await checkPreconditions(headers, modelJson(await findModel(tx, project, name)));
        }
        const versionIds = await tx.models.remove(project.id, name);
        if (!versionIds) throw modelNotFound(name, project.name);
        return versionIds;
      });
      trainings.cancel(removed);
      return reply({ status: 204 });
    },
  };
}

/** Refuses a training while another of the model is in progress, or where a condition does not hold. */
async function checkTrainable(
  store: Store,
  project: Project,
  name: string,
  conditions: Conditions,
): Promise<void> {
  const model = await store.models.find(project.id, name);
  if (isConditional(conditions)) await checkPreconditions(conditions, model && modelJson(model));
  if (model?.status === 'training') throw trainingInProgress(model);
}
