import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { ColumnChoices } from '../../prediction/src/predicting.js';
import type { AdaptedCalibration, RunningRecord } from '../../prediction/src/recording.js';
import { type ProblemError, problem } from '../problems/problem.js';
import type { Project } from '../projects/projects.js';
import { dialectOf, type Parameter, PreparedQuery } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { adjustCounters, adjustStored } from '../store/quota.js';
import { type Page, paginate } from '../store/rows.js';

export type Model = components['schemas']['Model'];
export type ModelSource = NonNullable<Model['source']>;

/** The series that a model forecasts, and the facts of the order of its table's rows. */
export type ForecastFields = Pick<
  components['schemas']['ForecastModel'],
  'order_by' | 'group_by' | 'horizon' | 'window' | 'known' | 'series'
>;

/** In how many seconds a training is worth asking after. */
const RETRY_AFTER = { 'Retry-After': '1' };

/** The largest number that a version may have, as the contract says. */
const MAX_VERSION = 2_147_483_647;

/** Selects each version of each model, with the columns that callers see. */
export function selectVersions(db: Kysely<Database>) {
  return db
    .selectFrom('models')
    .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
    .select([
      'models.id',
      'models.name',
      'model_versions.version',
      'model_versions.status',
      'model_versions.progress',
      'model_versions.seconds_left',
      'model_versions.failure',
      'model_versions.task',
      'model_versions.forecast',
      'model_versions.target',
      'model_versions.target_reading',
      'model_versions.row_count',
      'model_versions.source_database',
      'model_versions.source_query',
      'model_versions.columns',
      'model_versions.metrics',
      'model_versions.classes',
      'model_versions.summary',
      'model_versions.training_seconds',
      'model_versions.checksum',
      'model_versions.comparison',
      'models.created_at',
      'models.serving_version',
      'models.promotion',
      'models.adapt',
      'model_versions.updated_at',
    ]);
}

type VersionQuery = ReturnType<typeof selectVersions>;
type VersionRow = Awaited<ReturnType<VersionQuery['executeTakeFirstOrThrow']>>;

function selectNewest(query: VersionQuery): VersionQuery {
  return query.where('model_versions.version', '=', ({ selectFrom }) =>
    selectFrom('model_versions as newest')
      .select(({ fn }) => fn.max('newest.version').as('version'))
      .whereRef('newest.model_id', '=', 'models.id'),
  );
}

export function modelFromRow(row: VersionRow): Model {
  const { id, name, version, status, progress, seconds_left, failure, serving_version } = row;
  const {
    promotion,
    target,
    row_count,
    source_database: database,
    source_query: query,
    created_at,
    updated_at,
  } = row;
  const { summary, training_seconds, checksum } = row;
  const source = database !== null && query !== null ? { database, query } : null;
  const stored: Model['columns'] = parseStored(row.columns);
  // Those that were trained by earlier releases have no typical value.
  const columns = stored?.map((column) => ({ ...column, typical: column.typical ?? null })) ?? null;
  const state = { status, progress, seconds_left, failure };
  const adapt = row.adapt === 1;
  const begin = { id, name, version, ...state, serving_version, promotion, adapt };
  const table = { target, row_count, source };
  const target_reading = parseStored(row.target_reading);
  const metrics = parseStored(row.metrics);
  const comparison: Model['comparison'] = parseStored(row.comparison);
  const facts = { summary, training_seconds, checksum, comparison };
  const end = { columns, metrics, ...facts, created_at, updated_at };
  switch (row.task) {
    case 'regression':
      return { ...begin, task: row.task, ...table, target_reading, ...end };
    case 'classification': {
      const measured = { ...end, metrics: readClassMetrics(metrics) };
      return { ...begin, task: row.task, ...table, classes: parseStored(row.classes), ...measured };
    }
    case 'forecast': {
      const { order_by, group_by, horizon, window, known, series } = parseForecast(row.forecast);
      const goal = { order_by, group_by, horizon, window, known };
      const rows = { row_count, source, series };
      return { ...begin, task: row.task, target, target_reading, ...goal, ...rows, ...end };
    }
  }
}

type ClassMetrics = Extract<Model, { task: 'classification' }>['metrics'];

/** Versions that were trained by earlier releases have no AUC and no thresholds. */
function readClassMetrics(metrics: ClassMetrics): ClassMetrics {
  if (metrics === null) return null;
  const by_class = metrics.by_class.map((measured) => {
    const { auc = null, thresholds = null } = measured;
    return { ...measured, auc, thresholds };
  });
  return { ...metrics, auc: metrics.auc ?? null, by_class };
}

