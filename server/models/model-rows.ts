import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { dialectOf, type Parameter, PreparedQuery } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import { inTransaction } from '../store/database/transaction.js';
import { TrainingInProgressError } from '../store/errors.js';
import type { Limits } from '../store/quota.js';
import { adjustCounters, adjustStored, reserveQuota } from '../store/quota.js';
import { newResource, type Page, paginate } from '../store/rows.js';
import { countWaiting, refuseFullQueue, refuseOverfullQueue } from './training/queue.js';
import { leaveTable, takeTable } from './training/table-rows.js';
import { type Claim, claim, release, renew } from './training/training-claims.js';
import {
  type ClassificationModel,
  fromRow,
  type Model,
  type ModelSource,
  newest,
  numberedName,
  versions,
} from './version-json.js';
import { dropOldVersions, totalBytes } from './version-rows.js';

/** A training that begins. */
export interface NewTraining {
  readonly target: string;
  readonly task: Model['task'];
  readonly rowCount: number;
  /** The table, which is in the store already, and is kept until the training has ended. */
  readonly tableId: string;
  /** The query that the table came from; left out for a table that was sent. */
  readonly source?: ModelSource;
}

/** The result of a training. */
export interface TrainedVersion {
  readonly columns: NonNullable<Model['columns']>;
  readonly metrics: NonNullable<Model['metrics']>;
  /** Null, if numbers are predicted. */
  readonly classes: ClassificationModel['classes'];
  readonly summary: string;
  readonly trainingSeconds: number;
  readonly artifact: Uint8Array;
}

/** The version that serves predictions of a model. */
export interface Serving {
  readonly versionId: string;
}

interface Named {
  readonly projectId: string;
  readonly name: string;
}

function named(db: Kysely<Database>, parameter: Parameter<Named>) {
  return versions(db)
    .where('models.project_id', '=', parameter('projectId'))
    .where('models.name', '=', parameter('name'));
}

const FIND_NEWEST = new PreparedQuery((db, parameter: Parameter<Named>) =>
  newest(named(db, parameter)),
);

const FIND_VERSION = new PreparedQuery((db, parameter: Parameter<Named & { version: number }>) =>
  named(db, parameter).where('model_versions.version', '=', parameter('version')),
);

interface Address {
  readonly owner: string;
  readonly project: string;
  readonly name: string;
}

function versionIds(db: Kysely<Database>, parameter: Parameter<Address>) {
  return db
    .selectFrom('projects')
    .innerJoin('models', 'models.project_id', 'projects.id')
    .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
    .select('model_versions.id as versionId')
    .where('projects.owner', '=', parameter('owner'))
    .where('projects.name', '=', parameter('project'))
    .where('models.name', '=', parameter('name'));
}

const SERVING = new PreparedQuery((db, parameter: Parameter<Address>) =>
  versionIds(db, parameter).whereRef('model_versions.version', '=', 'models.serving_version'),
);

