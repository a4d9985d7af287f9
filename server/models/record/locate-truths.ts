import type { Selectable } from 'kysely';
import { MAX_ROWS, type SentTruth, type TruthGroup } from 'roster-prediction/predicting';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { lookup } from '../../store/rows.js';

/** The reason why a truth meets no promise. */
export type Unmet = 'unknown-id' | 'other-model' | 'target-missing' | 'not-a-number';

/** The lines of a body whose truths meet no promise. */
export type UnmetLines = [line: number, why: Unmet][];

const BATCH_COLUMNS = [
  ...(['id', 'answer_id', 'first_row', 'row_count'] as const),
  ...(['model_id', 'version', 'bytes'] as const),
] as const;

export type Batch = Pick<Selectable<Database['promises']>, (typeof BATCH_COLUMNS)[number]>;

/** By batch in the order of the promises, truths by their row in it. */
export type ByBatch = ReadonlyMap<Batch, readonly SentTruth[]>;

/** Finds the batch of each truth, and reports truths that have none. */
export async function locateTruths(
  store: Store,
  { owner, modelId }: { readonly owner: string; readonly modelId: string },
  groups: readonly TruthGroup[],
): Promise<{ readonly located: ByBatch; readonly unmet: UnmetLines }> {
  const located = new Map<string, { readonly batch: Batch; readonly truths: SentTruth[] }>();
  const unmet: UnmetLines = [];
  const batches = await findBatches(store, owner, groups);
  for (const { kind, id, truths } of groups) {
    const own = batches.get(id) ?? [];
    let at = 0;
    for (const truth of truths) {
      while (kind === 'answer' && truth.row >= (own[at + 1]?.first_row ?? Number.POSITIVE_INFINITY)) at++;
      const batch = own[at];
      const row = truth.row - (batch && kind === 'answer' ? batch.first_row : 0);
      const isKnown = batch !== undefined && row >= 0 && row < batch.row_count;
      if (!isKnown) unmet.push([truth.line, 'unknown-id']);
      else if (batch.model_id !== modelId) unmet.push([truth.line, 'other-model']);
      else {
        const others = located.get(batch.id);
        if (others) others.truths.push({ ...truth, row });
        else located.set(batch.id, { batch, truths: [{ ...truth, row }] });
      }
    }
  }
  const inOrder = [...located.values()].sort((one, other) => (one.batch.id < other.batch.id ? -1 : 1));
  return { located: new Map(inOrder.map(({ batch, truths }) => [batch, truths])), unmet };
}

/** Finds the batches of truths: by the id of an answer those of its rows, in their order, or by its own id one. */
async function findBatches(
  { work }: Store,
  owner: string,
  groups: readonly TruthGroup[],
): Promise<ReadonlyMap<string, readonly Batch[]>> {
  const listIds = (kind: TruthGroup['kind']) => groups.flatMap((group) => (group.kind === kind ? [group.id] : []));
  const byId = await lookup(listIds('batch'), (ids) =>
    work.selectFrom('promises').select(BATCH_COLUMNS).where('id', 'in', ids).execute(),
  );
  const found = new Map<string, Batch[]>(byId.map((batch) => [batch.id, [batch]]));
  // The truths of an answer may come in many chunks: each reads the batches of its own rows.
  const [first, last] = findRows(groups);
  const byAnswer = await lookup(listIds('answer'), (ids) =>
    work
      .selectFrom('promises')
      .select(BATCH_COLUMNS)
      .where('owner', '=', owner)
      .where('answer_id', 'in', ids)
      .where('first_row', '>', first - MAX_ROWS)
      .where('first_row', '<=', last)
      .orderBy('answer_id')
      .orderBy('first_row')
      .execute(),
  );
  for (const batch of byAnswer) {
    const others = found.get(batch.answer_id);
    if (others) others.push(batch);
    else found.set(batch.answer_id, [batch]);
  }
  return found;
}

/** Returns the first and the last row of answers that have truths. */
function findRows(groups: readonly TruthGroup[]): [first: number, last: number] {
  let [first, last] = [Number.POSITIVE_INFINITY, -1];
  for (const { kind, truths } of groups) {
    if (kind !== 'answer') continue;
    first = Math.min(first, truths[0]?.row ?? first);
    last = Math.max(last, truths.at(-1)?.row ?? last);
  }
  return [first, last];
}
