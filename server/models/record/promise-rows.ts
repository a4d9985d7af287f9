import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { PromisePart } from 'roster-prediction/predicting';
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

/** The bytes of a batch beside what it holds: its rows in the tables, and the corrections of truths. */
const BATCH = 2048;

/** The bytes of a truth. */
const TRUTH = 8;

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
  readonly version: Pick<ServingVersion, 'model_id' | 'version'>;
}

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

/**
 * Stores batches of promises in one transaction.
 *
 * @throws {ProblemError} if the owner would store too much, or the model was deleted
 * @throws {StoreBusyError} if too many writes wait
 */
export function addPromises(
  store: Store,
  { id: answer_id, owner, project, act, version }: RememberedAnswer,
  batches: readonly PromisePart[],
): Promise<void> {
  const made = { model_id: version.model_id, version: version.version };
  return store.transaction(
    async ({ reads: db, limits }) => {
      const model = await KEEP_MODEL.first(db, { id: made.model_id });
      if (!model) {
        throw unavailable('The model was deleted while the rows arrived; nothing more is remembered.');
      }
      let stored = 0;
      for (const { first: first_row, rows: row_count, promises, ids, subject } of batches) {
        // Most answers are of a version that has promised before.
        if (subject && !(await HAS_RECORD.first(db, made))) {
          const state = JSON.stringify(startRecord(subject));
          await db
            .insertInto('records')
            .values({ ...made, state, subject: JSON.stringify(subject) })
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
        const { id } = newResource();
        const bytes = BATCH + promises.length + (ids?.length ?? 0) + TRUTH * row_count;
        const batch = { id, answer_id, first_row, row_count, ...made, owner, bytes };
        await INSERT_BATCH.first(db, { ...batch, has_ids: ids ? 1 : 0 });
        await INSERT_BYTES.first(db, { batch_id: id, ids, promises });
        stored += bytes;
      }
      await adjustStored(db, owner, stored, limits.stored);
    },
    { owner, project, act },
  );
}

/** Promises, of which the record keeps what they came to. */
export const PROMISES = describeRows('promises', {
  name: 'promises',
  key: ['id'],
  since: 'made_at',
  batch: 64,
  owned: STORED_ROWS,
});