/** A version by its number, where no model has the very name that was asked for. */
const READY_VERSION = new PreparedQuery(
  (db, parameter: Parameter<Address & { version: number; asked: string }>) =>
    versionIds(db, parameter)
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
 * The models of projects. `beginTraining` and `remove` are called within `Store.transaction`, the project
 * locked; methods of a training that has begun need neither.
 */
export class ModelStore {
  constructor(
    private readonly db: Kysely<Database>,
    private readonly limits: Limits,
    /** The connection of trainings and models, whose statements may be large. */
    private readonly work = db,
  ) {}

  /** Each model as its newest version shows it. */
  async list(projectId: string, page: Page): Promise<Model[]> {
    const rows = await paginate(
      newest(versions(this.db)).where('models.project_id', '=', projectId),
      'models.id',
      page,
    ).execute();
    return rows.map(fromRow);
  }

  /** @param version the version to show, in place of the newest */
  async find(projectId: string, name: string, version?: number): Promise<Model | undefined> {
    const row = await (version === undefined
      ? FIND_NEWEST.first(this.db, { projectId, name })
      : FIND_VERSION.first(this.db, { projectId, name, version }));
    return row && fromRow(row);
  }

  /**
   * The version that answers predictions, by the names of an address: every prediction may ask this first. It is
   * the serving version of the model, or, where no model has the name and it ends in a number as `prices.3` does, that
   * version of the model `prices`. Nothing, if there is no such project or model, or no such version that is ready.
   */
  async serving(owner: string, project: string, name: string): Promise<Serving | undefined> {
    const serving = await SERVING.first(this.db, { owner, project, name });
    const numbered = serving ? undefined : numberedName(name);
    return numbered
      ? READY_VERSION.first(this.db, { owner, project, asked: name, ...numbered })
      : serving;
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
    { target, task, rowCount, tableId, source }: NewTraining,
  ): Promise<{ model: Model; versionId: string }> {
    const last = await this.find(projectId, name);
    if (last?.status === 'training') throw new TrainingInProgressError(last.version);
    const modelId = last?.id ?? (await this.#create(projectId, name));
    const { last_version: version } = await this.db
      .updateTable('models')
      .set(({ eb }) => ({ last_version: eb('last_version', '+', 1) }))
      .where('id', '=', modelId)
      .returning('last_version')
      .executeTakeFirstOrThrow();
    const { id: versionId, created_at: now } = newResource();
    await this.db
      .insertInto('model_versions')
      .values({
        id: versionId,
        model_id: modelId,
        version,
        status: 'training',
        target,
        task,
        row_count: rowCount,
        source_database: source?.database ?? null,
        source_query: source?.query ?? null,
        bytes: sourceBytes(source),
        updated_at: now,
      })
      .execute();
    await this.#countSource(projectId, source);
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

  /** Returns the number of trainings that wait for an instance. */
  waitingTrainings(): Promise<number> {
    return countWaiting(this.db);
  }

  /**
   * Takes up a training that nobody runs, or whose instance has not renewed its lease, and counts the attempt;
   * nothing if there is none. Owners take turns, each with its oldest.
   * @param instance who takes it up
   * @param lease for how long it is left alone without being renewed, in milliseconds
   * @param exceptOwner whose trainings are left alone
   */
  claimTraining(instance: string, lease: number, exceptOwner?: string): Promise<Claim | undefined> {
    return claim(this.work, instance, lease, exceptOwner);
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
   * Makes a version ready. It answers from now on, and of the versions before it only the newest are kept. Tells
   * whether the instance still had the training; otherwise nothing is done. How large a model will be is not known
   * before: its owner may store more than the bound by this one.
   */
  finishTraining(
    versionId: string,
    instance: string,
    { columns, metrics, classes, summary, trainingSeconds, artifact }: TrainedVersion,
  ): Promise<boolean> {
    const shown = {
      columns: JSON.stringify(columns),
      metrics: JSON.stringify(metrics),
      classes: classes && JSON.stringify(classes),
      summary,
    };
    const texts = Object.values(shown);
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), artifact.length);
    return inTransaction(this.work, async (db) => {
      const ready = { status: 'ready', progress: 1, ...shown } as const;
      const facts = { training_seconds: trainingSeconds, checksum: checksum(artifact) };
      const version = await endTraining(db, versionId, instance, { ...ready, ...facts }, bytes);
      if (!version) return false;
      await db
        .insertInto('model_artifacts')
        .values({ version_id: versionId, bytes: artifact })
        .execute();
      await db
        .updateTable('models')
        .set({ serving_version: version.version })
        .where('id', '=', version.model_id)
        .execute();
      await adjustStored(db, version.owner, bytes);
      await dropOldVersions(db, version.model_id, version.owner, this.limits.versions);
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
    await this.db.deleteFrom('models').where('id', '=', first.modelId).execute();
    await adjustCounters(this.db, projectId, { models: -1 });
    await adjustStored(this.db, first.owner, -totalBytes(rows));
    return rows.map(({ versionId }) => versionId);
  }

  /** @throws {LimitReachedError} */
  async #countSource(projectId: string, source: ModelSource | undefined): Promise<void> {
    if (source === undefined) return;
    const { owner } = await this.db
      .selectFrom('projects')
      .select('owner')
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    await adjustStored(this.db, owner, sourceBytes(source), this.limits.stored);
  }

  async #create(projectId: string, name: string): Promise<string> {
    await reserveQuota(this.db, projectId, { models: 1 }, this.limits);
    const { id, created_at } = newResource();
    await this.db
      .insertInto('models')
      .values({ id, project_id: projectId, name, created_at })
      .execute();
    return id;
  }
}

/**
 * Ends a training, if the instance has it still, and lets go of its table.
 * @param bytes the bytes that the version holds from now on, beside its source
 */
async function endTraining(
  db: Kysely<Database>,
  versionId: string,
  instance: string,
  end: Partial<Selectable<Omit<Database['model_versions'], 'bytes'>>>,
  bytes = 0,
) {
  const model = await holdModel(db, versionId);
  if (!model) return undefined;
  const version = await db
    .updateTable('model_versions')
    .set(({ eb }) => ({
      ...end,
      bytes: eb('bytes', '+', bytes),
      updated_at: new Date().toISOString(),
    }))
    .where('id', '=', versionId)
    .where('status', '=', 'training')
    .where('claimed_by', '=', instance)
    .returning(['model_id', 'version'])
    .executeTakeFirst();
  if (!version) return undefined;
  await leaveTable(db, versionId);
  return { ...version, owner: model.owner };
}

/** Locks the model before its versions, as deleting it does: in another order, the two could wait for each other. */
function holdModel(db: Kysely<Database>, versionId: string) {
  return db
    .selectFrom('models')
    .innerJoin('projects', 'projects.id', 'models.project_id')
    .select('projects.owner')
    .where('models.id', '=', ({ selectFrom }) =>
      selectFrom('model_versions').select('model_id').where('id', '=', versionId),
    )
    .$if(dialectOf(db).locksRows, (query) => query.forUpdate('models'))
    .executeTakeFirst();
}

function sourceBytes(source: ModelSource | undefined): number {
  return source === undefined ? 0 : Buffer.byteLength(source.database + source.query);
}

function checksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
