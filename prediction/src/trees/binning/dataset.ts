import type { TableColumn } from '../../table/column.js';
import { type ColumnSummary, categoryShare, profileColumn, type ValueCount } from '../../table/column-profile.js';
import type { RowTable } from '../../table/table.js';
import { type BinnedFeature, chooseCuts, createEncoder, type Encoder, valueBinner } from './bin-mapper.js';
import { datePart, recurringParts } from './date-parts.js';
import { type StatisticTargets, targetStatistics } from './target-statistics.js';

/** The used columns of a table as bins. */
export interface BinnedFeatures {
  rowCount: number;
  /** Bins by feature, `rowCount` each. */
  bins: Uint8Array;
  /** The number of bins of each feature, including the bin for missing values. */
  binCounts: number[];
  /** True if the bins of a feature are categories, which have no order. */
  isCategory: boolean[];
  /** The index in the table of each feature's column; ascending. */
  columnOf: number[];
}

/** An input of the trees: a column, or a part of a date. */
export interface ModelFeature extends BinnedFeature {
  /** Index in `columns`. */
  readonly column: number;
  /** Ascending cuts between the bins of a number or a date; empty for categories. */
  readonly cuts: readonly number[];
}

/** Only the first date columns are split into parts, so that features stay few. */
const MAX_DATES_IN_PARTS = 20;

/**
 * Summarizes the columns, and bins those that can be used, as trees are grown on them.
 *
 * @param onColumn called after each column with the number of finished columns.
 * @param targets that columns of many values are summarised by; without them, such columns are categories alone.
 */
export function prepareTable(table: RowTable, onColumn: (done: number) => void = () => {}, targets?: StatisticTargets) {
  const columns: ColumnSummary[] = [];
  const features: ModelFeature[] = [];
  const ofFeatures: Uint8Array[] = [];
  const binCounts: number[] = [];
  const isCategory: boolean[] = [];
  const categoryBytes = categoryShare(table.columns.length);
  let datesInParts = 0;
  for (const [index, asSent] of table.columns.entries()) {
    const { summary, column, values } = profileColumn(asSent, categoryBytes);
    columns.push(summary);
    if (summary.used) {
      const parted = summary.kind === 'date' && datesInParts++ < MAX_DATES_IN_PARTS;
      for (const { part, cuts } of parted ? cutDate(values) : [cutMoment(values)]) {
        const encoder = createEncoder(summary, { cuts, part });
        features.push({ column: index, part, cuts });
        ofFeatures.push(binColumn(column, { part, cuts }, encoder));
        binCounts.push(encoder.binCount);
        isCategory.push(summary.kind === 'category');
      }
      if (targets && column.kind === 'text') {
        for (const { statistic, bins: ofStatistic, binCount } of targetStatistics(column, summary, targets)) {
          features.push({ column: index, part: null, cuts: [], statistic });
          ofFeatures.push(ofStatistic);
          binCounts.push(binCount);
          isCategory.push(false);
        }
      }
    }
    onColumn(index + 1);
  }
  const { rowCount } = table;
  const bins = new Uint8Array(ofFeatures.length * rowCount);
  for (const [feature, ofFeature] of ofFeatures.entries()) bins.set(ofFeature, feature * rowCount);
  const columnOf = features.map(({ column }) => column);
  const binned: BinnedFeatures = { rowCount, bins, binCounts, isCategory, columnOf };
  return { columns, features, binned };
}

type Cuts = Pick<ModelFeature, 'cuts' | 'part'>;

function cutMoment(values: readonly ValueCount[]): Cuts {
  return { part: null, cuts: chooseCuts(values) };
}

/** Returns the cuts of a date: those of the moment, and of each part that adds information. */
function cutDate(values: readonly ValueCount[]): Cuts[] {
  const parts = recurringParts(values.map(({ value }) => value));
  const cuts = parts.map((part): Cuts => {
    const counts = new Map<number, number>();
    for (const { value, count } of values) {
      const of = datePart(part, value);
      counts.set(of, (counts.get(of) ?? 0) + count);
    }
    const ofPart = [...counts].map(([value, count]) => ({ value, count }));
    return { part, cuts: chooseCuts(ofPart.sort((a, b) => a.value - b.value)) };
  });
  return [cutMoment(values), ...cuts];
}

function binColumn(column: TableColumn, { part, cuts }: Cuts, encoder: Encoder): Uint8Array {
  if (column.kind !== 'text') return Uint8Array.from(column.values, valueBinner(cuts, part));
  const binOfCode = Uint8Array.from([null, ...column.texts], (text) => encoder.bin(text));
  return Uint8Array.from(column.codes, (code) => binOfCode[code] ?? encoder.binOfOthers);
}

/** Returns a table of some of the rows, in the given order. */
export function takeRows(features: BinnedFeatures, rows: Uint32Array): BinnedFeatures {
  const { binCounts, rowCount } = features;
  const bins = new Uint8Array(binCounts.length * rows.length);
  for (const feature of binCounts.keys()) {
    const column = features.bins.subarray(feature * rowCount, (feature + 1) * rowCount);
    const begin = feature * rows.length;
    for (let index = 0; index < rows.length; index++) {
      bins[begin + index] = column[rows[index] ?? 0] ?? 0;
    }
  }
  return { ...features, rowCount: rows.length, bins };
}
