import { type Kysely, type Selectable, sql } from 'kysely';
import { unavailable } from '../../problems/problem.js';
import { dialectOf, inTransaction } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { isUnleased, leaseEnd } from '../../store/lease.js';
import { adjustCounters, adjustStored } from '../../store/quota.js';
import { newResource } from '../../store/rows.js';
import {
  checksum,
  deleteVersions,
  findModel,
  type Model,
  type ModelSource,
  modelFromRow,
  selectVersions,
  setServing,
  trainingInProgress,
} from '../model-rows.js';
import { type Compared, decidePromotion } from './promotion.js';
import { releaseTable, type StoredTable, takeTable } from './tables.js';

/**
 * Each training waits with its table in the store; beyond so many, a caller is better told to come
 * back. One owner has half of the queue at most, so that there is room for others.
 */
const MAX_WAITING = { inAll: 100, ofOwner: 50 };

/**
 * Adds the next version of a model, as one that is training, and the model if there is none. Nothing
 * follows in the transaction, which has locked the project and keeps others from beginning a training.
 * @param source the query that the table came from; left out for a table that was sent
 * @throws {ProblemError} if the model is training, too many trainings wait, or a limit is reached
 */
export async function beginTraining(
  tx: Store,
  projectId: string,
  name: string,
  table: StoredTable,
  source?: ModelSource,
): Promise<{ model: Model; versionId: string }> {
  const { versionId } = await addVersion(tx, projectId, name, table, source);
  await takeTable(tx.reads, table.tableId, versionId);
  await enterQueue(tx, projectId);
  const row = await selectVersions(tx.reads)
    .where('model_versions.id', '=', versionId)
    .executeTakeFirstOrThrow();
  return { model: modelFromRow(row), versionId };
}

/**
 * Puts the versions that the transaction has added into the queue. From here to its commit, this transaction is the
 * only one that does so. Having everything else that it needs, it waits for nobody then, so no two can wait for each
 * other; and what takes long, the writing of the tables, was done before.
 * @throws {ProblemError} if too many trainings wait
 */
export async function enterQueue(tx: Store, projectId: string): Promise<void> {
  await dialectOf(tx.reads).lock(tx.reads, 'training_queue');
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
  { target, task, rowCount, forecast, choices = [] }: Omit<StoredTable, 'tableId'>,
  source?: ModelSource,
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
  const columnChoices = choices.length > 0 ? JSON.stringify(choices) : null;
  const kept = (source?.database ?? '') + (source?.query ?? '') + (columnChoices ?? '');
  const bytes = Buffer.byteLength(kept);
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

async function createModel({ reads, limits }: Store, projectId: string, name: string) {
  await adjustCounters(reads, projectId, { models: 1 }, limits);
  const { id, created_at } = newResource();
  await reads
    .insertInto('models')
    .values({ id, project_id: projectId, name, created_at })
    .execute();
  return id;
}

/**
 * Tells early what `beginTraining` would find.
 * @param ours the trainings that wait already by this request
 * @throws {ProblemError} if as many others wait as may, of all owners or of the project's
 */
export async function refuseFullQueue(
  { reads: db }: Store,
  projectId: string,
  ours: 0 | 1 = 0,
): Promise<void> {
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

/** Selects the trainings that nobody runs. */
function selectWaiting(db: Kysely<Database>) {
  return (
    db
      .selectFrom('model_versions')
      .innerJoin('models', 'models.id', 'model_versions.model_id')
      .innerJoin('projects', 'projects.id', 'models.project_id')
      // The status stands in the text of the query, so that the index of the trainings serves it.
      .where('model_versions.status', '=', sql.lit('training' as const))
      .where(isUnleased(db, 'claimed_until'))
  );
}

/** A training, and the instance that has claimed it: nobody else runs it while the lease is renewed. */
interface Holding {
  readonly versionId: string;
  readonly instance: string;
}

export interface Claim extends Holding {
  readonly owner: string;
  readonly attempts: number;
  readonly project: string;
  /** The number of rows of its table. */
  readonly rows: number;
  readonly model: string;
  readonly version: number;
  readonly parts: number;
}

/**
 * Claims a training that nobody runs, or whose instance has not renewed its lease, and counts the
 * attempt. Owners take turns: of those for whom none was claimed for longest, the oldest.
 * @param exceptOwner whose trainings are left alone
 */
export async function claimTraining(
  { work }: Store,
  instance: string,
  leaseMs: number,
  exceptOwner?: string,
): Promise<Claim | undefined> {
  // Most often there is none, and then nothing is written, and nothing locked.
  if (!(await selectClaimable(work, exceptOwner).limit(1).executeTakeFirst())) return undefined;
  return inTransaction(work, async (db) => {
    const { now, locksRows } = dialectOf(db);
    const next = selectClaimable(db, exceptOwner)
      .leftJoin('owner_storage', 'owner_storage.owner', 'projects.owner')
      .orderBy(sql`coalesce(trained_at, 0)`)
      .orderBy('model_versions.id')
      .limit(1)
      .$if(locksRows, (query) => query.forUpdate('model_versions').skipLocked());
    const claimed = await db
      .updateTable('model_versions')
      .set(({ eb }) => ({
        attempts: eb('attempts', '+', 1),
        progress: 0,
        seconds_left: null,
        claimed_by: instance,
        claimed_until: leaseEnd(db, leaseMs),
      }))
      .where('id', '=', next)
      .returning('id')
      .executeTakeFirst();
    if (!claimed) return undefined;
    const claim = await db
      .selectFrom('model_versions')
      .innerJoin('models', 'models.id', 'model_versions.model_id')
      .innerJoin('projects', 'projects.id', 'models.project_id')
      .innerJoin('training_tables', 'training_tables.version_id', 'model_versions.id')
      .select([
        'model_versions.id as versionId',
        'model_versions.attempts',
        'model_versions.row_count as rows',
        'models.name as model',
        'model_versions.version',
        'training_tables.parts',
        'projects.owner',
        'projects.name as project',
      ])
      .where('model_versions.id', '=', claimed.id)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('owner_storage')
      .values({ owner: claim.owner, trained_at: now })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ trained_at: now }))
      .execute();
    return { ...claim, instance };
  });
}

