import { randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { PromiseSubject, RememberedPart } from 'roster-prediction/predicting';
import { startRecord } from 'roster-prediction/recording';
import { unavailable } from '../../problems/problem.js';
import type { Act } from '../../store/audit.js';
import { getDialect, type Parameter, PreparedQuery } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import { describeRows, STORED_ROWS } from '../../store/forget-rows.js';
import type { Store } from '../../store/index.js';
import { adjustStored } from '../../store/quota.js';
import { newResource } from '../../store/rows.js';
import type { ServingVersion } from '../serving-version.js';

/** The bytes of a batch beside what it holds: its rows in the tables with their indexes. */
const BATCH = 512;

/** The bytes of a truth, and of a correction; a batch keeps so many of these. */
const TRUTH = 8;
const CORRECTION = { bytes: 24, most: 64 };

/** Returns the bytes of a batch with room for its truths. */
function countBytes({ rows, promises, ids }: BatchRows): number {
  const corrections = CORRECTION.bytes * Math.min(rows, CORRECTION.most);
  return BATCH + promises.length + (ids?.length ?? 0) + TRUTH * rows + corrections;
}

/** The digits of an id of an answer: those that tell the time come first, so that ids sort by it. */
const ID = { time: 9, chance: 11 };

/** Creates the id of an answer whose rows are remembered: 20 digits and lower-case letters, which nobody guesses. */
export function newAnswerId(): string {
  const chance = randomBytes(8).readBigUInt64BE() % 36n ** BigInt(ID.chance);
  const digits = (number: number | bigint, length: number) => number.toString(36).padStart(length, '0');
  return digits(Date.now(), ID.time) + digits(chance, ID.chance);
}

/** An answer that is remembered. */
export interface RememberedAnswer {
  readonly id: string;
  readonly owner: string;
  readonly project: string;
  /** The event of the request, which the first transaction stores. */
  readonly act?: Act | undefined;
  readonly version: RememberedVersion;
}

export type RememberedVersion = Pick<ServingVersion, 'model_id' | 'version'>;

/** The deletion of the model waits until the transaction ends, as the bytes that it leaves are counted. */
const KEEP_MODEL = new PreparedQuery((db, parameter: Parameter<{ id: string }>) =>
  db
    .selectFrom('models')
    .select('id')
    .where('id', '=', parameter('id'))
    .$if(getDialect(db).locksRows, (query) => query.forKeyShare()),
);

const HAS_RECORD = new PreparedQuery((db, parameter: Parameter<{ model_id: string; version: number }>) =>
  db
    .selectFrom('records')
    .select('version')
    .where('model_id', '=', parameter('model_id'))
    .where('version', '=', parameter('version')),
);

type NewBatch = Omit<Selectable<Database['promises']>, 'made_at' | 'truth_count' | 'truths_at' | 'truths'>;

const INSERT_BATCH = new PreparedQuery((db, parameter: Parameter<NewBatch>) =>
  db
    .insertInto('promises')
    .values({
      id: parameter('id'),
      answer_id: parameter('answer_id'),
      first_row: parameter('first_row'),
      row_count: parameter('row_count'),
      model_id: parameter('model_id'),
      version: parameter('version'),
      owner: parameter('owner'),
      has_ids: parameter('has_ids'),
      bytes: parameter('bytes'),
      made_at: getDialect(db).now,
    }),
);

const INSERT_BYTES = new PreparedQuery((db, parameter: Parameter<Selectable<Database['promise_bytes']>>) =>
  db
    .insertInto('promise_bytes')
    .values({ batch_id: parameter('batch_id'), ids: parameter('ids'), promises: parameter('promises') }),
);

/** A batch to which a truth has come stays as it is: its truths are those of its rows. */
const GROW_BATCH = new PreparedQuery((db, parameter: Parameter<{ id: string; row_count: number; bytes: number }>) =>
  db
    .updateTable('promises')
    .set({ row_count: parameter('row_count'), bytes: parameter('bytes') })
    .where('id', '=', parameter('id'))
    .where('truths', 'is', null)
    .returning('id'),
);

const REPLACE_BYTES = new PreparedQuery((db, parameter: Parameter<Selectable<Database['promise_bytes']>>) =>
  db
    .updateTable('promise_bytes')
    .set({ ids: parameter('ids'), promises: parameter('promises') })
    .where('batch_id', '=', parameter('batch_id')),
);

/** The rows of a batch. */
export type BatchRows = Pick<RememberedPart, 'first' | 'rows' | 'promises' | 'ids'>;

/** A batch that is stored. */
export interface StoredBatch extends BatchRows {
  readonly id: string;
  /** As they count for the owner. */
  readonly bytes: number;
}

/**
 * Stores batches of promises in one transaction.
 *
 * @throws {ProblemError} if the owner would store too much, or the model was deleted
 * @throws {StoreBusyError} if too many writes wait
 */
export function addPromises(store: Store, answer: RememberedAnswer, batches: readonly RememberedPart[]): Promise<void> {
  const { owner, project, act, version } = answer;
  return store.transaction(
    async ({ reads: db, limits }) => {
      await keepModel(db, version);
      let stored = 0;
      for (const { subject, ...batch } of batches) {
        if (subject) await beginRecord(db, version, subject);
        stored += (await insertBatch(db, answer, batch)).bytes;
      }
      await adjustStored(db, owner, stored, limits.stored);
    },
    { owner, project, act },
  );
}

/**
 * Keeps the model of promises until the end of the transaction.
 *
 * @throws {ProblemError} if it was deleted
 */
export async function keepModel(db: Kysely<Database>, { model_id }: RememberedVersion): Promise<void> {
  if (await KEEP_MODEL.first(db, { id: model_id })) return;
  throw unavailable('The model was deleted while the rows arrived; nothing more is remembered.');
}

/** Adds the record of a version, unless it has promised before. */
export async function beginRecord(
  db: Kysely<Database>,
  { model_id, version }: RememberedVersion,
  subject: PromiseSubject,
): Promise<void> {
  const made = { model_id, version };
  if (await HAS_RECORD.first(db, made)) return;
  const state = JSON.stringify(startRecord(subject));
  await db
    .insertInto('records')
    .values({ ...made, state, subject: JSON.stringify(subject) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Inserts a batch, without counting it for the owner. */
export async function insertBatch(
  db: Kysely<Database>,
  { id: answer_id, owner, version: { model_id, version } }: RememberedAnswer,
  { first, rows, promises, ids }: BatchRows,
): Promise<StoredBatch> {
  const { id } = newResource();
  const bytes = countBytes({ first, rows, promises, ids });
  const batch = { id, answer_id, first_row: first, row_count: rows, model_id, version, owner, bytes };
  await INSERT_BATCH.first(db, { ...batch, has_ids: ids ? 1 : 0 });
  await INSERT_BYTES.first(db, { batch_id: id, ids, promises });
  return { id, first, rows, promises, ids, bytes };
}

/**
 * Puts more rows in the place of those of a batch, which are the first of them, without counting them for the owner.
 *
 * @returns undefined if the batch is gone, or a truth has come to it
 */
export async function growBatch(
  db: Kysely<Database>,
  id: string,
  { first, rows, promises, ids }: BatchRows,
): Promise<StoredBatch | undefined> {
  const bytes = countBytes({ first, rows, promises, ids });
  if (!(await GROW_BATCH.first(db, { id, row_count: rows, bytes }))) return undefined;
  await REPLACE_BYTES.first(db, { batch_id: id, ids, promises });
  return { id, first, rows, promises, ids, bytes };
}

/** Promises, of which the record keeps what they came to. */
export const PROMISES = describeRows('promises', {
  name: 'promises',
  key: ['id'],
  since: 'made_at',
  batch: 64,
  owned: STORED_ROWS,
});
