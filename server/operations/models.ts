import { Readable } from 'node:stream';
import { type Handlers, JsonText } from '../contract/handlers.js';
import { problem } from '../contract/problems.js';
import type { Predictors } from '../models/predictors.js';
import type { Trainings } from '../models/trainings.js';
import { encodeTable, readCsvTable, readRowsTable, TableError } from '../prediction/index.js';
import { type Model, QueueFullError, type Store, TrainingInProgressError } from '../store/index.js';
import { listPage } from './list-page.js';
import { inProject, projectNamed } from './resource.js';

type ModelOperations = Pick<
  Handlers,
  'listModels' | 'getModel' | 'trainModel' | 'deleteModel' | 'predict'
>;

/** In how many seconds a training is worth asking after. */
const RETRY_AFTER = { 'Retry-After': '1' };

export function modelOperations(
  store: Store,
  trainings: Trainings,
  predictors: Predictors,
): ModelOperations {
  return {
    listModels: async ({ params, query, base, reply }) => {
      const project = await projectNamed(store, params.projectName);
      const page = await listPage(`${base}/api/projects/${project.name}/models`, query, (part) =>
        store.models.list(project.id, part),
      );
      return reply({ status: 200, ...page });
    },

    getModel: async ({ params, query, reply }) => {
      const project = await projectNamed(store, params.projectName);
      const model = await store.models.find(project.id, params.modelName, query.version);
      if (!model) throw notFound(params.modelName, project.name, query.version);
      return reply({ status: 200, body: model });
    },

    trainModel: async ({ params, query, body, base, reply }) => {
      const project = await projectNamed(store, params.projectName);
      const name = params.modelName;
      refuseWhileTraining(await store.models.find(project.id, name));
      const table = await usable(() =>
        body instanceof Readable
          ? readCsvTable(body, query.target)
          : readRowsTable(body, query.target),
      );
      const { model } = await onlyTraining(name, () =>
        inProject(store, project.name, (store) =>
          store.models.beginTraining(project.id, name, {
            target: table.target,
            rowCount: table.rowCount,
            table: encodeTable(table),
          }),
        ),
      );
      trainings.wake();
      return reply({
        status: 202,
        body: model,
        headers: { Location: `${base}/api/projects/${project.name}/models/${name}` },
      });
    },

    deleteModel: async ({ params, reply }) => {
      const project = await projectNamed(store, params.projectName);
      const versionIds = await inProject(store, project.name, (store) =>
        store.models.remove(project.id, params.modelName),
      );
      if (!versionIds) throw notFound(params.modelName, project.name);
      trainings.cancel(versionIds);
      return reply({ status: 204 });
    },

    predict: async ({ params, query, body, reply }) => {
      const project = await projectNamed(store, params.projectName);
      const rows = Array.isArray(body) ? body : body.data;
      let predictor = await predictors.serving(project.id, params.modelName);
      if (!predictor) {
        const model = await store.models.find(project.id, params.modelName);
        if (!model) throw notFound(params.modelName, project.name);
        // It may have become ready between the two.
        if (model.status === 'ready') predictor = await predictors.serving(project.id, model.name);
        if (!predictor) throw notReady(model);
      }
      return reply({ status: 200, body: new JsonText(predictor.answer(rows, query)) });
    },
  };
}

/** Reads a table, and says what is wrong with it in words for the caller. */
async function usable<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    throw problem(
      '/problems/unusable-table',
      'No model can be trained from this table; nothing was kept of it.',
      { errors: [...error.faults] },
    );
  }
}

function refuseWhileTraining(model: Model | undefined): void {
  if (model?.status === 'training') throw trainingInProgress(model.name, model.version);
}

async function onlyTraining<T>(name: string, begin: () => Promise<T>): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    if (error instanceof QueueFullError) throw tooManyTrainings();
    if (!(error instanceof TrainingInProgressError)) throw error;
    throw trainingInProgress(name, error.version);
  }
}

function trainingInProgress(name: string, version: number) {
  return problem(
    '/problems/training-in-progress',
    `Version ${version} of the model "${name}" is still training; try again when it is done, or delete the model to cancel it.`,
    {},
    RETRY_AFTER,
  );
}

function tooManyTrainings() {
  return problem(
    '/problems/service-unavailable',
    'Too many trainings wait already; try again when some are done.',
    {},
    { 'Retry-After': '60' },
  );
}

function notReady({ name, version, status }: Model) {
  return status === 'training'
    ? problem(
        '/problems/model-not-ready',
        `Version ${version} of the model "${name}" is still training, and no earlier one is there to answer; try again in a moment.`,
        { model_status: 'training' },
        RETRY_AFTER,
      )
    : problem(
        '/problems/model-not-ready',
        `The training of version ${version} of the model "${name}" failed, and no earlier one is there to answer; send a table to train it again.`,
        { model_status: 'failed' },
      );
}

function notFound(name: string, project: string, version?: number) {
  const what =
    version === undefined
      ? `model with the name "${name}"`
      : `version ${version} of a model with the name "${name}"`;
  return problem('/problems/model-not-found', `There is no ${what} in the project "${project}".`);
}
