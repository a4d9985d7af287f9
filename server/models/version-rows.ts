import type { Kysely } from 'kysely';
import { dialectOf } from '../store/database/dialect.js';
import type { Database } from '../store/database/schema.js';
import { adjustStored } from '../store/quota.js';
import { type Page, paginate } from '../store/rows.js';
import { fromRow, type Model, versions } from './version-json.js';

/** A version in a list, with its own id: a model's is the same for all of its versions. */
export interface ListedVersion {
  readonly id: string;
  readonly model: Model;
}

/** The versions of models. All but `list` is called within `Store.transaction`, the project held. */
export class VersionStore {
  constructor(private readonly db: Kysely<Database>) {}

  /** Every version of a model, oldest first. */
  async list(modelId: string, page: Page): Promise<ListedVersion[]> {
    const rows = await paginate(
      versions(this.db).select('model_versions.id as version_id').where('models.id', '=', modelId),
      'model_versions.id',
      page,
    ).execute();
    return rows.map((row) => ({ id: row.version_id, model: fromRow(row) }));
  }

  /** Locks a model until the end of the transaction. A training that ends meanwhile waits to store its version. */
  async lock(projectId: string, name: string): Promise<void> {
    await this.db
      .selectFrom('models')
      .select('id')
      .where('project_id', '=', projectId)
      .where('name', '=', name)
      .$if(dialectOf(this.db).locksRows, (query) => query.forUpdate())
      .executeTakeFirst();
  }

  /** Makes a version answer predictions from now on. It is ready, and the model held. */
  async serve({ id }: Model, version: number): Promise<void> {
    await this.db
      .updateTable('models')
      .set({ serving_version: version })
      .where('id', '=', id)
      .execute();
  }

  async count({ id }: Model): Promise<number> {
    const { count } = await this.db
      .selectFrom('model_versions')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('model_id', '=', id)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /**
   * Deletes a version, which does not train, does not serve and is not the only one; the model is held.
   * @param owner whose it is
   */
  async remove({ id, version }: Model, owner: string): Promise<void> {
    await dropVersions(this.db, id, owner, [version]);
  }
}

/**
 * Drops what a training that has ended makes needless: failed versions, and of those that are ready all but the newest.
 * @param modelId a model that is locked, and whose newest version is ready
 * @param most how many ready versions are kept
 */
export async function dropOldVersions(
  db: Kysely<Database>,
  modelId: string,
  owner: string,
  most: number,
): Promise<void> {
  const all = await db
    .selectFrom('model_versions')
    .select(['version', 'status'])
    .where('model_id', '=', modelId)
    .orderBy('version', 'desc')
    .execute();
  const kept = all.filter(({ status }) => status === 'ready').slice(0, most);
  const old = all.filter((version) => !kept.includes(version)).map(({ version }) => version);
  await dropVersions(db, modelId, owner, old);
}

async function dropVersions(
  db: Kysely<Database>,
  modelId: string,
  owner: string,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  const dropped = await db
    .deleteFrom('model_versions')
    .where('model_id', '=', modelId)
    .where('version', 'in', numbers)
    .returning('bytes')
    .execute();
  await adjustStored(db, owner, -totalBytes(dropped));
}

/** PostgreSQL gives large numbers as text. */
export function totalBytes(rows: readonly { readonly bytes: number | string }[]): number {
  return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
}
