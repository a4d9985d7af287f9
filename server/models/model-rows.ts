import type { Kysely } from 'kysely';
import type { ColumnChoices, TableMarks, ValidationChoice } from 'roster-prediction/predicting';
import type { components } from '../../generated/openapi.js';
import type { Project } from '../projects/projects.js';
import { type Parameter, PreparedQuery } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { type Page, paginate } from '../store/rows.js';
import { modelNotFound } from './model-problems.js';

export type Model = components['schemas']['Model'];
export type ModelSource = NonNullable<Model['source']>;
export type Effort = components['schemas']['Effort'];

/** The series that a model forecasts, and the facts of the order of its table's rows. */
export type ForecastFields = Pick<
  components['schemas']['ForecastModel'],
  'order_by' | 'group_by' | 'horizon' | 'window' | 'known' | 'holidays' | 'aggregate' | 'series'
>;

/** The largest number that a version may have, as the contract says. */
export const MAX_VERSION = 2_147_483_647;

/** Selects each version of each model, with the columns that callers see. */
export function selectVersions(db: Kysely<Database>) {
  return db
    .selectFrom('models')
    .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
    .select([
      'models.id',
      'models.name',
      'models.description',
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
      'model_versions.table_report',
      'model_versions.source_database',
      'model_versions.source_query',
      'model_versions.effort',
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
  const { id, name, description, version, status, progress, seconds_left, failure, serving_version } = row;
  const { promotion, target, row_count, source_database: database, source_query: query, created_at, updated_at } = row;
  const { summary, training_seconds, checksum } = row;
  const source = database !== null && query !== null ? { database, query } : null;
  const stored: Model['columns'] = parseStored(row.columns);
  // Those that were trained by earlier releases have no typical value.
  const columns = stored?.map((column) => ({ ...column, typical: column.typical ?? null })) ?? null;
  const state = { status, progress, seconds_left, failure };
  const adapt = row.adapt === 1;
  const begin = { id, name, description, version, ...state, serving_version, promotion, adapt };
  const report = parseReport(row.table_report);
  // Those that were trained by earlier releases name none.
  const table = { target, row_count, ...report, source, effort: row.effort ?? 'standard' };
  const target_reading = parseStored(row.target_reading);
  const metrics = readMetrics(row);
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
      const { order_by, group_by, horizon, window, known, holidays, aggregate, series } = parseForecast(row.forecast);
      const goal = { order_by, group_by, horizon, window, known, holidays, ...(aggregate && { aggregate }) };
      const rows = { row_count, ...report, source, series };
      return { ...begin, task: row.task, target, target_reading, ...goal, ...rows, ...end };
    }
  }
}

/** The reading of a table and its findings. */
export type TableReport = Pick<Model, 'reading' | 'findings'>;

/** Returns a stored report; an earlier release has stored none. */
export function parseReport(json: string | null): TableReport {
  const stored: TableReport | null = parseStored(json);
  return stored ?? { reading: null, findings: [] };
}

/** The metrics as they are stored; versions of earlier releases were measured by random rows. */
function readMetrics({ task, metrics }: Pick<VersionRow, 'task' | 'metrics'>) {
  const stored = parseStored(metrics);
  return stored === null || task === 'forecast' ? stored : { ...stored, validation: stored.validation ?? RANDOM };
}

const RANDOM = { method: 'random', column: null, from: null, groups: null, ungrouped_rows: null };

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
  const stored: ForecastFields = JSON.parse(json);
  // Those that were trained by earlier releases have none.
  return { ...stored, holidays: stored.holidays ?? [] };
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

const FIND_NEWEST = new PreparedQuery((db, parameter: Parameter<Named>) => selectNewest(selectNamed(db, parameter)));

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

const HAS_MODEL = new PreparedQuery((db, parameter: Parameter<Named>) =>
  db
    .selectFrom('models')
    .select('id')
    .where('project_id', '=', parameter('projectId'))
    .where('name', '=', parameter('name')),
);

const HAS_VERSION = new PreparedQuery((db, parameter: Parameter<Named & { version: number }>) =>
  db
    .selectFrom('models')
    .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
    .select('models.id')
    .where('models.project_id', '=', parameter('projectId'))
    .where('models.name', '=', parameter('name'))
    .where('model_versions.version', '=', parameter('version')),
);

/** Returns whether a project has a model with a name, or a version of it, without reading the model. */
export async function hasModel({ reads }: Store, projectId: string, name: string, version?: number): Promise<boolean> {
  if (version !== undefined && version > MAX_VERSION) return false;
  const row = await (version === undefined
    ? HAS_MODEL.first(reads, { projectId, name })
    : HAS_VERSION.first(reads, { projectId, name, version }));
  return row !== undefined;
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

/**
 * Finds a model as `findServing` does.
 * @throws {ProblemError} if the project has no model of this name, or that has no such version
 */
export async function requireServing(store: Store, project: Project, name: string, version?: number): Promise<Model> {
  return (await findServing(store, project.id, name, version)) ?? requireModel(store, project, name, version);
}

export async function listModels({ reads }: Store, projectId: string, page: Page): Promise<Model[]> {
  const query = selectNewest(selectVersions(reads)).where('models.project_id', '=', projectId);
  const rows = await paginate(query, 'models.id', page).execute();
  return rows.map((row) => shorten(modelFromRow(row)));
}

/** The most findings of a model in a list. */
const MAX_LISTED_FINDINGS = 10;

function shorten(model: Model): Model {
  return { ...model, findings: model.findings.slice(0, MAX_LISTED_FINDINGS) };
}

/** Lists the versions of a model, the oldest first, with their own ids: a model's is the same for all. */
export async function listVersions(
  { reads }: Store,
  modelId: string,
  page: Page,
): Promise<{ readonly id: string; readonly model: Model }[]> {
  const query = selectVersions(reads).select('model_versions.id as version_id').where('models.id', '=', modelId);
  const rows = await paginate(query, 'model_versions.id', page).execute();
  return rows.map((row) => ({ id: row.version_id, model: shorten(modelFromRow(row)) }));
}

/** Returns what the training of a version was sent about the table. */
export async function findTableOptions(
  { reads }: Store,
  { id, version }: Pick<Model, 'id' | 'version'>,
): Promise<TableOptions> {
  const row = await reads
    .selectFrom('model_versions')
    .select(['column_choices', 'table_marks', 'validation'])
    .where('model_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  return {
    choices: parseStored(row?.column_choices ?? null) ?? [],
    marks: parseStored(row?.table_marks ?? null) ?? undefined,
    validation: parseStored(row?.validation ?? null) ?? undefined,
  };
}

interface TableOptions {
  readonly choices: ColumnChoices;
  readonly marks: TableMarks | undefined;
  readonly validation: ValidationChoice | undefined;
}

/**
 * Finds a model, as its newest version shows it, or the one with a number.
 * @throws {ProblemError} if the project has no model of this name, or that has no such version
 */
export async function requireModel(store: Store, project: Project, name: string, version?: number): Promise<Model> {
  const model = await findModel(store, project.id, name, version);
  if (model) return model;
  if (version !== undefined) await requireModel(store, project, name);
  throw modelNotFound(name, project.name, version);
}

/** A model as it is sent, from which its entity tag is made. */
export const modelJson = (model: Model) => [JSON.stringify(model)];
