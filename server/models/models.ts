import { columnName } from '../../prediction/src/predicting.js';
import type { Handlers } from '../api/handlers.js';
import { listPage } from '../api/list-page.js';
import { checkPreconditions, conditionalGet, isConditional } from '../api/preconditions.js';
import type { Project } from '../projects/projects.js';
import { findProject, inProject } from '../projects/projects.js';
import type { Model, Store } from '../store/index.js';
import { findModel, findVersion, modelJson, modelNotFound } from './predictions/model-lookup.js';
import {
  beginTraining,
  checkTrainable,
  type NewTable,
  refuseFull,
  type TrainingServices,
} from './training/begin-training.js';
import { sentTable } from './training/sent-table.js';
import { tableFormat } from './training/table-format.js';

type ModelOperations = Pick<Handlers, 'listModels' | 'getModel' | 'trainModel' | 'deleteModel'>;

export function modelOperations(services: TrainingServices): ModelOperations {
  const { store, trainings } = services;
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
      return reply(await conditionalGet<Model>(modelJson(model), headers));
    },

    trainModel: async (request) => {
      const { caller, params, query, headers, body, base, reply } = request;
      const project = await findProject(store, caller, params.projectName);
      const name = params.modelName;
      const check = async (tx: Store, { id }: Project) =>
        checkTrainable(await tx.models.find(id, name), headers);
      // Before the table is read, which is work; and again when it has been.
      await check(store, project);
      await refuseFull(store, project, caller.owner);
      const what = { target: columnName(query.target), task: query.task };
      const sent = await sentTable(body);
      const table: NewTable = sent.source
        ? { ...what, source: sent.source }
        : { ...what, ...tableFormat(body.mediaType, query), text: sent.bytes };
      const model = await beginTraining(
        services,
        caller,
        project.name,
        name,
        table,
        check,
        request,
      );
      const location = `${base}/api/projects/${project.name}/models/${name}`;
      return reply({ status: 202, body: model, headers: { Location: location } });
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
