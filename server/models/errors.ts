import type { ModelErrors as StoredErrors } from 'roster-prediction/training';
import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { findProject } from '../projects/projects.js';
import type { Store } from '../store/index.js';
import { type Model, requireServing } from './model-rows.js';

type ModelErrors = components['schemas']['ModelErrors'];

/** The rows that models miss. */
export function errorOperations(store: Store): Pick<Handlers, 'getErrors'> {
  return {
    getErrors: async ({ caller, params, query, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const model = await requireServing(store, project, params.modelName, query.version);
      return reply({ status: 200, body: describeErrors(model, await readErrors(store, model)) });
    },
  };
}

/** Reads the errors of a version; undefined if none are kept. */
export async function readErrors(
  { reads }: Store,
  { id, version }: Pick<Model, 'id' | 'version'>,
): Promise<StoredErrors | undefined> {
  const row = await reads
    .selectFrom('model_artifacts')
    .innerJoin('model_versions', 'model_versions.id', 'model_artifacts.version_id')
    .select('model_artifacts.errors')
    .where('model_versions.model_id', '=', id)
    .where('model_versions.version', '=', version)
    .executeTakeFirst();
  return row?.errors ? JSON.parse(row.errors) : undefined;
}

function describeErrors({ name: model, version, task, status }: Model, stored: StoredErrors | undefined): ModelErrors {
  const about = { model, version, task };
  if (stored === undefined) {
    const none = { measure: null, error: null, measured_rows: 0, confidence: null, columns: [], rows: [], slices: [] };
    return { ...about, reason: REASONS[status], ...none, contributions: [] };
  }
  const { measure, error, measured_rows, confidence, columns, contributions, rows, slices } = stored;
  return {
    ...about,
    reason: null,
    measure,
    error,
    measured_rows,
    confidence,
    columns: [...columns],
    contributions: [...contributions],
    rows: rows.map((row) => ({ ...row, values: [...row.values], contributions: [...row.contributions] })),
    slices: [...slices],
  };
}

/** Why a version has no errors, by its status. */
const REASONS: Readonly<Record<Model['status'], string>> = {
  training: 'The version is in training. Ask again when it is ready.',
  failed: 'The training of the version failed, so that nothing was measured.',
  ready:
    'An earlier release trained this version, and kept no errors of rows; or no value could be measured. Train the model again to see them.',
};
