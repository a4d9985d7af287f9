import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { AdaptedCalibration, RunningRecord } from 'roster-prediction/recording';
import { type Parameter, PreparedQuery } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { MAX_VERSION } from './model-rows.js';

interface Address {
  readonly owner: string;
  readonly project: string;
  readonly name: string;
}

/** A version that answers predictions. */
export interface ServingVersion
  extends Pick<Selectable<Database['model_versions']>, 'id' | 'task' | 'model_id' | 'version' | 'checksum'>,
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

interface VersionAddress extends Address {
  readonly version: number;
}

function selectReady(db: Kysely<Database>, parameter: Parameter<VersionAddress>) {
  return selectServing(db, parameter)
    .where('model_versions.version', '=', parameter('version'))
    .where('model_versions.status', '=', 'ready');
}

const FIND_READY_VERSION = new PreparedQuery((db, parameter: Parameter<VersionAddress>) => selectReady(db, parameter));

/** A version by its number, where no model has the very name that was asked for. */
const FIND_NUMBERED_NAME = new PreparedQuery((db, parameter: Parameter<VersionAddress & { asked: string }>) =>
  selectReady(db, parameter).where(({ not, exists, selectFrom }) =>
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
 * @param version the one of the model with this very name
 * @returns undefined if there is no such project, model or version, or it is not ready
 */
export async function findServingVersion(
  { reads }: Store,
  address: Address,
  version?: number,
): Promise<ServingVersion | undefined> {
  const found =
    version === undefined
      ? ((await FIND_SERVING.first(reads, address)) ?? (await findNumbered(reads, address)))
      : await FIND_READY_VERSION.first(reads, { ...address, version });
  if (!found) return undefined;
  const { state, ...serving } = found;
  const record: RunningRecord | undefined = state === null ? undefined : JSON.parse(state);
  return { ...serving, adapted: record && record.truths > 0 ? record.adapted : null };
}

async function findNumbered(reads: Store['reads'], address: Address) {
  const numbered = parseNumberedName(address.name);
  return numbered && FIND_NUMBERED_NAME.first(reads, { ...address, asked: address.name, ...numbered });
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
export async function readStoredModel({ work }: Store, versionId: string): Promise<StoredModel | undefined> {
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
