import { type Kysely, sql } from 'kysely';
import { getDialect, inTransaction } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { isUnleased, leaseEnd } from '../../store/lease.js';
import type { Effort } from '../model-rows.js';

/** Selects the trainings that nobody runs. */
export function selectWaiting(db: Kysely<Database>) {
  return (
    db
      .selectFrom('model_versions')
      .innerJoin('models', 'models.id', 'model_versions.model_id')
      .innerJoin('projects', 'projects.id', 'models.project_id')
      // The status stands in the text of the query, so that the index of the trainings serves it.
      .where('model_versions.status', '=', sql.lit('training' as const))
      .where(isUnleased(db, 'claimed_until'))
  );
}

/** A training, and the instance that has claimed it: nobody else runs it while the lease is renewed. */
export interface Holding {
  readonly versionId: string;
  readonly instance: string;
}

export interface Claim extends Holding {
  readonly owner: string;
  readonly attempts: number;
  readonly project: string;
  /** The number of rows of its table. */
  readonly rows: number;
  readonly model: string;
  readonly version: number;
  readonly parts: number;
  /** Null for forecasts, and where an earlier release has begun the training. */
  readonly effort: Effort | null;
}

/**
 * Claims a training that nobody runs, or whose instance has not renewed its lease, and counts the
 * attempt. Owners take turns: the oldest training of the owner that has waited longest for a claim.
 * @param exceptOwner whose trainings are left alone
 */
export async function claimTraining(
  { work }: Store,
  instance: string,
  leaseMs: number,
  exceptOwner?: string,
): Promise<Claim | undefined> {
  // Most often there is none, and then nothing is written, and nothing locked.
  if (!(await selectClaimable(work, exceptOwner).limit(1).executeTakeFirst())) return undefined;
  return inTransaction(work, async (db) => {
    const { now, locksRows } = getDialect(db);
    const next = selectClaimable(db, exceptOwner)
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
        seconds_left: null,
        claimed_by: instance,
        claimed_until: leaseEnd(db, leaseMs),
      }))
      .where('id', '=', next)
      .returning('id')
      .executeTakeFirst();
    if (!claimed) return undefined;
    const claim = await db
      .selectFrom('model_versions')
      .innerJoin('models', 'models.id', 'model_versions.model_id')
      .innerJoin('projects', 'projects.id', 'models.project_id')
      .innerJoin('training_tables', 'training_tables.version_id', 'model_versions.id')
      .select([
        'model_versions.id as versionId',
        'model_versions.attempts',
        'model_versions.row_count as rows',
        'models.name as model',
        'model_versions.version',
        'model_versions.effort',
        'training_tables.parts',
        'projects.owner',
        'projects.name as project',
      ])
      .where('model_versions.id', '=', claimed.id)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('owner_storage')
      .values({ owner: claim.owner, trained_at: now })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ trained_at: now }))
      .execute();
    return { ...claim, instance };
  });
}

function selectClaimable(db: Kysely<Database>, exceptOwner: string | undefined) {
  const all = selectWaiting(db).select('model_versions.id');
  return exceptOwner === undefined ? all : all.where('projects.owner', '!=', exceptOwner);
}

/** The state of a training that runs. */
export interface TrainingState {
  /** From 0 to 1. */
  readonly progress: number;
  /** Null where it cannot be estimated yet. */
  readonly secondsLeft: number | null;
}

/**
 * Renews the lease of a training, and notes how far it is. Returns whether the instance still has the
 * training: not if it was cancelled or deleted, or if somebody else claimed it.
 */
export async function renewTraining(
  { work }: Store,
  holding: Holding,
  leaseMs: number,
  { progress, secondsLeft: seconds_left }: TrainingState,
): Promise<boolean> {
  const updated_at = new Date().toISOString();
  const { numUpdatedRows } = await updateHeld(work, holding)
    .set({ claimed_until: leaseEnd(work, leaseMs), progress, seconds_left, updated_at })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives a training back, as at a stop: the next claimant begins anew, and this was not an attempt. */
export async function releaseTraining({ work }: Store, holding: Holding): Promise<void> {
  const released = { progress: 0, seconds_left: null, claimed_by: null, claimed_until: null };
  await updateHeld(work, holding)
    .set(({ eb }) => ({ ...released, attempts: eb('attempts', '-', 1) }))
    .execute();
}

export function updateTraining(db: Kysely<Database>, versionId: string) {
  return db.updateTable('model_versions').where('id', '=', versionId).where('status', '=', 'training');
}

export function updateHeld(db: Kysely<Database>, { versionId, instance }: Holding) {
  return updateTraining(db, versionId).where('claimed_by', '=', instance);
}
