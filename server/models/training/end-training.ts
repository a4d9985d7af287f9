import type { Kysely, Selectable } from 'kysely';
import { blameRows, mergeFindings } from 'roster-prediction/predicting';
import type { ModelErrors } from 'roster-prediction/training';
import { getDialect, inTransaction } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { adjustStored } from '../../store/quota.js';
import { deleteVersions, setServing } from '../change-models.js';
import { type Model, parseReport } from '../model-rows.js';
import { checksum } from '../serving-version.js';
import { type Compared, decidePromotion } from './promotion.js';
import { releaseTable } from './table-rows.js';
import { type Holding, updateHeld, updateTraining } from './training-claims.js';

export interface TrainedVersion {
  readonly columns: NonNullable<Model['columns']>;
  readonly metrics: NonNullable<Model['metrics']>;
  readonly targetReading: Extract<Model, { task: 'regression' }>['target_reading'];
  /** Null, if numbers are predicted. */
  readonly classes: Extract<Model, { task: 'classification' }>['classes'];
  readonly summary: string;
  /** Findings that only the training could make. */
  readonly findings: Model['findings'];
  readonly trainingSeconds: number;
  readonly artifact: Uint8Array;
  /** The rows that it was trained on, as `SeenRows` encodes them; null for a forecast. */
  readonly seenRows: Uint8Array | null;
  /** Bins of some of them, as `sampleBins` wrote them; null for a forecast. */
  readonly sample: Uint8Array | null;
  /** Its largest errors; null if nothing was measured. */
  readonly errors: ModelErrors | null;
  /** How it did beside the version that served when its training began; null if it was not to be compared. */
  readonly compared: Compared | null;
}

/**
 * Makes a version ready. It answers from now on, unless it waits to be chosen: see `decidePromotion`. Of the
 * versions before it only the newest are kept, and the one that serves. The size of a model is not known before: its
 * owner may store more than the limit by this one.
 * @returns whether the instance still had the training; otherwise nothing is done
 */
export function finishTraining({ work, limits }: Store, holding: Holding, version: TrainedVersion): Promise<boolean> {
  const { columns, metrics, targetReading, classes, summary, trainingSeconds } = version;
  const { artifact, seenRows, sample, compared, findings } = version;
  const errors = version.errors && JSON.stringify(version.errors);
  const texts = {
    columns: JSON.stringify(columns),
    metrics: JSON.stringify(metrics),
    target_reading: targetReading && JSON.stringify(targetReading),
    classes: classes && JSON.stringify(classes),
    summary,
  };
  const bytes = Object.values(texts).reduce(
    (sum, text) => sum + countBytes(text ?? null),
    artifact.length + (seenRows?.length ?? 0) + (sample?.length ?? 0) + countBytes(errors),
  );
  return inTransaction(work, async (db) => {
    const facts = { training_seconds: trainingSeconds, checksum: checksum(artifact) };
    const end = { status: 'ready', progress: 1, ...texts, ...facts } as const;
    const version = await endTraining(db, holding, end, bytes);
    if (!version) return false;
    await db
      .insertInto('model_artifacts')
      .values({ version_id: holding.versionId, bytes: artifact, seen_rows: seenRows, sample, errors })
      .execute();
    const { owner } = version;
    const { isPromoted, comparison } = decidePromotion(version, compared);
    const report = addFindings(version.table_report, findings);
    const { findings: all, reading } = parseReport(report);
    const explained = blameRows(summary, all, version.target) + describeSample(reading);
    const added = countBytes(report) + countBytes(explained) - countBytes(version.table_report) - countBytes(summary);
    await db
      .updateTable('model_versions')
      .set(({ eb }) => ({
        comparison: comparison && JSON.stringify(comparison),
        table_report: report,
        summary: explained,
        bytes: eb('bytes', '+', added),
      }))
      .where('id', '=', holding.versionId)
      .execute();
    const serving_version = isPromoted ? version.version : version.serving_version;
    await setServing(db, version.model_id, { serving_version });
    await adjustStored(db, owner, bytes + added);
    await deleteOldVersions(db, { ...version, serving_version }, limits.versions);
    return true;
  });
}

/** Returns a sentence for a summary, where the rows are a sample of those of the query. */
function describeSample(reading: Model['reading']): string {
  if (reading?.rows_of_query === undefined) return '';
  const [sampled, all] = [reading.rows_sent, reading.rows_of_query].map((rows) => rows.toLocaleString('en'));
  return ` It was trained on a sample of ${sampled} of the ${all} rows of its query.`;
}

/** Returns the report of a table, with what its training found beside what its reading found. */
function addFindings(stored: string | null, found: Model['findings']): string | null {
  if (found.length === 0) return stored;
  const { reading, findings } = parseReport(stored);
  return JSON.stringify({ reading, findings: mergeFindings(findings, found) });
}

function countBytes(text: string | null): number {
  return Buffer.byteLength(text ?? '');
}

/**
 * @param failure why, and what to do about it, for the model's owner
 * @returns whether the instance still had the training; otherwise nothing is done
 */
export function failTraining({ work, limits }: Store, holding: Holding, failure: string): Promise<boolean> {
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
 * @param holding without an instance, any holder of the training
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
    .$if(getDialect(db).locksRows, (query) => query.forUpdate('models'))
    .executeTakeFirst();
  if (!model) return undefined;
  const updated_at = new Date().toISOString();
  const update = instance === undefined ? updateTraining(db, versionId) : updateHeld(db, { versionId, instance });
  const version = await update
    .set(({ eb }) => ({ ...end, seconds_left: null, bytes: eb('bytes', '+', bytes), updated_at }))
    .returning(['model_id', 'version', 'target', 'table_report'])
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
