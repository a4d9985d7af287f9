import type { ColumnChoices } from 'roster-prediction/predicting';
import { unavailable } from '../../problems/problem.js';
import { getDialect } from '../../store/database/dialect.js';
import type { Store } from '../../store/index.js';
import { adjustCounters, adjustStored } from '../../store/quota.js';
import { newResource } from '../../store/rows.js';
import { trainingInProgress } from '../model-problems.js';
import { type Effort, findModel, type Model, type ModelSource, modelFromRow, selectVersions } from '../model-rows.js';
import { type StoredTable, takeTable } from './table-rows.js';
import { selectWaiting } from './training-claims.js';

/**
 * Each training waits with its table in the store; beyond so many, a caller had better come
 * back. One owner has half of the queue at most, so that there is room for others.
 */
const MAX_WAITING = { inAll: 100, ofOwner: 50 };

/** The parameters of a training beside its table. */
export interface TrainingOrigin {
  /** The query that the table came from; left out for a table that was sent. */
  readonly source?: ModelSource | undefined;
  /** Forecasts have none. */
  readonly effort?: Effort | undefined;
}

/**
 * Adds the next version of a model, as one that is training, and the model if there is none. Nothing
 * follows in the transaction, which has locked the project and keeps others from beginning a training.
 * @throws {ProblemError} if the model is training, too many trainings wait, or a limit is reached
 */
export async function beginTraining(
  tx: Store,
  projectId: string,
  name: string,
  table: StoredTable,
  origin?: TrainingOrigin,
): Promise<{ model: Model; versionId: string }> {
  const { versionId } = await addVersion(tx, projectId, name, table, origin);
  await takeTable(tx.reads, table.tableId, versionId);
  await enterQueue(tx, projectId);
  const row = await selectVersions(tx.reads).where('model_versions.id', '=', versionId).executeTakeFirstOrThrow();
  return { model: modelFromRow(row), versionId };
}

/**
 * Puts the versions that the transaction has added into the queue. From here to its commit, this transaction is the
 * only one that does so. Having everything else that it needs, it waits for nobody then, so no two can wait for each
 * other; and what takes long, the writing of the tables, was done before.
 * @throws {ProblemError} if too many trainings wait
 */
export async function enterQueue(tx: Store, projectId: string): Promise<void> {
  await getDialect(tx.reads).lock(tx.reads, 'training_queue');
  await refuseFullQueue(tx, projectId, 1);
}

/**
 * Adds the next version of a model, whose training has no table yet, and the model if there is none.
 * @throws {ProblemError} if the model is training, or a limit is reached
 */
export async function addVersion(
  tx: Store,
  projectId: string,
  name: string,
  { target, task, rowCount, forecast, choices = [], marks, report, validation }: Omit<StoredTable, 'tableId'>,
  { source, effort }: TrainingOrigin = {},
): Promise<{ modelId: string; versionId: string }> {
  const { reads: db } = tx;
  const last = await findModel(tx, projectId, name);
  if (last?.status === 'training') throw trainingInProgress(last);
  const modelId = last?.id ?? (await createModel(tx, projectId, name));
  const { last_version: version } = await db
    .updateTable('models')
    .set(({ eb }) => ({ last_version: eb('last_version', '+', 1) }))
    .where('id', '=', modelId)
    .returning('last_version')
    .executeTakeFirstOrThrow();
  const { id: versionId, created_at: now } = newResource();
  const columnChoices = writeChoices(choices);
  const tableReport = report ? JSON.stringify(report) : null;
  const bytes = countSourceBytes(source, choices) + Buffer.byteLength(tableReport ?? '');
  await db
    .insertInto('model_versions')
    .values({
      id: versionId,
      model_id: modelId,
      version,
      status: 'training',
      target,
      task,
      forecast: forecast ? JSON.stringify(forecast) : null,
      row_count: rowCount,
      source_database: source?.database ?? null,
      source_query: source?.query ?? null,
      column_choices: columnChoices,
      table_marks: marks ? JSON.stringify(marks) : null,
      table_report: tableReport,
      validation: validation ? JSON.stringify(validation) : null,
      effort: effort ?? null,
      bytes,
      updated_at: now,
    })
    .execute();
  if (bytes > 0) {
    const { owner } = await db
      .selectFrom('projects')
      .select('owner')
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    await adjustStored(db, owner, bytes, tx.limits.stored);
  }
  return { modelId, versionId };
}

function writeChoices(choices: ColumnChoices): string | null {
  return choices.length > 0 ? JSON.stringify(choices) : null;
}

/** Returns the bytes that a version has before its table is read. */
export function countSourceBytes(source: ModelSource | undefined, choices: ColumnChoices = []): number {
  const kept = (source?.database ?? '') + (source?.query ?? '') + (writeChoices(choices) ?? '');
  return Buffer.byteLength(kept);
}

async function createModel({ reads, limits }: Store, projectId: string, name: string) {
  await adjustCounters(reads, projectId, { models: 1 }, limits);
  const { id, created_at } = newResource();
  await reads.insertInto('models').values({ id, project_id: projectId, name, description: null, created_at }).execute();
  return id;
}

/**
 * Tells early what `beginTraining` would find.
 * @param ours the waiting trainings that do not count; negative if trainings count that do not wait yet
 * @throws {ProblemError} if as many others wait as may, of all owners or of the project's
 */
export async function refuseFullQueue({ reads: db }: Store, projectId: string, ours = 0): Promise<void> {
  const { inAll, ofOwner } = await selectWaiting(db)
    .select(({ fn, selectFrom }) => [
      fn.countAll().as('inAll'),
      fn
        .countAll()
        .filterWhere(
          'projects.owner',
          '=',
          selectFrom('projects as one').select('one.owner').where('one.id', '=', projectId),
        )
        .as('ofOwner'),
    ])
    .executeTakeFirstOrThrow();
  const isFull = (count: number | string | bigint, max: number) => Number(count) - ours >= max;
  if (!isFull(inAll, MAX_WAITING.inAll) && !isFull(ofOwner, MAX_WAITING.ofOwner)) return;
  throw unavailable('Too many trainings already wait; try again when some are done.', 60);
}

export async function countWaitingTrainings({ reads }: Store): Promise<number> {
  const { trainings } = await selectWaiting(reads)
    .select(({ fn }) => fn.countAll().as('trainings'))
    .executeTakeFirstOrThrow();
  return Number(trainings);
}