function parseForecast(json: string | null): ForecastFields {
  if (json === null) throw new Error('A forecaster is stored without what it forecasts');
  return JSON.parse(json);
}

function parseStored(json: string | null) {
  return json === null ? null : JSON.parse(json);
}

interface Named {
  readonly projectId: string;
  readonly name: string;
}

function selectNamed(db: Kysely<Database>, parameter: Parameter<Named>) {
  return selectVersions(db)
    .where('models.project_id', '=', parameter('projectId'))
    .where('models.name', '=', parameter('name'));
}

const FIND_NEWEST = new PreparedQuery((db, parameter: Parameter<Named>) =>
  selectNewest(selectNamed(db, parameter)),
);

const FIND_VERSION = new PreparedQuery((db, parameter: Parameter<Named & { version: number }>) =>
  selectNamed(db, parameter).where('model_versions.version', '=', parameter('version')),
);

/** Finds a model, as its newest version shows it, or the one with a number. */
export async function findModel(
  { reads }: Store,
  projectId: string,
  name: string,
  version?: number,
): Promise<Model | undefined> {
  // A larger number is none to PostgreSQL.
  if (version !== undefined && version > MAX_VERSION) return undefined;
  const row = await (version === undefined
    ? FIND_NEWEST.first(reads, { projectId, name })
    : FIND_VERSION.first(reads, { projectId, name, version }));
  return row && modelFromRow(row);
}

/** Selects the models of a project that can answer, each with the version that serves. */
export function selectAnsweringModels(db: Kysely<Database>, projectId: string) {
  return db
    .selectFrom('models')
    .innerJoin('model_versions', (join) =>
      join
        .onRef('model_versions.model_id', '=', 'models.id')
        .onRef('model_versions.version', '=', 'models.serving_version'),
    )
    .where('models.project_id', '=', projectId);
}

/** Finds a model as the version shows it that answers: the one with a number, or the one that serves. */
export async function findServing(
  store: Store,
  projectId: string,
  name: string,
  version?: number,
): Promise<Model | undefined> {
  const newest = await findModel(store, projectId, name, version);
  if (!newest || version !== undefined) return newest;
  const { serving_version: serving } = newest;
  if (serving === null || serving === newest.version) return newest;
  return (await findModel(store, projectId, name, serving)) ?? newest;
}

export async function listModels(
  { reads }: Store,
  projectId: string,
  page: Page,
): Promise<Model[]> {
  const query = selectNewest(selectVersions(reads)).where('models.project_id', '=', projectId);
  const rows = await paginate(query, 'models.id', page).execute();
  return rows.map(modelFromRow);
}

/** Lists the versions of a model, the oldest first, with their own ids: a model's is the same for all. */
export async function listVersions(
  { reads }: Store,
  modelId: string,
  page: Page,
): Promise<{ readonly id: string; readonly model: Model }[]> {
  const query = selectVersions(reads)
    .select('model_versions.id as version_id')
    .where('models.id', '=', modelId);
  const rows = await paginate(query, 'model_versions.id', page).execute();
  return rows.map((row) => ({ id: row.version_id, model: modelFromRow(row) }));
}

/** Returns the uses of columns that the training of a version was told. */
export async function findColumnChoices(
  { reads }: Store,
  { id, version }: Pick<Model, 'id' | 'version'>,
): Promise<ColumnChoices> {
  const row = await reads
    .selectFrom('model_versions')
    .select('column_choices')
    .where('model_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  return parseStored(row?.column_choices ?? null) ?? [];
}

interface Address {
  readonly owner: string;
  readonly project: string;
  readonly name: string;
}

/** A version that answers predictions. */
export interface ServingVersion
  extends Pick<
      Selectable<Database['model_versions']>,
      'id' | 'task' | 'model_id' | 'version' | 'checksum'
    >,
    Pick<Selectable<Database['models']>, 'name' | 'project_id'> {
  /**
   * The calibration that answers in place of the trained one; null where the model does not adapt, or no truth has
   * come.
   */
  readonly adapted: AdaptedCalibration | null;
}

function selectServing(db: Kysely<Database>, parameter: Parameter<Address>) {
  return db
    .selectFrom('projects')
    .innerJoin('models', 'models.project_id', 'projects.id')
    .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
    .leftJoin('records', (join) =>
      join
        .onRef('records.model_id', '=', 'models.id')
        .onRef('records.version', '=', 'model_versions.version')
        .on('models.adapt', '=', 1),
    )
    .select([
      'model_versions.id',
      'model_versions.task',
      'model_versions.model_id',
      'model_versions.version',
      'models.project_id',
      'model_versions.checksum',
      'models.name',
      'records.state',
    ])
    .where('projects.owner', '=', parameter('owner'))
    .where('projects.name', '=', parameter('project'))
    .where('models.name', '=', parameter('name'));
}

const FIND_SERVING = new PreparedQuery((db, parameter: Parameter<Address>) =>
  selectServing(db, parameter).whereRef('model_versions.version', '=', 'models.serving_version'),
);

/** A version by its number, where no model has the very name that was asked for. */
const FIND_READY_VERSION = new PreparedQuery(
  (db, parameter: Parameter<Address & { version: number; asked: string }>) =>
    selectServing(db, parameter)
      .where('model_versions.version', '=', parameter('version'))
      .where('model_versions.status', '=', 'ready')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('models as asked')
              .select('asked.id')
              .whereRef('asked.project_id', '=', 'projects.id')
              .where('asked.name', '=', parameter('asked')),
          ),
        ),
      ),
);

