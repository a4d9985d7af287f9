import type { Kysely } from 'kysely';
import type { components } from '../../generated/openapi.js';
import type { Database } from './database/schema.js';

export type Model = components['schemas']['Model'];
export type ClassificationModel = components['schemas']['ClassificationModel'];

/** Each version of each model, with what callers see of it. */
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
      'model_versions.columns',
      'model_versions.metrics',
      'model_versions.classes',
      'model_versions.summary',
      'model_versions.training_seconds',
      'model_versions.checksum',
      'models.created_at',
      'model_versions.updated_at',
    ])
    .select(({ selectFrom }) =>
      selectFrom('model_versions as ready')
        .select(({ fn }) => fn.max('ready.version').as('version'))
        .whereRef('ready.model_id', '=', 'models.id')
        .where('ready.status', '=', 'ready')
        .as('serving_version'),
    );
}

type VersionQuery = ReturnType<typeof versions>;
type VersionRow = Awaited<ReturnType<VersionQuery['executeTakeFirstOrThrow']>>;

/** Of each model, the newest version. */
export function newest(query: VersionQuery): VersionQuery {
  return query.where('model_versions.version', '=', ({ selectFrom }) =>
    selectFrom('model_versions as newest')
      .select(({ fn }) => fn.max('newest.version').as('version'))
      .whereRef('newest.model_id', '=', 'models.id'),
  );
}

/** What versions lack that were trained before it was measured. */
const PLOTS = { predicted_actual: [], residuals: [] };

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
  };
  const end = {
    columns: parsed(row.columns),
    metrics: parsed(row.metrics),
    summary: row.summary,
    training_seconds: row.training_seconds,
    checksum: row.checksum,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
  return row.task === 'regression'
    ? {
        ...begin,
        task: row.task,
        ...shown,
        ...end,
        metrics: end.metrics && { ...PLOTS, ...end.metrics },
      }
    : { ...begin, task: row.task, ...shown, classes: parsed(row.classes), ...end };
}

/** Returns what the store wrote, in the form of the contract. */
function parsed(json: string | null) {
  return json === null ? null : JSON.parse(json);
}
