import {
  decodeBins,
  decodePromises,
  isKept,
  type PromisedColumn,
  type PromiseSubject,
  type Promises,
  TruthSheet,
} from 'roster-prediction/predicting';
import { type Coverage, CoverageCounter, decodeSample, MAX_COMPARED, measureError } from 'roster-prediction/recording';
import { abortablePausing } from '../../common/pausing.js';
import { DAY_MS } from '../../store/clock-watch.js';
import type { Store } from '../../store/index.js';
import type { DriftRows } from './drift-job.js';

/** The grouping of promises; a column by its place in `PromiseSubject.columns`. */
export type Grouping = 'day' | 'week' | 'width' | { readonly column: number };

/** A group of promises, under its reported name. */
export type Group = Coverage & { readonly group: string };

/** The promises of a version. */
export interface RecordAddress {
  readonly modelId: string;
  readonly version: number;
}

/** Batches that are read together: some 100 kB each. */
const READ = 16;

/**
 * Reads the promises of a version, batch by batch, in the order in which they were made.
 * @throws the reason of `signal`
 */
async function* readBatches({ work }: Store, { modelId, version }: RecordAddress, signal: AbortSignal) {
  const pause = abortablePausing(signal);
  for (let after = ''; ; ) {
    const batches = await work
      .selectFrom('promises')
      .innerJoin('promise_bytes', 'promise_bytes.batch_id', 'promises.id')
      .select(['promises.id', 'made_at', 'row_count', 'truths', 'promise_bytes.promises'])
      .where('model_id', '=', modelId)
      .where('version', '=', version)
      .where('promises.id', '>', after)
      .orderBy('promises.id')
      .limit(READ)
      .execute();
    for (const { made_at, row_count, truths, promises } of batches) {
      yield {
        day: Math.floor(Number(made_at) / DAY_MS),
        batch: decodePromises(promises),
        sheet: TruthSheet.decode(row_count, truths),
      };
      await pause();
    }
    if (batches.length < READ) return;
    after = batches.at(-1)?.id ?? after;
  }
}

/** The most batches that the rows of a time are read from. */
const MAX_COMPARED_BATCHES = 2000;

/** The rows of two times, and the earlier one. */
export interface ComparedTimes {
  readonly rows: DriftRows;
  readonly since: 'training' | 'first_promises';
}

/**
 * Reads the bins of the latest promises of a version, and of a sample of the rows that it was trained on. Where that is
 * not known, it is compared with the earliest promises: no row is then of both times. Dates are left out, as they move
 * by themselves.
 * @throws the reason of `signal`
 */
export async function readDriftRows(
  store: Store,
  address: RecordAddress,
  { columns, task }: PromiseSubject,
  signal: AbortSignal,
): Promise<ComparedTimes | undefined> {
  const places = [...columns.keys()].filter((place) => columns[place]?.kind !== 'date');
  if (task === 'forecast' || places.length === 0) return undefined;
  const latest = await readEndBatches(store, address, 'desc');
  const sample = await readSample(store, address, columns.length);
  const first = sample ? [] : await readEndBatches(store, address, 'asc');
  const batches = await readBins(store, [...new Set([...first, ...latest])].sort(), signal);
  const total = batches.reduce((sum, [column]) => sum + (column?.length ?? 0), 0);
  const rows = Math.min(MAX_COMPARED, sample ? total : Math.floor(total / 2));
  const bins = places.map((place) => {
    const all = Buffer.concat(batches.map((columns) => columns[place] ?? new Uint8Array()));
    const then = sample?.[place] ?? all.subarray(0, rows);
    return Buffer.concat([then, all.subarray(all.length - rows)]);
  });
  const rowCount = bins[0]?.length ?? 0;
  return {
    since: sample ? 'training' : 'first_promises',
    rows: {
      rowCount,
      columnOf: places,
      binCounts: bins.map((column) => 1 + column.reduce((most, bin) => Math.max(most, bin), 0)),
      isCategory: places.map((place) => columns[place]?.kind === 'category'),
      isNow: Uint8Array.from({ length: rowCount }, (_, row) => Number(row >= rowCount - rows)),
      bins: Buffer.concat(bins),
    },
  };
}

/** Returns the ids of the first or the last batches of a version, with as many rows as are compared. */
async function readEndBatches(
  { work }: Store,
  { modelId, version }: RecordAddress,
  order: 'asc' | 'desc',
): Promise<string[]> {
  const batches = await work
    .selectFrom('promises')
    .select(['id', 'row_count'])
    .where('model_id', '=', modelId)
    .where('version', '=', version)
    .orderBy('id', order)
    .limit(MAX_COMPARED_BATCHES)
    .execute();
  let count = 0;
  const needed = batches.filter(({ row_count }) => {
    count += row_count;
    return count - row_count < MAX_COMPARED;
  });
  return needed.map(({ id }) => id);
}

