import type { Kysely } from 'kysely';
import type { Pause } from 'roster-prediction/predicting';
import { pausing } from '../common/pausing.js';
import { getDialect } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import type { Store } from '../store/index.js';
import { adjustCounters, adjustStored, sumBytes } from '../store/quota.js';
import { chunksBySize, key, padToPowerOfTwo } from '../store/rows.js';
import type { Model } from './model-rows.js';

/**
 * Locks a model until the end of the transaction, its project being locked. A training that ends
 * meanwhile waits to store its version.
 */
export async function lockModel({ reads }: Store, projectId: string, nameOrId: string): Promise<void> {
  const { column, value } = key(nameOrId);
  await reads
    .selectFrom('models')
    .select('id')
    .where('project_id', '=', projectId)
    .where(column, '=', value)
    .$if(getDialect(reads).locksRows, (query) => query.forUpdate())
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

/** Sets the name of a model, which no other of its project has, and what it is for. */
export async function describeModel(
  db: Kysely<Database>,
  modelId: string,
  details: { readonly name: string; readonly description?: string | null },
): Promise<void> {
  await db.updateTable('models').set(details).where('id', '=', modelId).execute();
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
  await adjustStored(db, owner, -sumBytes(deleted));
}

/** The most batches of promises that a transaction of `deleteModelPart` deletes. */
const DELETED_AT_ONCE = 512;

/**
 * Deletes promises of a model, in statements of limited size, and counts what they took for their owner.
 * @returns whether there may be more
 */
async function deletePromises(db: Kysely<Database>, modelId: string, owner: string, pause: Pause): Promise<boolean> {
  const batches = await db
    .selectFrom('promises')
    .select(['id', 'bytes'])
    .where('model_id', '=', modelId)
    .orderBy('id')
    .limit(DELETED_AT_ONCE)
    .execute();
  if (batches.length === 0) return false;
  let bytes = 0;
  for (const part of chunksBySize(batches.map((batch) => ({ id: batch.id, bytes: Number(batch.bytes) })))) {
    const ids = padToPowerOfTwo(part.map(({ id }) => id));
    // Some may have been forgotten meanwhile, and were counted then.
    bytes += sumBytes(await db.deleteFrom('promises').where('id', 'in', ids).returning('bytes').execute());
    await pause();
  }
  await adjustStored(db, owner, -bytes);
  return batches.length === DELETED_AT_ONCE;
}

/**
 * Deletes a model that may have millions of promises: some of them, or the rest with the model itself, within a
 * transaction that has locked its project. Others write between two of these transactions.
 * @returns the ids of the versions when the model is gone; undefined while there are more promises
 */
export async function deleteModelPart(
  store: Store,
  projectId: string,
  { id, owner }: { readonly id: string; readonly owner: string },
): Promise<string[] | undefined> {
  // The model before what its owner stores, as those who remember promises.
  await lockModel(store, projectId, id);
  if (await deletePromises(store.reads, id, owner, pausing())) return undefined;
  return (await deleteModel(store, projectId, id)) ?? [];
}

/**
 * Deletes a model with all its versions, within the transaction that has locked its project.
 * @returns the ids of the versions; undefined if there is no such model
 */
export async function deleteModel(store: Store, projectId: string, nameOrId: string): Promise<string[] | undefined> {
  const { reads: db } = store;
  // No promise of it is remembered from now on, so that all are counted.
  await lockModel(store, projectId, nameOrId);
  const { column, value } = key(nameOrId);
  const rows = await db
    .selectFrom('models')
    .innerJoin('model_versions', 'model_versions.model_id', 'models.id')
    .innerJoin('projects', 'projects.id', 'models.project_id')
    .select(['models.id as modelId', 'model_versions.id as versionId', 'model_versions.bytes', 'projects.owner'])
    .where('models.project_id', '=', projectId)
    .where(`models.${column}`, '=', value)
    .execute();
  const [first] = rows;
  if (!first) return undefined;
  const pause = pausing();
  while (await deletePromises(db, first.modelId, first.owner, pause));
  // Each may have a hundred megabytes, whose pages the database gives back one by one.
  for (const { versionId } of rows) {
    await db.deleteFrom('model_versions').where('id', '=', versionId).execute();
    await pause();
  }
  await db.deleteFrom('models').where('id', '=', first.modelId).execute();
  await adjustCounters(db, projectId, { models: -1 });
  await adjustStored(db, first.owner, -sumBytes(rows));
  return rows.map(({ versionId }) => versionId);
}
