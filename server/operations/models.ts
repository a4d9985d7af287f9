import { Readable } from 'node:stream';
import type { components } from '../../generated/openapi.js';
import { columnName } from '../../prediction/src/predicting.js';
import type { Caller } from '../auth/caller.js';
import { type Handlers, JsonText } from '../pipeline/handlers.js';
import { type Model, numberedName, type Project, type Store } from '../store/index.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Predictors } from '../training/predictors.js';
import type { Tables } from '../training/tables.js';
import type { Trainings } from '../training/trainings.js';
import { RawJson } from '../pipeline/body/raw-json.js';
import { listPage } from './list-page.js';
import {
  findModel,
  findVersion,
  modelJson,
  modelNotFound,
  notReady,
  trainingInProgress,
  versionNotReady,
} from './predicting/model-lookup.js';
import { predictLines } from './predicting/predict-stream.js';
import { checkRows } from './predicting/row-warnings.js';
import {
  type Conditions,
  checkPreconditions,
  isConditional,
  shown,
} from './writing/preconditions.js';
import { findProject, inProject } from './writing/project-access.js';

type PredictionRows = components['schemas']['PredictionRow'][];

type ModelOperations = Pick<
  Handlers,
  'listModels' | 'getModel' | 'trainModel' | 'deleteModel' | 'predict'
>;

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

    predict: async ({ caller, params, query, body, reply }) => {
      const { projectName, modelName } = params;
      const predictor =
        (await predictors.serving(caller.owner, projectName, modelName)) ??
        (await whyNotServing(store, predictors, caller, projectName, modelName));
      if (body instanceof Readable) {
        const lines = predictLines(body, predictor, query, (rows) => metrics.predicted(rows));
        return reply({ status: 200, body: lines });
      }
      const parsed = body instanceof RawJson ? await body.parse(body.bytes) : body;
      const [rows, at] = Array.isArray(parsed) ? [parsed, '/body'] : [parsed.data, '/body/data'];
      const headers = await checkRows(predictor, rows, at, query.unknown);
      metrics.predicted(rows.length);
      return reply({ status: 200, headers, body: new JsonText<PredictionRows>(predictor.answer(rows, query)) });
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

/** Returns the predictor of a numbered version, or throws the problem that nothing serves. */
async function whyNotServing(
  store: Store,
  predictors: Predictors,
  caller: Caller,
  projectName: string,
  name: string,
) {
  const project = await findProject(store, caller, projectName);
  const numbered = numberedName(name);
  const model = await store.models.find(project.id, name);
  const isVersion = !model && numbered !== undefined;
  const asked = isVersion
    ? await findVersion(store, project, numbered.name, numbered.version)
    : (model ?? (await findModel(store, project, name)));
  // It may have become ready, or been replaced, between the two.
  const predictor = await predictors.serving(caller.owner, projectName, name);
  if (!predictor) throw isVersion ? versionNotReady(asked) : notReady(asked);
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
  if (isConditional(conditions)) await checkPreconditions(conditions, model && modelJson(model));
  if (model?.status === 'training') throw trainingInProgress(model);
}
