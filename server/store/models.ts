import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { components } from '../../generated/openapi.js';
import { heedConstraints, TrainingInProgressError } from './errors.js';
import { inOrder, type Page } from './page.js';
import { newResource } from './resource.js';
import type { Database } from './schema.js';

export type Model = components['schemas']['Model'];

/** What is known of a training when it begins. */
export interface NewTraining {
  readonly target: string;
  readonly rowCount: number;
  /** The table, as it is kept until the training has ended. */
  readonly table: Uint8Array;
}

/** What a training made. */
export interface TrainedVersion {
  readonly columns: NonNullable<Model['columns']>;
  readonly metrics: NonNullable<Model['metrics']>;
  readonly artifact: Uint8Array;
}

/** What answers predictions for a model. */
export interface Serving {
  readonly versionId: string;
}

export class ModelStore {
  constructor(private readonly db: Kysely<Database>) {}

  /** Each model as its newest version shows it. */
  async list(projectId: string, page: Page): Promise<Model[]> {
    const rows = await inOrder(
      newest(versions(this.db)).where('models.project_id', '=', projectId),
      'models.id',
      page,
    ).execute();
    return rows.map(fromRow);
  }

  /** @param version the version to show, in place of the newest */
  async find(projectId: string, name: string, version?: number): Promise<Model | undefined> {
    const all = versions(this.db)
      .where('models.project_id', '=', projectId)
      .where('models.name', '=', name);
    const row = await (version === undefined
      ? newest(all)
      : all.where('model_versions.version', '=', version)
    ).executeTakeFirst();
    return row && fromRow(row);
  }

  /** The version of a model that answers predictions: the newest that is ready. */
  async serving(projectId: string, name: string): Promise<Serving | undefined> {
    return this.db
      .selectFrom('models')
      .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
      .select('model_versions.id as versionId')
      .where('models.project_id', '=', projectId)
      .where('models.name', '=', name)
      .where('model_versions.status', '=', 'ready')
      .orderBy('model_versions.version', 'desc')
      .executeTakeFirst();
  }

  /**
   * Adds the next version of a model, as one that is training, and the model if there is none.
   * @throws {TrainingInProgressError}
   * @throws {ProjectGoneError}
   */
  async beginTraining(
    projectId: string,
    name: string,
    { target, rowCount, table }: NewTraining,
  ): Promise<{ model: Model; versionId: string }> {
    return this.db.transaction().execute(async (db) => {
      const { id: versionId, created_at: now } = newResource();
      const modelId = await findOrCreate(db, projectId, name);
      const last = await db
        .selectFrom('model_versions')
        .select(['version', 'status'])
        .where('model_id', '=', modelId)
        .orderBy('version', 'desc')
        .executeTakeFirst();
      if (last?.status === 'training') throw new TrainingInProgressError(last.version);
      await db
        .insertInto('model_versions')
        .values({
          id: versionId,
          model_id: modelId,
          version: (last?.version ?? 0) + 1,
          status: 'training',
          target,
          row_count: rowCount,
          updated_at: now,
        })
        .execute();
      await db
        .insertInto('training_tables')
        .values({ version_id: versionId, bytes: table })
        .execute();
      const row = await versions(db)
        .where('model_versions.id', '=', versionId)
        .executeTakeFirstOrThrow();
      return { model: fromRow(row), versionId };
    });
  }

