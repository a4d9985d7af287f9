import { columnName, type Task } from '../../../prediction/src/predicting.js';
import type { Handlers } from '../../api/handlers.js';
import { type Conditions, checkPreconditions, isConditional } from '../../api/preconditions.js';
import type { Caller } from '../../auth/caller.js';
import type { SqlDatabases } from '../../databases/sql-databases.js';
import { problem, unavailable } from '../../problems/problem.js';
import { findProject, inProject, type Project } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { refuseFullOwner } from '../../store/quota.js';
import { findFormat, parseCsvQuery } from '../formats.js';
import {
  findModel,
  type Model,
  type ModelSource,
  modelJson,
  modelNotFound,
  requireModel,
  trainingInProgress,
} from '../model-rows.js';
import { readSentTable } from './sent-table.js';
import type { TableSource, Tables } from './tables.js';
import { beginTraining, refuseFullQueue } from './training-rows.js';
import type { Trainings } from './trainings.js';

/** The services that trainings use. */
interface TrainingServices {
  readonly store: Store;
  readonly tables: Tables;
  readonly trainings: Trainings;
  readonly queries: SqlDatabases;
}

/** The parts of a request that trains a model; each signal is made when it is first asked for. */
interface TrainingRequest {
  readonly caller: Caller;
  readonly params: { readonly modelName: string };
  readonly closed: AbortSignal;
  readonly signal: AbortSignal;
}

/** A table that was sent, or the query that returns one, and what is to be predicted. */
type NewTable = { readonly target: string; readonly task?: Task | undefined } & (
  | (Pick<TableSource, 'format' | 'csv' | 'text'> & { readonly source?: undefined })
  | { readonly source: ModelSource }
);

export function trainingOperations(
  services: TrainingServices,
): Pick<Handlers, 'trainModel' | 'retrainModel'> {
  const { store } = services;
  return {
    trainModel: async (request) => {
      const { caller, params, query, headers, body, base, reply } = request;
      const project = await findProject(store, caller, params.projectName);
      const check = (model: Model | undefined) => refuseTraining(model, headers);
      // Before the table is read, which is work; and again when it has been.
      await check(await findModel(store, project.id, params.modelName));
      await refuseFull(store, project, caller.owner);
      const goal = { target: columnName(query.target), task: query.task };
      const { source, bytes } = await readSentTable(body);
      const table: NewTable = source
        ? { ...goal, source }
        : {
            ...goal,
            format: findFormat(body.mediaType),
            csv: parseCsvQuery(query),
            text: bytes,
          };
      const model = await train(services, request, project, table, check);
      const location = `${base}/api/projects/${project.name}/models/${model.name}`;
      return reply({ status: 202, body: model, headers: { Location: location } });
    },

    retrainModel: async (request) => {
      const { caller, params, headers, base, reply } = request;
      const project = await findProject(store, caller, params.projectName);
      const newest = await requireModel(store, project, params.modelName);
      await refuseTraining(newest, headers);
      const { id, name, target, task } = newest;
      const table = { target, task, source: requireSource(newest) };
      await refuseFull(store, project, caller.owner);
      const model = await train(services, request, project, table, async (model) => {
        // Deleted while the query ran: the training must not create it again.
        if (model?.id !== id) throw modelNotFound(name, project.name);
        await refuseTraining(model, headers);
      });
      const location = `${base}/api/projects/${project.name}/models/${name}`;
      return reply({ status: 202, body: model, headers: { Location: location } });
    },
  };
}

/**
 * Reads a table and begins the training of the next version.
 * @param check throws if the model cannot be trained; called with the project locked
 * @throws what `Tables.ingest` and `SqlDatabases.readTable` throw; then nothing is stored
 */
async function train(
  { store, tables, trainings, queries }: TrainingServices,
  request: TrainingRequest,
  project: Project,
  table: NewTable,
  check: (model: Model | undefined) => Promise<void>,
): Promise<Model> {
  const { caller, params } = request;
  const { owner } = caller;
  const { target, task, source } = table;
  const stored = await tables.ingest(
    table.source
      ? {
          ...{ target, task, owner, format: 'records', signal: request.signal },
          text: queries.readTable(owner, table.source, request.signal),
          tooSlow: slowDatabase,
        }
      : { ...table, owner, tooSlow: slowSender, signal: request.closed },
  );
  try {
    const { model } = await inProject(store, caller, project.name, async (tx, { id }) => {
      await check(await findModel(tx, id, params.modelName));
      return beginTraining(tx, id, params.modelName, stored, source);
    });
    trainings.wake();
    return model;
  } catch (error) {
    await tables.discard(stored.tableId);
    throw error;
  }
}

/** Refuses a training while another of the model is in progress, or where a condition does not hold. */
async function refuseTraining(model: Model | undefined, conditions: Conditions): Promise<void> {
  if (isConditional(conditions)) await checkPreconditions(conditions, model && modelJson(model));
  if (model?.status === 'training') throw trainingInProgress(model);
}

/**
 * Checks what a training needs before its table is read, which is work.
 * @throws {ProblemError}
 */
async function refuseFull(store: Store, project: Project, owner: string): Promise<void> {
  await refuseFullQueue(store, project.id);
  await refuseFullOwner(store.work, owner, store.limits.stored);
}

/** @throws {ProblemError} if the version was trained from a table that was sent */
function requireSource({ name, version, source }: Model): ModelSource {
  if (source) return source;
  throw problem(
    '/problems/no-source',
    `Version ${version} of the model "${name}" was trained from a table that was sent; send a table to train it again, or train it from a query once.`,
  );
}

function slowSender() {
  return problem(
    '/problems/request-timeout',
    'The table arrived too slowly while other tables waited to be read; send at least 128 KiB a second, and more the longer others wait, or send it again later.',
    {},
    { Connection: 'close' },
  );
}

function slowDatabase() {
  const detail =
    'The database returned rows too slowly while other tables waited; ask for less, or train again later.';
  return unavailable(detail, 5);
}
