import { createHash } from 'node:crypto';
import type { CompiledQuery, Kysely, Selectable } from 'kysely';
import type { Bounds } from './bounds.js';
import { type Claim, claim, release, renew } from './claims.js';
import { dialectOf } from './dialect.js';
import { TrainingInProgressError } from './errors.js';
import { count, grow } from './held.js';
import { inOrder, type Page } from './page.js';
import { countWaiting, refuseFullQueue, refuseOverfullQueue } from './queue.js';
import { newResource } from './resource.js';
import type { Database } from './schema.js';
import { leaveTable, takeTable } from './tables.js';
import { inTransaction } from './transaction.js';
import { fromRow, type Model, newest, versions } from './versions.js';

/** What is known of a training when it begins. */
export interface NewTraining {
  readonly target: string;
  readonly rowCount: number;
  /** The table, which is in the store already, and is kept until the training has ended. */
  readonly tableId: string;
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

/**
 * The models of projects. `beginTraining` and `remove` are called within `Store.transaction`, the project
 * held; what concerns a training that has begun asks for neither.
 */
export class ModelStore {
  readonly #servingQuery: ReturnType<typeof servingQuery>;

  constructor(
    private readonly db: Kysely<Database>,
    private readonly most: Bounds,
    /** What trainings go through, and what they make, which may be large. */
    private readonly work = db,
  ) {
    this.#servingQuery = servingQuery(db);
  }

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

