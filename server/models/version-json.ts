import type { Kysely } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Database } from '../store/database/schema.js';

export type Model = components['schemas']['Model'];
export type ModelSource = NonNullable<Model['source']>;
export type ClassificationModel = components['schemas']['ClassificationModel'];

/** Selects each version of each model, with the columns that callers see. */
export function versions(db: Kysely<Database>) {
  return db
    .selectFrom('models')
    .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
    .select([
      'models.id',
      'models.name',
      'model_versions.version',
      'model_versions.status',
      'model_versions.progress',
      'model_versions.failure',
      'model_versions.task',
      'model_versions.target',
      'model_versions.row_count',
      'model_versions.source_database',
      'model_versions.source_query',
      'model_versions.columns',
      'model_versions.metrics',
      'model_versions.classes',
      'model_versions.summary',
      'model_versions.training_seconds',
      'model_versions.checksum',
      'models.created_at',
      'models.serving_version',
      'model_versions.updated_at',
    ]);
}

type VersionQuery = ReturnType<typeof versions>;
type VersionRow = Awaited<ReturnType<VersionQuery['executeTakeFirstOrThrow']>>;

/** Selects the newest version of each model. */
export function newest(query: VersionQuery): VersionQuery {
  return query.where('model_versions.version', '=', ({ selectFrom }) =>
    selectFrom('model_versions as newest')
      .select(({ fn }) => fn.max('newest.version').as('version'))
      .whereRef('newest.model_id', '=', 'models.id'),
  );
}

/** Returns a model as a version shows it. */
export function fromRow(row: VersionRow): Model {
  const begin = {
    id: row.id,
    name: row.name,
    version: row.version,
    status: row.status,
    progress: row.progress,
    failure: row.failure,
    serving_version: row.serving_version,
  };
  const shown = {
    target: row.target,
    row_count: row.row_count,
    source: sourceOf(row),
  };
  const end = {
    columns: columnsOf(row),
    metrics: parsed(row.metrics),
    summary: row.summary,
    training_seconds: row.training_seconds,
    checksum: row.checksum,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
  return row.task === 'regression'
    ? { ...begin, task: row.task, ...shown, ...end }
    : { ...begin, task: row.task, ...shown, classes: parsed(row.classes), ...end };
}

/** Returns the columns of a model. Those that were trained by earlier versions have no reading. */
function columnsOf({ columns }: VersionRow): Model['columns'] {
  const stored: Model['columns'] = parsed(columns);
  return stored?.map((column) => ({ ...column, reading: column.reading ?? null })) ?? null;
}

function sourceOf({ source_database, source_query }: VersionRow): ModelSource | null {
  if (source_database === null || source_query === null) return null;
  return { database: source_database, query: source_query };
}

/** Returns what the store wrote, in the form of the contract. */
function parsed(json: string | null) {
  return json === null ? null : JSON.parse(json);
}

/** The largest number that a version may have, as the contract says. */
export const MAX_VERSION = 2_147_483_647;

/** Reads `prices.3` as version 3 of the model `prices`; nothing, where a name does not end so. */
export function numberedName(name: string): { name: string; version: number } | undefined {
  const [, model, digits] = /^(.+)\.([1-9]\d{0,9})$/.exec(name) ?? [];
  const version = Number(digits);
  return model === undefined || version > MAX_VERSION ? undefined : { name: model, version };
}
