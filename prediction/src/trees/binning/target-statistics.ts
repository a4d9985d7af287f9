import { textReader } from '../../table/cells.js';
import type { TextColumn } from '../../table/column.js';
import { type ColumnSummary, countValues, MAX_CATEGORIES } from '../../table/column-profile.js';
import { chooseCuts, type ValueBins, valueBinner } from './bin-mapper.js';

/** The targets that values of a column are summarised by, and the rows that each row may learn from. */
export interface StatisticTargets {
  /** For each statistic a number by row: the target, or 1 for the rows of a class and 0 for all others. */
  readonly targets: readonly Float64Array[];
  /** All rows; each learns from those before it. */
  readonly order: Uint32Array;
  /** By row a number of its block, rows side by side in the order that do not learn from each other; 0 for a row alone. */
  readonly blockOf?: ArrayLike<number> | undefined;
}

/** A statistic as a feature: the bins of the rows of the table, and those of values of new rows. */
export interface TargetStatistic {
  readonly statistic: ValueBins;
  /** By row. */
  readonly bins: Uint8Array;
  /** The number of bins, including that of missing values. */
  readonly binCount: number;
}

/** The most values of a column that a statistic is kept of, and their most bytes of JSON, for all statistics of a column. */
const MAX_VALUES = 10_000;
const MAX_BYTES = 256 * 1024;

/** The longest value, in characters. */
const MAX_LENGTH = 200;

/** The number of rows with the mean of all that are added to each value (Micci-Barreca 2001). */
const SMOOTHING = 10;

/**
 * Yields statistics of the values of a column that has more of them than trees can distinguish as categories: for each
 * value the mean target of its rows, drawn towards the mean of all (Micci-Barreca 2001). A row of the table gets the
 * mean of the rows before it in random order (ordered target statistics, Prokhorenkova et al. 2018). With folds, rows
 * that train would show what the target of a row is that tests. New rows get the mean of all rows of the table.
 */
export function* targetStatistics(
  { texts, codes }: TextColumn,
  { missing_words: words }: Pick<ColumnSummary, 'missing_words'>,
  { targets, order, blockOf }: StatisticTargets,
): Generator<TargetStatistic> {
  if (texts.length <= MAX_CATEGORIES) return;
  const readText = textReader(words);
  const isMissing = Uint8Array.from([null, ...texts, null], (text, code) =>
    code === 0 || (text !== null && readText(text) === '') ? 1 : 0,
  );
  const rows = new Uint32Array(texts.length + 2);
  for (const code of codes) rows[code] = (rows[code] ?? 0) + 1;
  const kept = chooseValues(texts, rows, isMissing, MAX_BYTES / targets.length);
  const coded = { texts, codes, isMissing, kept, order, blockOf };
  for (const target of targets) {
    const found = summarise(target, coded);
    if (found) yield found;
  }
}

/** Returns the codes of the values that have a statistic, most frequent first. */
function chooseValues(texts: readonly string[], rows: Uint32Array, isMissing: Uint8Array, bytes: number): number[] {
  const codes = texts
    .map((_, index) => index + 1)
    .filter((code) => isMissing[code] === 0 && (rows[code] ?? 0) > 0)
    .sort((one, other) => (rows[other] ?? 0) - (rows[one] ?? 0) || one - other);
  const kept: number[] = [];
  let room = bytes;
  for (const code of codes) {
    const text = texts[code - 1] ?? '';
    if (text.length > MAX_LENGTH) continue;
    room -= Buffer.byteLength(JSON.stringify(text)) + 1;
    if (room < 0 || kept.length === MAX_VALUES) break;
    kept.push(code);
  }
  return kept;
}

interface CodedRows extends Omit<StatisticTargets, 'targets'>, Pick<TextColumn, 'texts' | 'codes'> {
  readonly isMissing: Uint8Array;
  readonly kept: readonly number[];
}

/** Returns one statistic; undefined if it is the same for all rows. */
function summarise(target: Float64Array, { texts, codes, isMissing, kept, order, blockOf }: CodedRows) {
  const mean = target.reduce((sum, value) => sum + value, 0) / Math.max(target.length, 1);
  const isKept = new Uint8Array(texts.length + 2);
  for (const code of kept) isKept[code] = 1;
  const sums = new Float64Array(texts.length + 2);
  const counts = new Uint32Array(texts.length + 2);
  const statisticOf = (code: number) => {
    if (isMissing[code]) return Number.NaN;
    return isKept[code] ? ((sums[code] ?? 0) + SMOOTHING * mean) / ((counts[code] ?? 0) + SMOOTHING) : mean;
  };
  const values = new Float64Array(codes.length);
  for (let begin = 0, end = 0; begin < order.length; begin = end) {
    const block = blockOf?.[order[begin] ?? 0] ?? 0;
    end++;
    while (block !== 0 && end < order.length && blockOf?.[order[end] ?? 0] === block) end++;
    const rows = order.subarray(begin, end);
    for (const row of rows) values[row] = statisticOf(codes[row] ?? 0);
    for (const row of rows) {
      const code = codes[row] ?? 0;
      sums[code] = (sums[code] ?? 0) + (target[row] ?? 0);
      counts[code] = (counts[code] ?? 0) + 1;
    }
  }
  const cuts = chooseCuts(countValues(values));
  if (cuts.length === 0) return undefined;
  const binOf = valueBinner(cuts, null);
  const statistic: ValueBins = {
    texts: kept.map((code) => texts[code - 1] ?? ''),
    bins: kept.map((code) => binOf(statisticOf(code))),
    others: binOf(mean),
  };
  return { statistic, bins: Uint8Array.from(values, binOf), binCount: cuts.length + 2 };
}
