import { Readable } from 'node:stream';
import type { Caller } from '../auth/caller.js';
import { type Handlers, JsonText } from '../pipeline/handlers.js';
import { problem } from '../problems/problem.js';
import type { Model, Project, Store } from '../store/index.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Predictors } from '../training/predictors.js';
import type { Tables } from '../training/tables.js';
import type { Trainings } from '../training/trainings.js';
import { listPage } from './list-page.js';
import { type Conditions, checkPreconditions, isConditional, shown } from './preconditions.js';
import { predictLines } from './predict-stream.js';
import { findProject, inProject } from './project-access.js';

type ModelOperations = Pick<
  Handlers,
  'listModels' | 'getModel' | 'trainModel' | 'deleteModel' | 'predict'
>;

/** In how many seconds a training is worth asking after. */
const RETRY_AFTER = { 'Retry-After': '1' };

export function modelOperations(
  store: Store,
  tables: Tables,
  trainings: Trainings,
  predictors: Predictors,
  metrics: Metrics,
): ModelOperations {
  return {
    listModels: async ({ caller, params, query, base, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const page = await listPage(`${base}/api/projects/${project.name}/models`, query, (part) =>
        store.models.list(project.id, part),
      );
      return reply({ status: 200, ...page });
    },

    getModel: async ({ caller, params, query, headers, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const model = await store.models.find(project.id, params.modelName, query.version);
      if (!model) throw notFound(params.modelName, project.name, query.version);
      return reply(await shown<Model>(jsonOf(model), headers));
    },

    trainModel: async ({ caller, params, query, headers, body, base, reply }) => {
      const { owner } = caller;
      const project = await findProject(store, caller, params.projectName);
      const name = params.modelName;
      // Before the table is read, which is work; and again when it has been.
      await checkTrainable(store, project, name, headers);
      await store.models.refuseFullQueue(project.id);
      await store.tables.refuseFullOwner(owner);
      const format = body.mediaType === 'text/csv' ? 'csv' : 'json';
      const { target, task } = query;
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
          await checkPreconditions(headers, jsonOf(await findModel(tx, project, name)));
        }
        const versionIds = await tx.models.remove(project.id, name);
        if (!versionIds) throw notFound(name, project.name);
        return versionIds;
      });
      trainings.cancel(removed);
      return reply({ status: 204 });
    },

    predict: async ({ caller, params, query, body, reply }) => {
      const { projectName, modelName } = params;
      const predictor =
        (await predictors.serving(caller.owner, projectName, modelName)) ??
        (await whyNotServing(store, predictors, caller, projectName, modelName));
      if (body instanceof Readable) {
        const lines = predictLines(body, predictor, query, (rows) => metrics.predicted(rows));
        return reply({ status: 200, body: lines });
      }
      const rows = Array.isArray(body) ? body : body.data;
      metrics.predicted(rows.length);
      return reply({ status: 200, body: new JsonText(predictor.answer(rows, query)) });
    },
  };
}

/** Throws the problem of a model of the caller's that does not exist, or that nothing answers for yet. */
export async function refuseUnserved(
  store: Store,
  predictors: Predictors,
  caller: Caller,
  projectName: string,
  name: string,
): Promise<void> {
  if (await predictors.serving(caller.owner, projectName, name)) return;
  await whyNotServing(store, predictors, caller, projectName, name);
}

/** What answers after all, or the problem that there is nothing that does. */
async function whyNotServing(
  store: Store,
  predictors: Predictors,
  caller: Caller,
  projectName: string,
  name: string,
) {
  const project = await findProject(store, caller, projectName);
  const model = await findModel(store, project, name);
  // It may have become ready, or been replaced, between the two.
  const predictor = await predictors.serving(caller.owner, projectName, name);
  if (!predictor) throw notReady(model);
  return predictor;
}

/** Refuses a training while another of the model is in progress, or where a condition does not hold. */
async function checkTrainable(
  store: Store,
  project: Project,
  name: string,
  conditions: Conditions,
): Promise<void> {
  const model = await store.models.find(project.id, name);
  if (isConditional(conditions)) await checkPreconditions(conditions, model && jsonOf(model));
  if (model?.status === 'training') throw trainingInProgress(model);
}

async function findModel(store: Store, project: Project, name: string): Promise<Model> {
  const model = await store.models.find(project.id, name);
  if (!model) throw notFound(name, project.name);
  return model;
}

const jsonOf = (model: Model) => [JSON.stringify(model)];

function trainingInProgress({ name, version }: Model) {
  return problem(
    '/problems/training-in-progress',
    `Version ${version} of the model "${name}" is still training; try again when it is done, or delete the model to cancel it.`,
    {},
    RETRY_AFTER,
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
