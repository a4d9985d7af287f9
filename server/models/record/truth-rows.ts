import type { Kysely } from 'kysely';
import {
  createTruthReader,
  decodePromises,
  isKept,
  type Pause,
  type PromiseSubject,
  type Promises,
  type SentTruth,
  type TruthGroup,
  TruthSheet,
} from 'roster-prediction/predicting';
import { addTruth, correctTruth, type RunningRecord } from 'roster-prediction/recording';
import { pausing } from '../../common/pausing.js';
import type { Act } from '../../store/audit.js';
import { getDialect } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { padToPowerOfTwo } from '../../store/rows.js';
import { type Batch, type ByBatch, locateTruths, type UnmetLines } from './locate-truths.js';

/** The model whose truths come. */
export interface TruthTarget {
  readonly owner: string;
  readonly project: string;
  readonly modelId: string;
  /** The event of the request, which the first transaction stores. */
  readonly act?: Act | undefined;
}

export interface MetTruths {
  matched: number;
  corrected: number;
  unchanged: number;
  /** By line of the body. */
  readonly unmet: UnmetLines;
}

/** The batches and their bytes that one transaction reads at most. */
const MAX_IN_TRANSACTION = { batches: 512, bytes: 8 * 1024 * 1024 };

/** The truths that are added without a look at the clock: with 100 classes, one takes about 30 µs. */
const WITHOUT_PAUSE = 64;

/**
 * Adds truths to the promises that they belong to, batch by batch, in transactions that each store some of them.
 *
 * @param pause lets other requests run
 * @throws {StoreBusyError} if too many writes wait; what earlier transactions stored is kept
 */
export async function addTruths(
  store: Store,
  target: TruthTarget,
  groups: readonly TruthGroup[],
  pause = pausing(),
): Promise<MetTruths> {
  const { located, unmet } = await locateTruths(store, target, groups);
  const met: MetTruths = { matched: 0, corrected: 0, unchanged: 0, unmet };
  for (const part of chunkBatches(located)) {
    const added = await store.transaction((tx) => addToBatches(tx.reads, target, part, pause), target);
    met.matched += added.matched;
    met.corrected += added.corrected;
    met.unchanged += added.unchanged;
    met.unmet.push(...added.unmet);
  }
  return met;
}

/** Splits batches into those of one transaction each. */
function* chunkBatches(located: ByBatch): Generator<ByBatch> {
  let part = new Map<Batch, readonly SentTruth[]>();
  let bytes = 0;
  for (const [batch, truths] of located) {
    const isFull = part.size >= MAX_IN_TRANSACTION.batches || bytes + Number(batch.bytes) > MAX_IN_TRANSACTION.bytes;
    if (isFull && part.size > 0) {
      yield part;
      part = new Map();
      bytes = 0;
    }
    part.set(batch, truths);
    bytes += Number(batch.bytes);
  }
  if (part.size > 0) yield part;
}

/** The record of a version while truths are added to it. */
interface OpenRecord {
  readonly version: number;
  readonly subject: PromiseSubject;
  readonly read: (value: unknown) => number | null;
  state: RunningRecord;
  isChanged: boolean;
  /** True if these truths raised the alarm. */
  isRaised: boolean;
}

