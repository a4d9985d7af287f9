import type { Kysely } from 'kysely';
import { dialectOf } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import { QueueFullError } from '../../store/errors.js';
import { waiting } from './training-claims.js';

/**
 * Each training waits with its table in the store; beyond so many, a caller is better told to come back. One
 * owner has half of the places at most, so that there are some for others.
 */
const MAX_WAITING = { ofAll: 100, ofOne: 50 };

/** The number of trainings that wait for an instance. */
export async function countWaiting(db: Kysely<Database>): Promise<number> {
  const { trainings } = await waiting(db)
    .select(({ fn }) => fn.countAll().as('trainings'))
    .executeTakeFirstOrThrow();
  return Number(trainings);
}

/** @throws {QueueFullError} if as many trainings wait as may, of all owners or of the project's */
export async function refuseFullQueue(db: Kysely<Database>, projectId: string): Promise<void> {
  const { ofAll, ofOne } = await queued(db, projectId);
  if (ofAll >= MAX_WAITING.ofAll || ofOne >= MAX_WAITING.ofOne) throw new QueueFullError();
}

/**
 * Takes the last step of a transaction that has put a training into the queue: from here to its commit, it is
 * the only one that does. Having everything else that it needs, it waits for nobody then, so no two can wait
 * for each other; and what takes long, the writing of the table, was done before the transaction.
 * @throws {QueueFullError} if there was no place for the training; the transaction is to be undone then
 */
export async function refuseOverfullQueue(db: Kysely<Database>, projectId: string): Promise<void> {
  await dialectOf(db).lock(db, 'training_queue');
  const { ofAll, ofOne } = await queued(db, projectId);
  if (ofAll > MAX_WAITING.ofAll || ofOne > MAX_WAITING.ofOne) throw new QueueFullError();
}

/** The numbers of waiting trainings, of all owners and of the project's owner. */
async function queued(
  db: Kysely<Database>,
  projectId: string,
): Promise<{ ofAll: number; ofOne: number }> {
  const { all, own } = await waiting(db)
    .innerJoin('models', 'models.id', 'model_versions.model_id')
    .innerJoin('projects', 'projects.id', 'models.project_id')
    .select(({ fn, selectFrom }) => [
      fn.countAll().as('all'),
      fn
        .countAll()
        .filterWhere(
          'projects.owner',
          '=',
          selectFrom('projects as one').select('one.owner').where('one.id', '=', projectId),
        )
        .as('own'),
    ])
    .executeTakeFirstOrThrow();
  return { ofAll: Number(all), ofOne: Number(own) };
}
