import type { Kysely } from 'kysely';
import { decodeBins, type PromisedIds } from 'roster-prediction/predicting';
import { abortablePausing } from '../../common/pausing.js';
import { type Parameter, PreparedQuery } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { chunksBySize } from '../../store/rows.js';

const NOTHING = new Uint8Array();

/** Batches that are listed together. */
const LISTED = 1024;

/** Sorts behind every id. */
const LAST = 'g';

const LIST = new PreparedQuery((db, parameter: Parameter<{ model_id: string; before: string }>) =>
  db
    .selectFrom('promises')
    .select(['id', 'bytes'])
    .where('model_id', '=', parameter('model_id'))
    .where('has_ids', '=', 1)
    .where('id', '<', parameter('before'))
    .orderBy('id', 'desc')
    .limit(LISTED),
);

type Range = { readonly model_id: string; readonly first: string; readonly last: string };

function selectIds(db: Kysely<Database>, parameter: Parameter<Range>) {
  return db
    .selectFrom('promises')
    .innerJoin('promise_bytes', 'promise_bytes.batch_id', 'promises.id')
    .select(['id', 'version', 'ids'])
    .where('model_id', '=', parameter('model_id'))
    .where('has_ids', '=', 1)
    .where('id', '>=', parameter('first'))
    .where('id', '<=', parameter('last'))
    .orderBy('id', 'desc');
}

const READ = new PreparedQuery(selectIds);

/** Those of forecasts, whose only column is the step. */
const READ_STEPS = new PreparedQuery((db, parameter: Parameter<Range>) => selectIds(db, parameter).select('promises'));

/**
 * Reads the ids of the rows that a model has promised something for, the latest batches first.
 * @throws the reason of `signal`
 */
export async function* readPromisedIds(
  { work }: Store,
  { modelId, isForecast }: { readonly modelId: string; readonly isForecast: boolean },
  signal: AbortSignal,
): AsyncGenerator<PromisedIds> {
  const pause = abortablePausing(signal);
  for (let before = LAST; ; ) {
    const all = await LIST.all(work, { model_id: modelId, before });
    const entries = all.map(({ id, bytes }) => ({ id, bytes: Number(bytes) }));
    for (const part of chunksBySize(entries)) {
      const range = { model_id: modelId, first: part.at(-1)?.id ?? '', last: part[0]?.id ?? '' };
      const batches = isForecast
        ? await READ_STEPS.all(work, range)
        : (await READ.all(work, range)).map((batch) => ({ ...batch, promises: undefined }));
      const ids = Buffer.concat(batches.map((batch) => batch.ids ?? NOTHING));
      yield {
        batches: batches.map(({ id, version, ids }) => {
          return { id, version, rows: (ids?.length ?? 0) / Float64Array.BYTES_PER_ELEMENT };
        }),
        ids: new Float64Array(new Uint8Array(ids).buffer),
        steps: isForecast ? Buffer.concat(batches.map(readSteps)) : undefined,
      };
      await pause();
    }
    if (entries.length < LISTED) return;
    before = entries.at(-1)?.id ?? before;
  }
}

function readSteps({ promises }: { readonly promises?: Uint8Array | undefined }): Uint8Array {
  return (promises && decodeBins(promises)[0]) ?? NOTHING;
}