/** Adds truths to batches of one model within a transaction. */
async function addToBatches(
  db: Kysely<Database>,
  { modelId }: TruthTarget,
  located: ByBatch,
  pause: Pause,
): Promise<MetTruths> {
  const met: MetTruths = { matched: 0, corrected: 0, unchanged: 0, unmet: [] };
  // The records first, as all who add truths: two of them to one version wait for each other.
  const versions = new Set([...located.keys()].map(({ version }) => version));
  const records = await lockRecords(db, modelId, [...versions]);
  const ids = [...located.keys()].map(({ id }) => id);
  const stored = await lockBatches(db, ids);
  for (const [{ id, version }, truths] of located) {
    const batch = stored.get(id);
    const record = records.get(version);
    if (!batch || !record) {
      // Swept since it was found.
      for (const { line, isLatest } of truths) if (isLatest) met.unmet.push([line, 'unknown-id']);
      continue;
    }
    const sheet = TruthSheet.decode(batch.row_count, batch.truths);
    const isChanged = await addToBatch(decodePromises(batch.promises), sheet, record, truths, met, pause);
    if (isChanged) {
      await db
        .updateTable('promises')
        .set({ truths: sheet.encode(), truth_count: sheet.count, truths_at: getDialect(db).now })
        .where('id', '=', id)
        .execute();
    }
    await pause();
  }
  for (const { version, state, isChanged, isRaised } of records.values()) {
    if (!isChanged) continue;
    await db
      .updateTable('records')
      .set({ state: JSON.stringify(state), ...(isRaised && { alarm_at: getDialect(db).now }) })
      .where('model_id', '=', modelId)
      .where('version', '=', version)
      .execute();
  }
  return met;
}

/** Adds the truths of one batch, and counts them; returns whether any changed what is stored. */
async function addToBatch(
  batch: Promises,
  sheet: TruthSheet,
  record: OpenRecord,
  truths: readonly SentTruth[],
  met: MetTruths,
  pause: Pause,
): Promise<boolean> {
  const now = Date.now();
  let isChanged = false;
  for (const [at, { line, row, value, isLatest }] of truths.entries()) {
    if (at % WITHOUT_PAUSE === WITHOUT_PAUSE - 1) await pause();
    const truth = record.read(value);
    if (truth === null || Number.isNaN(truth)) {
      // A version before the newest may list other words for missing values.
      if (isLatest) met.unmet.push([line, truth === null ? 'target-missing' : 'not-a-number']);
      continue;
    }
    const earlier = sheet.get(row);
    const became = sheet.set(row, truth, now);
    if (isLatest) met[became === 'new' ? 'matched' : became]++;
    if (became === 'unchanged') continue;
    isChanged = true;
    record.isChanged = true;
    if (earlier !== undefined) {
      record.state = correctTruth(record.state, { batch, row }, earlier, truth);
      continue;
    }
    const promise = { batch, row, isKept: isKept(batch, row, truth), isLatest };
    const before = record.state.alarm.raised_at;
    record.state = addTruth(record.state, record.subject, promise, truth);
    if (record.state.alarm.raised_at !== before) record.isRaised = true;
  }
  return isChanged;
}

/**
 * Returns the words that count as missing in the target, of the newest version that has promised something; undefined if
 * its release did not list them.
 */
export async function findTargetWords({ reads }: Store, modelId: string): Promise<readonly string[] | undefined> {
  const newest = await reads
    .selectFrom('records')
    .select('subject')
    .where('model_id', '=', modelId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!newest) return undefined;
  const { missing_words }: PromiseSubject = JSON.parse(newest.subject);
  return missing_words;
}

async function lockRecords(
  db: Kysely<Database>,
  modelId: string,
  versions: readonly number[],
): Promise<ReadonlyMap<number, OpenRecord>> {
  const rows = await db
    .selectFrom('records')
    .select(['version', 'state', 'subject'])
    .where('model_id', '=', modelId)
    .where('version', 'in', versions)
    .orderBy('version')
    .$if(getDialect(db).locksRows, (query) => query.forUpdate())
    .execute();
  return new Map(
    rows.map(({ version, state, subject }) => {
      const promised: PromiseSubject = JSON.parse(subject);
      const read = createTruthReader(promised);
      const record = { version, subject: promised, read, state: JSON.parse(state) };
      return [version, { ...record, isRaised: false, isChanged: false }];
    }),
  );
}

async function lockBatches(db: Kysely<Database>, ids: readonly string[]) {
  const rows = await db
    .selectFrom('promises')
    .innerJoin('promise_bytes', 'promise_bytes.batch_id', 'promises.id')
    .select(['promises.id', 'row_count', 'truths', 'promise_bytes.promises'])
    .where('promises.id', 'in', padToPowerOfTwo(ids))
    .orderBy('promises.id')
    .$if(getDialect(db).locksRows, (query) => query.forUpdate('promises'))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
