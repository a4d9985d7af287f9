import type { Handlers } from '../../api/handlers.js';
import { problem } from '../../problems/problem.js';
import { findProject } from '../../projects/projects.js';
import type { Model, ModelSource } from '../../store/index.js';
import { findModel, modelNotFound } from '../predictions/model-lookup.js';
import {
  beginTraining,
  checkTrainable,
  refuseFull,
  type TrainingServices,
} from './begin-training.js';

export function retrainOperations(services: TrainingServices): Pick<Handlers, 'retrainModel'> {
  const { store } = services;
  return {
    retrainModel: async (request) => {
      const { caller, params, headers, base, reply } = request;
      const project = await findProject(store, caller, params.projectName);
      const name = params.modelName;
      const newest = await findModel(store, project, name);
      await checkTrainable(newest, headers);
      const { id, target, task } = newest;
      const table = { target, task, source: sourceOf(newest) };
      await refuseFull(store, project, caller.owner);
      const model = await beginTraining(
        services,
        caller,
        project.name,
        name,
        table,
        async (tx, { id: projectId }) => {
          const model = await tx.models.find(projectId, name);
          // Deleted while the query ran: the training must not make it anew.
          if (model?.id !== id) throw modelNotFound(name, project.name);
          await checkTrainable(model, headers);
        },
        request,
      );
      const location = `${base}/api/projects/${project.name}/models/${name}`;
      return reply({ status: 202, body: model, headers: { Location: location } });
    },
  };
}

/** @throws {ProblemError} if the version was trained from a table that was sent */
function sourceOf({ name, version, source }: Model): ModelSource {
  if (source) return source;
  throw problem(
    '/problems/no-source',
    `Version ${version} of the model "${name}" was trained from a table that was sent; send a table to train it again, or train it from a query once.`,
  );
}
