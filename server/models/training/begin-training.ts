import { type Conditions, checkPreconditions, isConditional } from '../../api/preconditions.js';
import type { Caller } from '../../auth/caller.js';
import { DatabaseUnavailableError } from '../../databases/query-error.js';
import type { SqlDatabases } from '../../databases/sql-databases.js';
import { inProject, type Project } from '../../projects/projects.js';
import type { Model, ModelSource, Store } from '../../store/index.js';
import { modelJson, trainingInProgress } from '../predictions/model-lookup.js';
import type { TableSource, Tables } from './tables.js';
import type { Trainings } from './trainings.js';
import { SlowUploadError } from './upload-slots.js';

/** The services that trainings use. */
export interface TrainingServices {
  readonly store: Store;
  readonly tables: Tables;
  readonly trainings: Trainings;
  readonly queries: SqlDatabases;
}

/** A training that is to begin: of a text that was sent, or of the rows of a query. */
export type NewTable = Pick<TableSource, 'target' | 'task'> &
  (
    | (Pick<TableSource, 'format' | 'csv' | 'text'> & { readonly source?: undefined })
    | { readonly source: ModelSource }
  );

/**
 * Checks what a training needs before its table is read, which is work.
 * @throws {QueueFullError | LimitReachedError}
 */
export async function refuseFull(store: Store, project: Project, owner: string): Promise<void> {
  await store.models.refuseFullQueue(project.id);
  await store.tables.refuseFullOwner(owner);
}

/** The signals of a request; each is made when it is first asked for. */
interface RequestSignals {
  /** Aborted when the caller has gone. */
  readonly closed: AbortSignal;
  /** Aborted when the caller has gone, the key is revoked, or the service stops. */
  readonly signal: AbortSignal;
}

/**
 * Reads a table and begins the training of the next version.
 * @param check throws if the model cannot be trained; called with the project locked
 * @param signals end the reading of a table, and a query
 * @throws what `Tables.keep` and `SqlDatabases.readTable` throw; then nothing is kept
 */
export async function beginTraining(
  { store, tables, trainings, queries }: TrainingServices,
  caller: Caller,
  projectName: string,
  name: string,
  table: NewTable,
  check: (tx: Store, project: Project) => Promise<void>,
  signals: RequestSignals,
): Promise<Model> {
  const kept = await keep(tables, queries, caller.owner, table, signals);
  const { source } = table;
  const begun = await inProject(store, caller, projectName, async (tx, project) => {
    await check(tx, project);
    return tx.models.beginTraining(project.id, name, { ...kept, ...(source && { source }) });
  }).catch(async (error) => {
    await tables.discard(kept);
    throw error;
  });
  trainings.wake();
  return begun.model;
}

/** Refuses a training while another of the model is in progress, or where a condition does not hold. */
export async function checkTrainable(
  model: Model | undefined,
  conditions: Conditions,
): Promise<void> {
  if (isConditional(conditions)) await checkPreconditions(conditions, model && modelJson(model));
  if (model?.status === 'training') throw trainingInProgress(model);
}

async function keep(
  tables: Tables,
  queries: SqlDatabases,
  owner: string,
  table: NewTable,
  signals: RequestSignals,
) {
  if (!table.source) return tables.keep({ owner, ...table, signal: signals.closed });
  const { source, ...what } = table;
  const { signal } = signals;
  try {
    const text = queries.readTable(owner, source, signal);
    return await tables.keep({ owner, format: 'records', text, ...what, signal });
  } catch (error) {
    if (!(error instanceof SlowUploadError)) throw error;
    const message =
      'The database returned rows too slowly while other tables waited; ask for less, or train again later.';
    throw new DatabaseUnavailableError(message, { cause: error });
  }
}
