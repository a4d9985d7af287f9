import { type Kysely, type SqlBool, sql } from 'kysely';
import { dialectOf } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import { inTransaction } from '../../store/database/transaction.js';

/** A training that an instance has taken up: nobody else runs it while the lease is renewed. */
export interface Claim {
  readonly versionId: string;
  readonly owner: string;
  /** The number of attempts, this one included. */
  readonly attempts: number;
  /** The name of the model. */
  readonly model: string;
  readonly version: number;
  /** The number of parts of its table. */
  readonly parts: number;
}

/**
 * Takes up a training that nobody runs, or whose instance has not renewed its lease: it is dead, or cut off from
 * the store. Owners take turns: of those for whom none was taken up for longest, the oldest.
 * @param lease for how long, in milliseconds by the clock of the database
 * @param exceptOwner whose trainings are left alone
 */
export async function claim(
  db: Kysely<Database>,
  instance: string,
  lease: number,
  exceptOwner?: string,
): Promise<Claim | undefined> {
  // Most often there is none, and then nothing is written, and nothing locked.
  if (!(await claimable(db, exceptOwner).limit(1).executeTakeFirst())) return undefined;
  return inTransaction(db, async (db) => {
    const { now, locksRows } = dialectOf(db);
    const next = claimable(db, exceptOwner)
      .leftJoin('owner_storage', 'owner_storage.owner', 'projects.owner')
      .orderBy(sql`coalesce(trained_at, 0)`)
      .orderBy('model_versions.id')
      .limit(1)
      .$if(locksRows, (query) => query.forUpdate('model_versions').skipLocked());
    const claimed = await db
      .updateTable('model_versions')
      .set(({ eb }) => ({
        attempts: eb('attempts', '+', 1),
        progress: 0,
        claimed_by: instance,
        claimed_until: sql<number>`${now} + cast(${lease} as bigint)`,
      }))
      .where('id', '=', next)
      .returning('id')
      .executeTakeFirst();
    if (!claimed) return undefined;
    const claim = await whatIsClaimed(db, claimed.id);
    await noteTurn(db, claim.owner);
    return claim;
  });
}

/**
 * Renews a lease, and notes how far the training is; tells whether the instance has it still.
 * @param lease for how long from now, in milliseconds
 * @param progress from 0 to 1
 */
export async function renew(
  db: Kysely<Database>,
  versionId: string,
  instance: string,
  lease: number,
  progress: number | undefined,
): Promise<boolean> {
  const { now } = dialectOf(db);
  const { numUpdatedRows } = await db
    .updateTable('model_versions')
    .set({
      claimed_until: sql<number>`${now} + cast(${lease} as bigint)`,
      ...(progress === undefined ? {} : { progress, updated_at: new Date().toISOString() }),
    })
    .where('id', '=', versionId)
    .where('status', '=', 'training')
    .where('claimed_by', '=', instance)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives a training back, for whoever takes it up next. An attempt that ends so was none. */
export async function release(
  db: Kysely<Database>,
  versionId: string,
  instance: string,
): Promise<void> {
  await db
    .updateTable('model_versions')
    .set(({ eb }) => ({
      attempts: eb('attempts', '-', 1),
      progress: 0,
      claimed_by: null,
      claimed_until: null,
    }))
    .where('id', '=', versionId)
    .where('status', '=', 'training')
    .where('claimed_by', '=', instance)
    .execute();
}

/** The trainings that nobody runs. */
export function waiting(db: Kysely<Database>) {
  const { now } = dialectOf(db);
  return (
    db
      .selectFrom('model_versions')
      // The status stands in the text of the query, so that the index of the trainings serves it.
      .where('status', '=', sql.lit('training' as const))
      .where(sql<SqlBool>`(claimed_until is null or claimed_until < ${now})`)
  );
}

function claimable(db: Kysely<Database>, exceptOwner: string | undefined) {
  const all = waiting(db)
    .innerJoin('models', 'models.id', 'model_versions.model_id')
    .innerJoin('projects', 'projects.id', 'models.project_id')
    .select('model_versions.id');
  return exceptOwner === undefined ? all : all.where('projects.owner', '!=', exceptOwner);
}

function whatIsClaimed(db: Kysely<Database>, versionId: string): Promise<Claim> {
  return db
    .selectFrom('model_versions')
    .innerJoin('models', 'models.id', 'model_versions.model_id')
    .innerJoin('projects', 'projects.id', 'models.project_id')
    .innerJoin('training_tables', 'training_tables.version_id', 'model_versions.id')
    .select([
      'model_versions.id as versionId',
      'model_versions.attempts',
      'models.name as model',
      'model_versions.version',
      'training_tables.parts',
      'projects.owner',
    ])
    .where('model_versions.id', '=', versionId)
    .executeTakeFirstOrThrow();
}

/** Notes that a training of an owner is taken up now. */
async function noteTurn(db: Kysely<Database>, owner: string): Promise<void> {
  const trained_at = dialectOf(db).now;
  await db
    .insertInto('owner_storage')
    .values({ owner, trained_at })
    .onConflict((conflict) => conflict.column('owner').doUpdateSet({ trained_at }))
    .execute();
}