  /** The versions whose training has not ended, the oldest first. */
  async unfinishedTrainings(): Promise<string[]> {
    const rows = await this.db
      .selectFrom('model_versions')
      .select('id')
      .where('status', '=', 'training')
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /**
   * Counts an attempt at a training, and gives what it is about and its table; nothing if the version was
   * deleted meanwhile.
   */
  async attemptTraining(
    versionId: string,
  ): Promise<{ attempts: number; model: string; version: number; table: Uint8Array } | undefined> {
    return this.db.transaction().execute(async (db) => {
      await db
        .updateTable('model_versions')
        .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
        .where('id', '=', versionId)
        .execute();
      return db
        .selectFrom('model_versions')
        .innerJoin('models', 'models.id', 'model_versions.model_id')
        .innerJoin('training_tables', 'training_tables.version_id', 'model_versions.id')
        .select([
          'model_versions.attempts',
          'models.name as model',
          'model_versions.version',
          'training_tables.bytes as table',
        ])
        .where('model_versions.id', '=', versionId)
        .where('model_versions.status', '=', 'training')
        .executeTakeFirst();
    });
  }

  /** A training that the service itself cut short, by stopping, was no attempt. */
  async takeBackAttempt(versionId: string): Promise<void> {
    await this.db
      .updateTable('model_versions')
      .set(({ eb }) => ({ attempts: eb('attempts', '-', 1), progress: 0 }))
      .where('id', '=', versionId)
      .where('status', '=', 'training')
      .execute();
  }

  /** @param progress from 0 to 1 */
  async noteProgress(versionId: string, progress: number): Promise<void> {
    await this.db
      .updateTable('model_versions')
      .set({ progress, updated_at: new Date().toISOString() })
      .where('id', '=', versionId)
      .where('status', '=', 'training')
      .execute();
  }

  /** Makes a version ready. It answers from now on, and the versions before it are dropped. */
  async finishTraining(
    versionId: string,
    { columns, metrics, artifact }: TrainedVersion,
  ): Promise<void> {
    await this.db.transaction().execute(async (db) => {
      const version = await endTraining(db, versionId, {
        status: 'ready',
        progress: 1,
        columns: JSON.stringify(columns),
        metrics: JSON.stringify(metrics),
        checksum: checksum(artifact),
      });
      if (!version) return;
      await db
        .insertInto('model_artifacts')
        .values({ version_id: versionId, bytes: artifact })
        .execute();
      await db
        .deleteFrom('model_versions')
        .where('model_id', '=', version.model_id)
        .where('version', '<', version.version)
        .execute();
    });
  }

  /** @param failure why, and what to do about it, for the model's owner */
  async failTraining(versionId: string, failure: string): Promise<void> {
    await this.db
      .transaction()
      .execute((db) => endTraining(db, versionId, { status: 'failed', failure }));
  }

  /**
   * The trained model of a version, as it was kept.
   * @throws {Error} if it is not, to the last bit, what was kept
   */
  async artifact(versionId: string): Promise<Uint8Array | undefined> {
    const kept = await this.db
      .selectFrom('model_artifacts')
      .innerJoin('model_versions', 'model_versions.id', 'model_artifacts.version_id')
      .select(['model_artifacts.bytes', 'model_versions.checksum'])
      .where('model_artifacts.version_id', '=', versionId)
      .executeTakeFirst();
    if (!kept) return undefined;
    if (checksum(kept.bytes) !== kept.checksum) {
      throw new Error(`The trained model of version ${versionId} is damaged in the store`);
    }
    return kept.bytes;
  }

  /** Deletes a model with all its versions; gives their ids, or nothing if there is no such model. */
  async remove(projectId: string, name: string): Promise<string[] | undefined> {
    return this.db.transaction().execute(async (db) => {
      const model = await db
        .selectFrom('models')
        .select('id')
        .where('project_id', '=', projectId)
        .where('name', '=', name)
        .executeTakeFirst();
      if (!model) return undefined;
      const rows = await db
        .selectFrom('model_versions')
        .select('id')
        .where('model_id', '=', model.id)
        .execute();
      await db.deleteFrom('models').where('id', '=', model.id).execute();
      return rows.map(({ id }) => id);
    });
  }
}

function versions(db: Kysely<Database>) {
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
      'model_versions.target',
      'model_versions.row_count',
      'model_versions.columns',
      'model_versions.metrics',
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

function newest(query: VersionQuery): VersionQuery {
  return query.where('model_versions.version', '=', ({ selectFrom }) =>
    selectFrom('model_versions as newest')
      .select(({ fn }) => fn.max('newest.version').as('version'))
      .whereRef('newest.model_id', '=', 'models.id'),
  );
}

function fromRow(row: VersionRow): Model {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    status: row.status,
    progress: row.progress,
    failure: row.failure,
    serving_version: row.serving_version,
    target: row.target,
    row_count: row.row_count,
    columns: row.columns === null ? null : JSON.parse(row.columns),
    metrics: row.metrics === null ? null : JSON.parse(row.metrics),
    checksum: row.checksum,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

async function findOrCreate(
  db: Kysely<Database>,
  projectId: string,
  name: string,
): Promise<string> {
  const { id, created_at } = newResource();
  await heedConstraints(() =>
    db
      .insertInto('models')
      .values({ id, project_id: projectId, name, created_at })
      .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
      .execute(),
  );
  const model = await db
    .selectFrom('models')
    .select('id')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return model.id;
}

/** Ends a training, if the version is there still, and drops its table. */
async function endTraining(
  db: Kysely<Database>,
  versionId: string,
  end: Partial<Selectable<Database['model_versions']>>,
) {
  const version = await db
    .updateTable('model_versions')
    .set({ ...end, updated_at: new Date().toISOString() })
    .where('id', '=', versionId)
    .where('status', '=', 'training')
    .returning(['model_id', 'version'])
    .executeTakeFirst();
  await db.deleteFrom('training_tables').where('version_id', '=', versionId).execute();
  return version;
}

function checksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