/**
 * Finds the version that answers predictions, by the names of an address: every prediction may ask
 * this first. It is the serving version of the model, or, where no model has the name and it ends in
 * a number as `prices.3` does, that version of the model `prices`.
 * @returns undefined if there is no such project, model or version, or it is not ready
 */
export async function findServingVersion(
  { reads }: Store,
  address: Address,
): Promise<ServingVersion | undefined> {
  const serving = await FIND_SERVING.first(reads, address);
  const numbered = serving ? undefined : parseNumberedName(address.name);
  const found = numbered
    ? await FIND_READY_VERSION.first(reads, { ...address, asked: address.name, ...numbered })
    : serving;
  if (!found) return undefined;
  const { state, ...version } = found;
  const record: RunningRecord | undefined = state === null ? undefined : JSON.parse(state);
  return { ...version, adapted: record && record.truths > 0 ? record.adapted : null };
}

/** Reads `prices.3` as version 3 of the model `prices`; undefined if the name does not end so. */
export function parseNumberedName(name: string): { name: string; version: number } | undefined {
  const [, model, digits] = /^(.+)\.([1-9]\d{0,9})$/.exec(name) ?? [];
  const version = Number(digits);
  return model === undefined || version > MAX_VERSION ? undefined : { name: model, version };
}

/** A trained model as it is stored. */
export interface StoredModel {
  readonly artifact: Uint8Array;
  /** The rows that it was trained on, as `SeenRows` encodes them; null if they are not known. */
  readonly seenRows: Uint8Array | null;
}

/**
 * Reads the trained model of a version.
 * @throws {Error} if it is not, to the last bit, what was stored
 */
export async function readStoredModel(
  { work }: Store,
  versionId: string,
): Promise<StoredModel | undefined> {
  const stored = await work
    .selectFrom('model_artifacts')
    .innerJoin('model_versions', 'model_versions.id', 'model_artifacts.version_id')
    .select(['model_artifacts.bytes', 'model_artifacts.seen_rows', 'model_versions.checksum'])
    .where('model_artifacts.version_id', '=', versionId)
    .executeTakeFirst();
  if (stored && checksum(stored.bytes) !== stored.checksum) {
    throw new Error(`The trained model of version ${versionId} is damaged in the store`);
  }
  return stored && { artifact: stored.bytes, seenRows: stored.seen_rows };
}

export function checksum(artifact: Uint8Array): string {
  return createHash('sha256').update(artifact).digest('hex');
}

/**
 * Locks a model until the end of the transaction, its project being locked. A training that ends
 * meanwhile waits to store its version.
 */
