import { Readable } from 'node:stream';
import type { Caller } from '../auth/caller.js';
import { type Handlers, JsonText } from '../pipeline/handlers.js';
import { JsonShapeError, MalformedJsonError, TableError } from '../prediction/predicting.js';
import { invalidRequest, malformedBody, problem, unavailable } from '../problems/problem.js';
import {
  LimitReachedError,
  type Model,
  type Project,
  QueueFullError,
  type Store,
} from '../store/index.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Predictors } from '../training/predictors.js';
import { type Tables, TooManyTablesError } from '../training/tables.js';
import type { Trainings } from '../training/trainings.js';
import { SlowUploadError } from '../training/upload-slots.js';
import { WorkerEndedError } from '../training/worker-process.js';
import { heedConditions, shown } from './conditions.js';
import { listPage } from './list-page.js';
import { predictLines } from './predict-stream.js';
import { inProject, projectFull, projectNamed } from './resource.js';

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
      const project = await projectNamed(store, caller, params.projectName);
      const page = await listPage(`${base}/api/projects/${project.name}/models`, query, (part) =>
        store.models.list(project.id, part),
      );
      return reply({ status: 200, ...page });
    },

    getModel: async ({ caller, params, query, headers, reply }) => {
      const project = await projectNamed(store, caller, params.projectName);
      const model = await store.models.find(project.id, params.modelName, query.version);
      if (!model) throw notFound(params.modelName, project.name, query.version);
      return reply(shown(model, headers));
    },

    trainModel: async ({ caller, params, query, headers, body, base, reply }) => {
      const name = params.modelName;
      const mayBegin = async (store: Store, project: Project) => {
        const model = await store.models.find(project.id, name);
        await heedConditions(headers, async () => model);
        refuseWhileTraining(model);
      };
      // Before the table is read, which is work; and again when it has been.
      const project = await projectNamed(store, caller, params.projectName);
      await mayBegin(store, project);
      await allowed(project, () => store.models.refuseFullQueue(project.id));
      await allowed(project, () => store.tables.refuseFullOwner(caller.owner));
      const table = await allowed(project, () =>
        usable(() =>
          tables.keep({
            owner: caller.owner,
            format: body.mediaType === 'text/csv' ? 'csv' : 'json',
            target: query.target,
            text: body.bytes,
          }),
        ),
      );
      const begun = await inProject(store, caller, project.name, async (store, project) => {
        await mayBegin(store, project);
        return allowed(project, () => store.models.beginTraining(project.id, name, table));
      }).catch(async (error) => {
        await tables.discard(table);
        throw error;
      });
      trainings.wake();
      return reply({
        status: 202,
        body: begun.model,
        headers: { Location: `${base}/api/projects/${project.name}/models/${name}` },
      });
    },

    deleteModel: async ({ caller, params, headers, reply }) => {
      const versionIds = await inProject(
        store,
        caller,
        params.projectName,
        async (store, project) => {
          await heedConditions(headers, () => modelNamed(store, project, params.modelName));
          const removed = await store.models.remove(project.id, params.modelName);
          if (!removed) throw notFound(params.modelName, project.name);
          return removed;
        },
      );
      trainings.cancel(versionIds);
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
  const project = await projectNamed(store, caller, projectName);
  const model = await modelNamed(store, project, name);
  // It may have become ready, or been replaced, between the two.
  const predictor = await predictors.serving(caller.owner, projectName, name);
  if (!predictor) throw notReady(model);
  return predictor;
}

async function modelNamed(store: Store, project: Project, name: string): Promise<Model> {
  const model = await store.models.find(project.id, name);
  if (!model) throw notFound(name, project.name);
  return model;
}

/** Reads a table, and says what is wrong with it in words for the caller. */
async function usable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof MalformedJsonError) {
      throw malformedBody(`The body is not valid JSON: ${error.message}`);
    }
    if (error instanceof JsonShapeError) {
      throw invalidRequest([{ pointer: '/body', message: error.message }]);
    }
    if (error instanceof TooManyTablesError) throw tooManyTables();
    if (error instanceof SlowUploadError) throw uploadTooSlow();
    if (error instanceof WorkerEndedError) throw readingCutShort(error);
    if (!(error instanceof TableError)) throw error;
    throw problem(
      '/problems/unusable-table',
      'No model can be trained from this table; nothing was kept of it.',
      { errors: [...error.faults] },
    );
  }
}

function tooManyTables() {
  return unavailable(
    'The service reads as many tables as it takes on at once; try again in a moment.',
    5,
  );
}

function uploadTooSlow() {
  return problem(
    '/problems/request-timeout',
    'The table arrived too slowly while other tables waited to be read; send at least 128 KiB a second, and more the longer others wait, or send it again later.',
    {},
    { Connection: 'close' },
  );
}

function readingCutShort(cause: WorkerEndedError) {
  return unavailable(
    'The process that read the table was ended, most often because the machine has too little memory; nothing was kept of it. Send it again in a moment, or send fewer rows.',
    5,
    { cause },
  );
}

function refuseWhileTraining(model: Model | undefined): void {
  if (model?.status === 'training') throw trainingInProgress(model.name, model.version);
}

/** Begins a training, or asks whether one may begin, and says why not in words for the caller. */
async function allowed<T>(project: Project, begin: () => Promise<T>): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    if (error instanceof LimitReachedError) throw projectFull(project, error);
    throw error instanceof QueueFullError ? tooManyTrainings() : error;
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
  return unavailable('Too many trainings wait already; try again when some are done.', 60);
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
