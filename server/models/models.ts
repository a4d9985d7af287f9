import type { Handlers } from '../api/handlers.js';
import { listPage } from '../api/list-page.js';
import { checkPreconditions, conditionalGet, isConditional } from '../api/preconditions.js';
import { withEtag } from '../api/reply/send.js';
import { findProject, inProject } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { countVersions, deleteModelPart, deleteVersions, lockModel, setServing } from './change-models.js';
import { modelNotFound, modelNotReady, trainingEnded, trainingInProgress, versionInUse } from './model-problems.js';
import { findModel, listModels, listVersions, type Model, modelJson, requireModel } from './model-rows.js';
import { cancelTraining } from './training/end-training.js';
import type { Trainings } from './training/trainings.js';

type ModelOperations = Pick<
  Handlers,
  | 'listModels'
  | 'getModel'
  | 'deleteModel'
  | 'listVersions'
  | 'getVersion'
  | 'deleteVersion'
  | 'serveVersion'
  | 'cancelTraining'
>;

export function modelOperations(store: Store, trainings: Trainings): ModelOperations {
  return {
    listModels: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const page = await listPage(
        `${base}/api/projects/${project.name}/models`,
        query,
        (part) => listModels(store, project.id, part),
        (model) => model,
      );
      return reply({ status: 200, ...page });
    },

    getModel: async ({ caller, params, query, headers, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const model = await requireModel(store, project, params.modelName, query.version);
      return reply(await conditionalGet<Model>(modelJson(model), headers));
    },

    deleteModel: async ({ caller, params, headers, reply }) => {
      const { projectName, modelName } = params;
      const { owner } = caller;
      const begun = await inProject(store, caller, projectName, async (tx, project) => {
        const model = await requireModel(tx, project, modelName);
        if (isConditional(headers)) await checkPreconditions(headers, modelJson(model));
        return { id: model.id, deleted: await deleteModelPart(tx, project.id, { id: model.id, owner }) };
      });
      const { id } = begun;
      let { deleted } = begun;
      while (!deleted) {
        // By its identifier: its name may be another by now, or that of another model.
        deleted = await inProject(store, caller, projectName, (tx, project) =>
          deleteModelPart(tx, project.id, { id, owner }),
        );
      }
      trainings.cancel(deleted);
      return reply({ status: 204 });
    },

    listVersions: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const { id, name } = await requireModel(store, project, params.modelName);
      const page = await listPage(
        `${base}/api/projects/${project.name}/models/${name}/versions`,
        query,
        (part) => listVersions(store, id, part),
        ({ model }) => model,
      );
      return reply({ status: 200, ...page });
    },

    getVersion: async ({ caller, params, headers, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const model = await requireModel(store, project, params.modelName, Number(params.version));
      return reply(await conditionalGet<Model>(modelJson(model), headers));
    },

    deleteVersion: async ({ caller, params, headers, reply }) => {
      const { projectName, modelName } = params;
      await inProject(store, caller, projectName, async (tx, project) => {
        await lockModel(tx, project.id, modelName);
        const model = await requireModel(tx, project, modelName, Number(params.version));
        if (isConditional(headers)) await checkPreconditions(headers, modelJson(model));
        if (model.status === 'training') throw trainingInProgress(model);
        const isServing = model.serving_version === model.version;
        if (isServing || (await countVersions(tx, model.id)) === 1) throw versionInUse(model);
        await deleteVersions(tx.reads, model.id, caller.owner, [model.version]);
      });
      return reply({ status: 204 });
    },

    cancelTraining: async ({ caller, params, headers, reply }) => {
      const { projectName, modelName } = params;
      const number = Number(params.version);
      const [model, cancelled] = await inProject(store, caller, projectName, async (tx, project) => {
        await lockModel(tx, project.id, modelName);
        const before = await requireModel(tx, project, modelName, number);
        if (isConditional(headers)) await checkPreconditions(headers, modelJson(before));
        if (before.status === 'ready') throw trainingEnded(before);
        const versionId = await cancelTraining(tx, before);
        return [await requireModel(tx, project, modelName, number), versionId];
      });
      if (cancelled !== undefined) trainings.cancel([cancelled]);
      return reply({ status: 200, ...(await withEtag<Model>(modelJson(model))) });
    },

    serveVersion: async ({ caller, params, headers, body, reply }) => {
      const { projectName, modelName } = params;
      const model = await inProject(store, caller, projectName, async (tx, project) => {
        await lockModel(tx, project.id, modelName);
        const before = await requireModel(tx, project, modelName);
        if (isConditional(headers)) await checkPreconditions(headers, modelJson(before));
        const { version, promotion, adapt } = body.serving;
        if (version !== undefined) {
          const chosen = await findModel(tx, project.id, modelName, version);
          if (!chosen) throw modelNotFound(modelName, project.name, version, '/body/serving/version');
          if (chosen.status !== 'ready') throw modelNotReady(chosen, true);
        }
        const changes = {
          ...(version !== undefined && { serving_version: version }),
          ...(promotion !== undefined && { promotion }),
          ...(adapt !== undefined && { adapt }),
        };
        if (Object.keys(changes).length > 0) await setServing(tx.reads, before.id, changes);
        return requireModel(tx, project, modelName);
      });
      return reply({ status: 200, ...(await withEtag<Model>(modelJson(model))) });
    },
  };
}