export async function lockModel({ reads }: Store, projectId: string, name: string): Promise<void> {
  await reads
    .selectFrom('models')
    .select('id')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .$if(dialectOf(reads).locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
}

/** Sets which version of a model serves, and which later ones are to. */
export async function setServing(
  db: Kysely<Database>,
  modelId: string,
  { adapt, ...serving }: Partial<Pick<Model, 'serving_version' | 'promotion' | 'adapt'>>,
): Promise<void> {
  await db
    .updateTable('models')
    .set({ ...serving, ...(adapt !== undefined && { adapt: Number(adapt) }) })
    .where('id', '=', modelId)
    .execute();
}

export async function countVersions({ reads }: Store, modelId: string): Promise<number> {
  const { count } = await reads
    .selectFrom('model_versions')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('model_id', '=', modelId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes versions of a locked model that neither train nor serve; one is left. */
export async function deleteVersions(
  db: Kysely<Database>,
  modelId: string,
  owner: string,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  const deleted = await db
    .deleteFrom('model_versions')
    .where('model_id', '=', modelId)
    .where('version', 'in', numbers)
    .returning('bytes')
    .execute();
  await adjustStored(db, owner, -totalBytes(deleted));
}

/**
 * Deletes a model with all its versions, within the transaction that has locked its project.
 * @returns the ids of the versions; undefined if there is no such model
 */
export async function deleteModel(
  store: Store,
  projectId: string,
  name: string,
): Promise<string[] | undefined> {
  const { reads: db } = store;
  // No promise of it is remembered from now on, so that all are counted.
  await lockModel(store, projectId, name);
  const rows = await db
    .selectFrom('models')
    .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
    .innerJoin('projects', 'projects.id', 'models.project_id')
    .select([
      'models.id as modelId',
      'model_versions.id as versionId',
      'model_versions.bytes',
      'projects.owner',
    ])
    .where('models.project_id', '=', projectId)
    .where('models.name', '=', name)
    .execute();
  const [first] = rows;
  if (!first) return undefined;
  const promises = await db
    .deleteFrom('promises')
    .where('model_id', '=', first.modelId)
    .returning('bytes')
    .execute();
  await db.deleteFrom('models').where('id', '=', first.modelId).execute();
  await adjustCounters(db, projectId, { models: -1 });
  await adjustStored(db, first.owner, -totalBytes(rows) - totalBytes(promises));
  return rows.map(({ versionId }) => versionId);
}

/** PostgreSQL gives large numbers as text. */
function totalBytes(rows: readonly { readonly bytes: number | string }[]): number {
  return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
}

/**
 * Finds a model, as its newest version shows it, or the one with a number.
 * @throws {ProblemError} if the project has no model of this name, or that has no such version
 */
export async function requireModel(
  store: Store,
  project: Project,
  name: string,
  version?: number,
): Promise<Model> {
  const model = await findModel(store, project.id, name, version);
  if (model) return model;
  if (version !== undefined) await requireModel(store, project, name);
  throw modelNotFound(name, project.name, version);
}

/** A model as it is sent, from which its entity tag is made. */
export const modelJson = (model: Model) => [JSON.stringify(model)];

export function modelNotFound(name: string, project: string, version?: number): ProblemError {
  const what =
    version === undefined
      ? `model with the name "${name}"`
      : `version ${version} of a model with the name "${name}"`;
  return problem('/problems/model-not-found', `There is no ${what} in the project "${project}".`);
}

export function trainingInProgress({ name, version }: Model): ProblemError {
  return problem(
    '/problems/training-in-progress',
    `Version ${version} of the model "${name}" is still training; try again when it is done, or cancel it.`,
    {},
    RETRY_AFTER,
  );
}

/**
 * The problem of a model that cannot answer.
 * @param isVersion whether this version was asked for by its number; else no version can answer
 */
export function modelNotReady(model: Model, isVersion: boolean): ProblemError {
  const { name, version, status } = model;
  const type = '/problems/model-not-ready';
  if (status !== 'training') {
    const rest = isVersion
      ? '; choose a version that is ready.'
      : ', and no earlier one is there to answer; send a table to train it again.';
    const detail = `The training of version ${version} of the model "${name}" failed${rest}`;
    return problem(type, detail, { model_status: 'failed' });
  }
  const rest = isVersion
    ? '; try again in a moment, or choose a version that is ready.'
    : ', and no earlier one is there to answer; try again in a moment.';
  const detail = `Version ${version} of the model "${name}" is still training${rest}`;
  return problem(type, detail, { model_status: 'training' }, RETRY_AFTER);
}

export function trainingEnded({ name, version }: Model): ProblemError {
  return problem(
    '/problems/training-ended',
    `Version ${version} of the model "${name}" is ready, so there is no training to cancel; delete the version, or make another one serve.`,
  );
}

export function versionInUse({ name, version, serving_version }: Model): ProblemError {
  const detail =
    serving_version === version
      ? `Version ${version} of the model "${name}" answers predictions; make another one serve first, or delete the model.`
      : `Version ${version} is the only one of the model "${name}"; delete the model instead.`;
  return problem('/problems/version-in-use', detail);
}
