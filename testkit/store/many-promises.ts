import { newAnswerId } from '../../server/models/record/promise-rows.js';
import type { Store } from '../../server/store/index.js';
import { adjustStored } from '../../server/store/quota.js';
import { newResource } from '../../server/store/rows.js';
import { onePromise } from '../prediction/one-promise.js';

/** The bytes that a batch counts. */
const BYTES = 700;

/** Adds batches of one promise each of a model's first version, in few statements. */
export async function addManyPromises(
  store: Store,
  { owner, modelId }: { readonly owner: string; readonly modelId: string },
  count: number,
): Promise<void> {
  const answer_id = newAnswerId();
  const { promises } = onePromise();
  const batches = Array.from({ length: count }, (_, first_row) => {
    const { id } = newResource();
    return { id, answer_id, first_row, row_count: 1, model_id: modelId, version: 1, owner, has_ids: 0, bytes: BYTES };
  });
  await store.transaction(async ({ reads: db }) => {
    await db
      .insertInto('promises')
      .values(batches.map((batch) => ({ ...batch, made_at: Date.now() })))
      .execute();
    await db
      .insertInto('promise_bytes')
      .values(batches.map(({ id }) => ({ batch_id: id, ids: null, promises })))
      .execute();
    await adjustStored(db, owner, count * BYTES);
  });
}
