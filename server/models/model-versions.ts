import type { Handlers } from '../api/handlers.js';
import { listPage } from '../api/list-page.js';
import {
  checkPreconditions,
  conditionalGet,
  isConditional,
  withEtag,
} from '../api/preconditions.js';
import { findProject, inProject } from '../projects/projects.js';
import type { Model, Store } from '../store/index.js';
import {
  findModel,
  findVersion,
  modelJson,
  trainingInProgress,
  versionInUse,
  versionNotReady,
} from './predictions/model-lookup.js';

type VersionOperations = Pick<
  Handlers,
  'listVersions' | 'getVersion' | 'deleteVersion' | 'serveVersion'
>;

export function versionOperations(store: Store): VersionOperations {
  return {
    listVersions: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const { id, name } = await findModel(store, project, params.modelName);
      const address = `${base}/api/projects/${project.name}/models/${name}/versions`;
      const page = await listPage(
        address,
        query,
        (part) => store.versions.list(id, part),
        ({ model }) => model,
      );
      return reply({ status: 200, ...page });
    },

    getVersion: async ({ caller, params, headers, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const model = await findVersion(store, project, params.modelName, Number(params.version));
      return reply(await conditionalGet<Model>(modelJson(model), headers));
    },

    deleteVersion: async ({ caller, params, headers, reply }) => {
      const { projectName, modelName } = params;
      await inProject(store, caller, projectName, async (tx, project) => {
        await tx.versions.lock(project.id, modelName);
        const model = await findVersion(tx, project, modelName, Number(params.version));
        if (isConditional(headers)) await checkPreconditions(headers, modelJson(model));
        if (model.status === 'training') throw trainingInProgress(model);
        if (model.serving_version === model.version) throw versionInUse(model);
        if ((await tx.versions.count(model)) === 1) throw versionInUse(model);
        await tx.versions.remove(model, caller.owner);
      });
      return reply({ status: 204 });
    },

    serveVersion: async ({ caller, params, headers, body, reply }) => {
      const { projectName, modelName } = params;
      const model = await inProject(store, caller, projectName, async (tx, project) => {
        await tx.versions.lock(project.id, modelName);
        const before = await findModel(tx, project, modelName);
        if (isConditional(headers)) await checkPreconditions(headers, modelJson(before));
        const version = await findVersion(tx, project, modelName, body.serving.version);
        if (version.status !== 'ready') throw versionNotReady(version);
        await tx.versions.serve(version, version.version);
        return findModel(tx, project, modelName);
      });
      return reply({ status: 200, ...(await withEtag<Model>(modelJson(model))) });
    },
  };
}