function selectClaimable(db: Kysely<Database>, exceptOwner: string | undefined) {
  const all = selectWaiting(db).select('model_versions.id');
  return exceptOwner === undefined ? all : all.where('projects.owner', '!=', exceptOwner);
}

/** The state of a training that runs. */
export interface TrainingState {
  /** From 0 to 1. */
  readonly progress: number;
  /** Null where it cannot be told yet. */
  readonly secondsLeft: number | null;
}

/**
 * Renews the lease of a training, and notes how far it is. Returns whether the instance still has the
 * training: not if it was cancelled or deleted, or if somebody else claimed it.
 */
export async function renewTraining(
  { work }: Store,
  holding: Holding,
  leaseMs: number,
  { progress, secondsLeft: seconds_left }: TrainingState,
): Promise<boolean> {
  const updated_at = new Date().toISOString();
  const { numUpdatedRows } = await updateHeld(work, holding)
    .set({ claimed_until: leaseEnd(work, leaseMs), progress, seconds_left, updated_at })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives a training back, as at a stop: whoever claims it next begins anew, and this was not an attempt. */
export async function releaseTraining({ work }: Store, holding: Holding): Promise<void> {
  const released = { progress: 0, seconds_left: null, claimed_by: null, claimed_until: null };
  await updateHeld(work, holding)
    .set(({ eb }) => ({ ...released, attempts: eb('attempts', '-', 1) }))
    .execute();
}

function updateTraining(db: Kysely<Database>, versionId: string) {
  return db
    .updateTable('model_versions')
    .where('id', '=', versionId)
    .where('status', '=', 'training');
}

function updateHeld(db: Kysely<Database>, { versionId, instance }: Holding) {
  return updateTraining(db, versionId).where('claimed_by', '=', instance);
}

export interface TrainedVersion {
  readonly columns: NonNullable<Model['columns']>;
  readonly metrics: NonNullable<Model['metrics']>;
  readonly targetReading: Extract<Model, { task: 'regression' }>['target_reading'];
  /** Null, if numbers are predicted. */
  readonly classes: Extract<Model, { task: 'classification' }>['classes'];
  readonly summary: string;
  readonly trainingSeconds: number;
  readonly artifact: Uint8Array;
  /** The rows that it was trained on, as `SeenRows` encodes them; null for a forecast. */
  readonly seenRows: Uint8Array | null;
  /** Bins of some of them, as `sampleBins` wrote them; null for a forecast. */
  readonly sample: Uint8Array | null;
  /** How it did beside the version that served when its training began; null if it was not to be compared. */
  readonly compared: Compared | null;
}

/**
 * Makes a version ready. It answers from now on, unless it waits to be chosen: see `decidePromotion`. Of the
 * versions before it only the newest are kept, and the one that serves. The size of a model is not known before: its
 * owner may store more than the limit by this one.
 * @returns whether the instance still had the training; otherwise nothing is done
 */
export function finishTraining(
  { work, limits }: Store,
  holding: Holding,
  version: TrainedVersion,
): Promise<boolean> {
  const { columns, metrics, targetReading, classes, summary, trainingSeconds } = version;
  const { artifact, seenRows, sample, compared } = version;
  const texts = {
    columns: JSON.stringify(columns),
    metrics: JSON.stringify(metrics),
    target_reading: targetReading && JSON.stringify(targetReading),
    classes: classes && JSON.stringify(classes),
    summary,
  };
  const bytes = Object.values(texts).reduce(
    (sum, text) => sum + Buffer.byteLength(text ?? ''),
    artifact.length + (seenRows?.length ?? 0) + (sample?.length ?? 0),
  );
  return inTransaction(work, async (db) => {
    const facts = { training_seconds: trainingSeconds, checksum: checksum(artifact) };
    const end = { status: 'ready', progress: 1, ...texts, ...facts } as const;
    const version = await endTraining(db, holding, end, bytes);
    if (!version) return false;
    await db
      .insertInto('model_artifacts')
      .values({ version_id: holding.versionId, bytes: artifact, seen_rows: seenRows, sample })
      .execute();
    const { owner } = version;
    const { isPromoted, comparison } = decidePromotion(version, compared);
    await db
      .updateTable('model_versions')
      .set({ comparison: comparison && JSON.stringify(comparison) })
      .where('id', '=', holding.versionId)
      .execute();
    const serving_version = isPromoted ? version.version : version.serving_version;
    await setServing(db, version.model_id, { serving_version });
    await adjustStored(db, owner, bytes);
    await deleteOldVersions(db, { ...version, serving_version }, limits.versions);
    return true;
  });
}

/**
 * @param failure why, and what to do about it, for the model's owner
 * @returns whether the instance still had the training; otherwise nothing is done
 */
export function failTraining(
  { work, limits }: Store,
  holding: Holding,
  failure: string,
): Promise<boolean> {
  return inTransaction(work, async (db) => {
    const version = await endTraining(db, holding, { status: 'failed', failure });
    if (!version) return false;
    await deleteOldVersions(db, version, limits.versions);
    return true;
  });
}

const CANCELLED = 'The training was cancelled. Train the model again when you like.';

/**
 * Makes a version that trains a failed one, within the transaction that has locked its project. The
 * instance that runs the training, if any does, ends it when it next renews its lease.
 * @returns the id of the version; undefined if its training has ended
 */
export async function cancelTraining(
  { reads: db, limits }: Store,
  { id: modelId, version: number }: Pick<Model, 'id' | 'version'>,
): Promise<string | undefined> {
  const { id: versionId } = await db
    .selectFrom('model_versions')
    .select('id')
    .where('model_id', '=', modelId)
    .where('version', '=', number)
    .executeTakeFirstOrThrow();
  const end = { status: 'failed', failure: CANCELLED } as const;
  const version = await endTraining(db, { versionId }, end);
  if (!version) return undefined;
  await deleteOldVersions(db, version, limits.versions);
  return versionId;
}

interface EndedVersion {
  readonly model_id: string;
  readonly version: number;
  readonly owner: string;
  readonly serving_version: number | null;
}

/**
 * Ends a training, if it has not ended yet and the instance still has it, and releases its table.
 * @param holding without an instance, whoever has the training
 * @param bytes the bytes that the version has from now on, beside its source
 */
async function endTraining(
  db: Kysely<Database>,
  { versionId, instance }: Pick<Holding, 'versionId'> & Partial<Holding>,
  end: Partial<Selectable<Omit<Database['model_versions'], 'bytes'>>>,
  bytes = 0,
) {
  // Locks the model before its versions, as deleting it does: in another order, the two could wait
  // for each other.
  const model = await db
    .selectFrom('models')
    .innerJoin('projects', 'projects.id', 'models.project_id')
    .select(['projects.owner', 'models.serving_version', 'models.promotion'])
    .where('models.id', '=', ({ selectFrom }) =>
      selectFrom('model_versions').select('model_id').where('id', '=', versionId),
    )
    .$if(dialectOf(db).locksRows, (query) => query.forUpdate('models'))
    .executeTakeFirst();
  if (!model) return undefined;
  const updated_at = new Date().toISOString();
  const update =
    instance === undefined
      ? updateTraining(db, versionId)
      : updateHeld(db, { versionId, instance });
  const version = await update
    .set(({ eb }) => ({ ...end, seconds_left: null, bytes: eb('bytes', '+', bytes), updated_at }))
    .returning(['model_id', 'version'])
    .executeTakeFirst();
  if (!version) return undefined;
  await releaseTable(db, versionId);
  return { ...version, ...model };
}

/**
 * Deletes the versions before the one whose training has ended, but for the newest that are ready and the one that
 * serves. A failed version goes with the end of the next training, so that trainings that are cancelled do not pile up.
 */
async function deleteOldVersions(
  db: Kysely<Database>,
  { model_id, version: ended, owner, serving_version }: EndedVersion,
  maxReady: number,
): Promise<void> {
  const all = await db
    .selectFrom('model_versions')
    .select(['version', 'status'])
    .where('model_id', '=', model_id)
    .orderBy('version', 'desc')
    .execute();
  const newest = all.filter(({ status }) => status === 'ready').slice(0, maxReady);
  const isKept = (each: (typeof all)[number]) =>
    newest.includes(each) || each.version === ended || each.version === serving_version;
  const old = all.filter((each) => !isKept(each)).map(({ version }) => version);
  await deleteVersions(db, model_id, owner, old);
}