async function readBins({ work }: Store, ids: readonly string[], signal: AbortSignal): Promise<Uint8Array[][]> {
  const batches: Uint8Array[][] = [];
  const pause = abortablePausing(signal);
  for (let at = 0; at < ids.length; at += READ) {
    const stored = await work
      .selectFrom('promise_bytes')
      .select('promises')
      .where('batch_id', 'in', ids.slice(at, at + READ))
      .orderBy('batch_id')
      .execute();
    for (const { promises } of stored) batches.push(decodeBins(promises));
    await pause();
  }
  return batches;
}

async function readSample(
  { work }: Store,
  { modelId, version }: RecordAddress,
  columns: number,
): Promise<Uint8Array[] | undefined> {
  const stored = await work
    .selectFrom('model_versions')
    .innerJoin('model_artifacts', 'model_artifacts.version_id', 'model_versions.id')
    .select('sample')
    .where('model_id', '=', modelId)
    .where('version', '=', version)
    .executeTakeFirst();
  return stored?.sample ? decodeSample(stored.sample, columns) : undefined;
}

/**
 * Counts the promises of a version by group, in the order of the groups.
 * @throws the reason of `signal`
 */
export async function groupPromises(
  store: Store,
  address: RecordAddress,
  subject: PromiseSubject,
  grouping: Grouping,
  signal: AbortSignal,
): Promise<Group[]> {
  const counter = new CoverageCounter<number>();
  for await (const { batch, sheet, day } of readBatches(store, address, signal)) {
    const keyOf = findKey(grouping, batch, day);
    if (typeof keyOf === 'number') counter.addPromises(keyOf, batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      const key = typeof keyOf === 'number' ? keyOf : keyOf(row);
      if (typeof keyOf !== 'number') counter.addPromises(key, 1);
      const truth = sheet.get(row);
      if (truth === undefined) continue;
      counter.addTruth(key, batch.level(row), isKept(batch, row, truth), measureError(batch, row, truth));
    }
  }
  const isFifths = grouping === 'width' && subject.classes.length === 0;
  if (isFifths) return [...counter.fifths()].map(nameWidths);
  return [...counter.entries()]
    .sort(([one], [other]) => one - other)
    .map(([key, coverage]) => ({ group: nameGroup(grouping, key, subject), ...coverage }));
}

/** Returns the group of all rows of a batch, or of each. */
function findKey(grouping: Grouping, { promised, bins }: Promises, day: number): number | ((row: number) => number) {
  if (grouping === 'day') return day;
  if (grouping === 'week') return findMonday(day);
  if (grouping !== 'width') {
    const column = bins[grouping.column];
    return (row) => column?.[row] ?? 0;
  }
  if (promised.kind === 'classes') {
    const { sets } = promised;
    const bytes = sets.length / Math.max(promised.likeliest.length, 1);
    return (row) => {
      let size = 0;
      for (let at = row * bytes; at < (row + 1) * bytes; at++) {
        for (let bits = sets[at] ?? 0; bits > 0; bits >>= 1) size += bits & 1;
      }
      return size;
    };
  }
  const { lower, upper } = promised;
  return (row) => widthKey((upper[row] ?? 0) - (lower[row] ?? 0));
}

/** Widths of a key differ by at most 3 %. */
const KEYS_OF_DOUBLING = 24;

function widthKey(width: number): number {
  return width > 0 ? Math.round(KEYS_OF_DOUBLING * Math.log2(width)) : Number.NEGATIVE_INFINITY;
}

function nameWidths([first, last, coverage]: [number, number, Coverage]): Group {
  const ends = [first, last].map((key) => short.format(2 ** (key / KEYS_OF_DOUBLING)));
  return { group: ends.join(' to '), ...coverage };
}

const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, useGrouping: false });

/** Returns the Monday of the week of a day, both in days since 1970, which began with a Thursday. */
function findMonday(day: number): number {
  return day - ((day + 3) % 7);
}

function nameGroup(grouping: Grouping, key: number, { columns }: PromiseSubject): string {
  if (grouping === 'width') return String(key);
  if (typeof grouping !== 'object') return new Date(key * DAY_MS).toISOString().slice(0, 10);
  const column = columns[grouping.column];
  return column === undefined ? '' : nameBin(column, key);
}

/** Names the values of a bin, as `PromisedColumn` explains them. */
function nameBin({ kind, cuts, categories, part }: PromisedColumn, bin: number): string {
  if (bin === 0) return 'missing';
  if (categories) return categories[bin - 1] ?? 'others';
  const format = (cut: number | undefined) => {
    if (cut === undefined) return '';
    return kind === 'date' && part === null ? formatMoment(cut) : short.format(cut);
  };
  const [low, high] = [format(cuts[bin - 2]), format(cuts[bin - 1])];
  if (low === '' && high === '') return 'all';
  if (low === '') return `up to ${high}`;
  return high === '' ? `above ${low}` : `${low} to ${high}`;
}

function formatMoment(moment: number): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? short.format(moment) : date.toISOString();
}