  /**
   * The version of a model that answers predictions, the newest that is ready, by the names of an address:
   * every prediction may ask this first. Nothing, if there is no such project, no such model, or no version of
   * it that is ready.
   */
  async serving(owner: string, project: string, name: string): Promise<Serving | undefined> {
    const { rows } = await this.db.executeQuery(this.#servingQuery(owner, project, name));
    return rows[0];
  }

  /**
   * Adds the next version of a model, as one that is training, and the model if there is none. Nothing
   * follows in the transaction, which keeps others from beginning a training.
   * @throws {TrainingInProgressError}
   * @throws {QueueFullError}
   * @throws {LimitReachedError}
   */
  async beginTraining(
    projectId: string,
    name: string,
    { target, rowCount, tableId }: NewTraining,
  ): Promise<{ model: Model; versionId: string }> {
    const last = await this.find(projectId, name);
    if (last?.status === 'training') throw new TrainingInProgressError(last.version);
    const modelId = last?.id ?? (await this.#create(projectId, name));
    const { id: versionId, created_at: now } = newResource();
    await this.db
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
    await takeTable(this.db, tableId, versionId);
    await refuseOverfullQueue(this.db, projectId);
    const row = await versions(this.db)
      .where('model_versions.id', '=', versionId)
      .executeTakeFirstOrThrow();
    return { model: fromRow(row), versionId };
  }

  /**
   * Tells early what `beginTraining` would find.
   * @throws {QueueFullError} if as many trainings wait as may, of all owners or of the project's
   */
  refuseFullQueue(projectId: string): Promise<void> {
    return refuseFullQueue(this.db, projectId);
  }

  /** How many trainings wait for an instance that has time for them. */
  waitingTrainings(): Promise<number> {
    return countWaiting(this.db);
  }

  /**
   * Takes up the oldest training that nobody runs, or whose instance has not renewed its lease, and counts
   * the attempt; nothing if there is none.
   * @param instance who takes it up
   * @param lease for how long it is left alone without being renewed, in milliseconds
   */
  claimTraining(instance: string, lease: number): Promise<Claim | undefined> {
    return claim(this.work, instance, lease);
  }

  /**
   * Renews the lease, and notes the progress, from 0 to 1, if it is given. Tells whether the instance still
   * has the training: not if it was deleted, or if somebody else took it up.
   */
  renewClaim(
    versionId: string,
    instance: string,
    lease: number,
    progress?: number,
  ): Promise<boolean> {
    return renew(this.work, versionId, instance, lease, progress);
  }

  /** Gives a training back, as at a stop: whoever takes it up next begins anew, and this was no attempt. */
  releaseClaim(versionId: string, instance: string): Promise<void> {
    return release(this.work, versionId, instance);
  }

  /**
   * Makes a version ready. It answers from now on, and the versions before it are dropped. Tells whether the
   * instance still had the training; otherwise nothing is done.
   */
  finishTraining(
    versionId: string,
    instance: string,
    { columns, metrics, artifact }: TrainedVersion,
  ): Promise<boolean> {
    return inTransaction(this.work, async (db) => {
      const version = await endTraining(db, versionId, instance, {
        status: 'ready',
        progress: 1,
        columns: JSON.stringify(columns),
        metrics: JSON.stringify(metrics),
        checksum: checksum(artifact),
      });
      if (!version) return false;
      await db
        .insertInto('model_artifacts')
        .values({ version_id: versionId, bytes: artifact })
        .execute();
      await db
        .deleteFrom('model_versions')
        .where('model_id', '=', version.model_id)
        .where('version', '<', version.version)
        .execute();
      return true;
    });
  }

  /**
   * Tells whether the instance still had the training; otherwise nothing is done.
   * @param failure why, and what to do about it, for the model's owner
   */
  failTraining(versionId: string, instance: string, failure: string): Promise<boolean> {
    return inTransaction(this.work, async (db) => {
      const version = await endTraining(db, versionId, instance, { status: 'failed', failure });
      return version !== undefined;
    });
  }

  /**
   * The trained model of a version, as it was kept.
   * @throws {Error} if it is not, to the last bit, what was kept
   */
  async artifact(versionId: string): Promise<Uint8Array | undefined> {
    const kept = await this.work
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
    const rows = await this.db
      .selectFrom('models')
      .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
      .select(['models.id as modelId', 'model_versions.id as versionId'])
      .where('models.project_id', '=', projectId)
      .where('models.name', '=', name)
      .execute();
    const [first] = rows;
    if (!first) return undefined;
    await this.db.deleteFrom('models').where('id', '=', first.modelId).execute();
    await count(this.db, projectId, { models: -1 });
    return rows.map(({ versionId }) => versionId);
  }

  async #create(projectId: string, name: string): Promise<string> {
    await grow(this.db, projectId, { models: 1 }, this.most);
    const { id, created_at } = newResource();
    await this.db
      .insertInto('models')
      .values({ id, project_id: projectId, name, created_at })
      .execute();
    return id;
  }
}

/** Makes what makes the query of `serving`: it is compiled once, not for each prediction. */
function servingQuery(db: Kysely<Database>) {
  let compiled: CompiledQuery<Serving> | undefined;
  return (owner: string, project: string, name: string): CompiledQuery<Serving> => {
    compiled ??= db
      .selectFrom('projects')
      .innerJoin('models', 'models.project_id', 'projects.id')
      .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
      .select('model_versions.id as versionId')
      .where('projects.owner', '=', owner)
      .where('projects.name', '=', project)
      .where('models.name', '=', name)
      .where('model_versions.status', '=', 'ready')
      .orderBy('model_versions.version', 'desc')
      .compile();
    return { ...compiled, parameters: [owner, project, name, 'ready'] };
  };
}

/** Ends a training, if the instance has it still, and lets go of its table. */
async function endTraining(
  db: Kysely<Database>,
  versionId: string,
  instance: string,
  end: Partial<Selectable<Database['model_versions']>>,
) {
  await holdModel(db, versionId);
  const version = await db
    .updateTable('model_versions')
    .set({ ...end, updated_at: new Date().toISOString() })
    .where('id', '=', versionId)
    .where('status', '=', 'training')
    .where('claimed_by', '=', instance)
    .returning(['model_id', 'version'])
    .executeTakeFirst();
  if (!version) return undefined;
  await leaveTable(db, versionId);
  return version;
}

/** Locks the model before its versions, as deleting it does: in another order, the two could wait for each other. */
async function holdModel(db: Kysely<Database>, versionId: string): Promise<void> {
  if (!dialectOf(db).locksRows) return;
  await db
    .selectFrom('models')
    .select('id')
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('model_versions').select('model_id').where('id', '=', versionId),
    )
    .forUpdate()
    .execute();
}

function checksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
