import type { Kysely, Selectable } from 'kysely';
import {
  createTruthReader,
  decodePromises,
  isKept,
  NO_ID,
  type PromiseSubject,
  type Promises,
  type SentTruth,
  TruthSheet,
} from '../../../prediction/src/predicting.js';
import { addTruth, type RunningRecord } from '../../../prediction/src/recording.js';
import { pausing } from '../../common/pausing.js';
import type { Act } from '../../store/audit.js';
import { dialectOf } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { lookup, padToPowerOfTwo } from '../../store/rows.js';

/** The model whose truths come. */
export interface TruthTarget {
  readonly owner: string;
  readonly project: string;
  readonly modelId: string;
  /** True if truths without an id of a row are steps of series. */
  readonly isForecast?: boolean;
  /** The event of the request, which the first transaction stores. */
  readonly act?: Act | undefined;
}

/** The reason why a truth meets no promise. */
export type Unmet = 'unknown-id' | 'other-model' | 'not-a-number';

export interface MetTruths {
  matched: number;
  corrected: number;
  unchanged: number;
  /** By line of the body. */
  readonly unmet: [line: number, why: Unmet][];
}

type Batch = Pick<
  Selectable<Database['promises']>,
  'id' | 'answer_id' | 'first_row' | 'row_count' | 'model_id' | 'version' | 'bytes'
>;

/** A truth, and the place of its promise in a batch. */
interface Located {
  readonly line: number;
  readonly row: number;
  readonly value: string | number;
  /** False for an earlier forecast of the same moment, which the latest one is counted for. */
  readonly isLatest: boolean;
}

/** The batches and their bytes that one transaction reads at most. */
const MAX_IN_TRANSACTION = { batches: 512, bytes: 8 * 1024 * 1024 };

/**
 * Adds truths to the promises that they belong to, batch by batch, in transactions that each store some of them.
 *
 * @throws {StoreBusyError} if too many writes wait; what earlier transactions stored is kept
 */
export async function addTruths(
  store: Store,
  target: TruthTarget,
  truths: readonly SentTruth[],
): Promise<MetTruths> {
  const met: MetTruths = { matched: 0, corrected: 0, unchanged: 0, unmet: [] };
  const located = await locate(store, target, truths, met);
  for (const part of chunkBatches(located)) {
    const added = await store.transaction((tx) => addToBatches(tx.reads, target, part), target);
    met.matched += added.matched;
    met.corrected += added.corrected;
    met.unchanged += added.unchanged;
    met.unmet.push(...added.unmet);
  }
  return met;
}

type ByBatch = ReadonlyMap<Batch, readonly Located[]>;

/** Finds the promise of each truth, and tells those that have none. */
async function locate(
  store: Store,
  target: TruthTarget,
  truths: readonly SentTruth[],
  { unmet }: MetTruths,
): Promise<ByBatch> {
  const located = new Map<string, { readonly batch: Batch; readonly truths: Located[] }>();
  const add = (batch: Batch, truth: Located) => {
    const others = located.get(batch.id);
    if (others) others.truths.push(truth);
    else located.set(batch.id, { batch, truths: [truth] });
  };
  const byAnswer = await findBatches(store, target.owner, truths);
  const byHash = new Map<number, SentTruth>();
  for (const truth of truths) {
    const [line, key, value] = truth;
    if (typeof key === 'number') {
      byHash.set(key, truth);
      continue;
    }
    const [answer, row] = key;
    const batch = batchOf(byAnswer.get(answer) ?? [], row);
    if (!batch) unmet.push([line, 'unknown-id']);
    else if (batch.model_id !== target.modelId) unmet.push([line, 'other-model']);
    else add(batch, { line, row: row - batch.first_row, value, isLatest: true });
  }
  const found = await findHashes(store, target, byHash, add);
  for (const [hash, [line]] of byHash) if (!found.has(hash)) unmet.push([line, 'unknown-id']);
  // Ids are found from the latest promise back, and truths are taken in the order of the promises.
  const inOrder = [...located.values()].sort((one, other) =>
    one.batch.id < other.batch.id ? -1 : 1,
  );
  return new Map(
    inOrder.map(({ batch, truths }) => [batch, truths.sort((one, other) => one.row - other.row)]),
  );
}

const BATCH_COLUMNS = [
  'id',
  'answer_id',
  'first_row',
  'row_count',
  'model_id',
  'version',
  'bytes',
] as const;

/** Finds the batches of answers of an owner, by answer in the order of their rows. */
async function findBatches(
  { work }: Store,
  owner: string,
  truths: readonly SentTruth[],
): Promise<ReadonlyMap<string, Batch[]>> {
  const answers = new Set<string>();
  for (const [, key] of truths) if (typeof key !== 'number') answers.add(key[0]);
  const batches = await lookup([...answers], (some) =>
    work
      .selectFrom('promises')
      .select(BATCH_COLUMNS)
      .where('owner', '=', owner)
      .where('answer_id', 'in', some)
      .orderBy('answer_id')
      .orderBy('first_row')
      .execute(),
  );
  const byAnswer = new Map<string, Batch[]>();
  for (const batch of batches) {
    const others = byAnswer.get(batch.answer_id);
    if (others) others.push(batch);
    else byAnswer.set(batch.answer_id, [batch]);
  }
  return byAnswer;
}

/** Returns the batch of a row, of batches in order. */
function batchOf(batches: readonly Batch[], row: number): Batch | undefined {
  let [low, high] = [0, batches.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((batches[middle]?.first_row ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  const batch = batches[low - 1];
  return batch && row < batch.first_row + batch.row_count ? batch : undefined;
}

/** More than there are groups of steps. */
const MAX_STEPS = 256;

/** Batches whose ids are read together. */
const SCANNED = 32;

/**
 * Looks for ids among the promises of a model, the newest first: of several promises of one id, the latest meets the
 * truth, and of several forecasts of one moment, the latest of each step and version.
 *
 * @returns the ids that were found
 */
async function findHashes(
  { work }: Store,
  { modelId, isForecast }: TruthTarget,
  wanted: ReadonlyMap<number, SentTruth>,
  add: (batch: Batch, truth: Located) => void,
): Promise<ReadonlyMap<number, unknown>> {
  const pause = pausing();
  /** By id, the steps and versions that were met: of rows that are no forecasts, one. */
  const found = new Map<number, Set<number>>();
  for (let before: string | undefined; isForecast ? wanted.size > 0 : found.size < wanted.size; ) {
    const batches = await work
      .selectFrom('promises')
      .innerJoin('promise_bytes', 'promise_bytes.batch_id', 'promises.id')
      .select([...BATCH_COLUMNS, 'promise_bytes.ids'])
      .where('model_id', '=', modelId)
      .where('has_ids', '=', 1)
      .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
      .orderBy('id', 'desc')
      .limit(SCANNED)
      .execute();
    for (const { ids, ...batch } of batches) {
      if (ids === null) continue;
      const hashes = new Float64Array(new Uint8Array(ids).buffer);
      let steps: Uint8Array | undefined;
      for (let row = hashes.length - 1; row >= 0; row--) {
        const hash = hashes[row] ?? NO_ID;
        const truth = wanted.get(hash);
        if (truth === undefined || hash === NO_ID) continue;
        const met = found.get(hash) ?? new Set();
        if (isForecast) steps ??= await readSteps(work, batch.id);
        const step = steps ? MAX_STEPS * batch.version + (steps[row] ?? 0) : 0;
        if (met.has(step)) continue;
        const [line, , value] = truth;
        add(batch, { line, row, value, isLatest: met.size === 0 });
        found.set(hash, met.add(step));
      }
      await pause();
    }
    if (batches.length < SCANNED) break;
    before = batches.at(-1)?.id;
  }
  return found;
}

/** Reads the groups of the steps of a batch of forecasts, by row. */
async function readSteps(db: Kysely<Database>, id: string): Promise<Uint8Array> {
  const stored = await db
    .selectFrom('promise_bytes')
    .select('promises')
    .where('batch_id', '=', id)
    .executeTakeFirst();
  const [steps = new Uint8Array()] = stored ? decodePromises(stored.promises).bins : [];
  return steps;
}

/** Splits batches into those of one transaction each. */
function* chunkBatches(located: ByBatch): Generator<ByBatch> {
  let part = new Map<Batch, readonly Located[]>();
  let bytes = 0;
  for (const [batch, truths] of located) {
    const isFull =
      part.size >= MAX_IN_TRANSACTION.batches ||
      bytes + Number(batch.bytes) > MAX_IN_TRANSACTION.bytes;
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
): Promise<MetTruths> {
  const met: MetTruths = { matched: 0, corrected: 0, unchanged: 0, unmet: [] };
  // The records first, as all who add truths: two of them to one model wait for each other.
  const records = await lockRecords(db, modelId);
  const ids = [...located.keys()].map(({ id }) => id);
  const stored = await lockBatches(db, ids);
  const pause = pausing();
  for (const [{ id, version }, truths] of located) {
    const batch = stored.get(id);
    const record = records.get(version);
    if (!batch || !record) {
      // Swept since it was found.
      for (const { line, isLatest } of truths) if (isLatest) met.unmet.push([line, 'unknown-id']);
      continue;
    }
    const sheet = TruthSheet.decode(batch.row_count, batch.truths);
    const isChanged = addToBatch(decodePromises(batch.promises), sheet, record, truths, met);
    if (isChanged) {
      await db
        .updateTable('promises')
        .set({
          ...{ truths: sheet.encode(), truth_count: sheet.count },
          truths_at: dialectOf(db).now,
        })
        .where('id', '=', id)
        .execute();
    }
    await pause();
  }
  for (const { version, state, isChanged, isRaised } of records.values()) {
    if (!isChanged) continue;
    await db
      .updateTable('records')
      .set({
        state: JSON.stringify(state),
        ...(isRaised && { alarm_at: dialectOf(db).now }),
      })
      .where('model_id', '=', modelId)
      .where('version', '=', version)
      .execute();
  }
  return met;
}

/** Adds the truths of one batch, and counts them; returns whether any changed what is stored. */
function addToBatch(
  batch: Promises,
  sheet: TruthSheet,
  record: OpenRecord,
  truths: readonly Located[],
  met: MetTruths,
): boolean {
  const now = Date.now();
  let isChanged = false;
  for (const { line, row, value, isLatest } of truths) {
    const truth = record.read(value);
    if (truth === null || Number.isNaN(truth)) {
      if (isLatest) met.unmet.push([line, 'not-a-number']);
      continue;
    }
    const became = sheet.set(row, truth, now);
    if (became !== 'unchanged') isChanged = true;
    if (isLatest) met[became === 'new' ? 'matched' : became]++;
    if (became !== 'new') continue;
    const promise = { batch, row, isKept: isKept(batch, row, truth), isLatest };
    const before = record.state.alarm.raised_at;
    record.state = addTruth(record.state, record.subject, promise, truth);
    if (record.state.alarm.raised_at !== before) record.isRaised = true;
    record.isChanged = true;
  }
  return isChanged;
}

async function lockRecords(
  db: Kysely<Database>,
  modelId: string,
): Promise<ReadonlyMap<number, OpenRecord>> {
  const rows = await db
    .selectFrom('records')
    .select(['version', 'state', 'subject'])
    .where('model_id', '=', modelId)
    .orderBy('version')
    .$if(dialectOf(db).locksRows, (query) => query.forUpdate())
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
    .$if(dialectOf(db).locksRows, (query) => query.forUpdate('promises'))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
