import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import type { LookedColumn, LookedTable, LookedTarget } from './looked-table.js';
import { hasTimeName, isRowNumber } from './plain-columns.js';
import { correlation, ranks, successiveRatio } from './statistics.js';

const MIN_ROWS = 50;
const MIN_MOMENTS = 20;

/** The rank correlation of time and the order of the rows (Spearman 1904), in either direction. */
const SORTED = 0.99;

/** The largest ratio of von Neumann (1941; on ranks, Bartels 1982) of a target that drifts, and its deviations from 2. */
const MAX_RATIO = 1.3;
const MIN_DEVIATIONS = 6;

const YEARS = [1500, 2200] as const;
/** Finds that the rows are in the order of a column of time, and that the target drifts along it. */
export function findTimeOrder(table: LookedTable): Finding[] {
  const { target, columns, rowCount } = table;
  if (target === null || table.rows.length < MIN_ROWS) return [];
  const time = columns.find((column) => isTime(table, column) && isSorted(column));
  if (time === undefined || !drifts(target)) return [];
  return [
    {
      kind: 'time_order',
      column: time.name,
      rows: rowCount,
      share: 1,
      places: [],
      message: `The rows are in the order of ${quote(time.name)}, and the target ${quote(target.name)} of successive rows is alike.`,
      effect:
        'The error is measured on rows between those that the model has learnt from, which flatters it: later rows are harder to predict. Measure it on the last rows, or make a forecast (order_by).',
      remedies: [
        { parameter: 'validate', value: 'last' },
        { parameter: 'order_by', value: time.name },
      ],
    },
  ];
}

function isTime(table: LookedTable, column: LookedColumn): boolean {
  const { kind, name, sample } = column;
  if (kind === 'date') return true;
  if (kind !== 'number' || !hasTimeName(name)) return false;
  if (isRowNumber(table, column)) return true;
  const present = sample.filter((value) => !Number.isNaN(value));
  return present.every((value) => Number.isFinite(value) && value >= YEARS[0] && value <= YEARS[1]);
}

/** Series that follow each other, each in the order of time, are not: steps back would be few, but far. */
function isSorted({ sample, distinct }: LookedColumn): boolean {
  if (distinct < MIN_MOMENTS) return false;
  const order = Float64Array.from(sample, (_, at) => at);
  return Math.abs(correlation(ranks(sample), order)) >= SORTED;
}

function drifts({ sample, classes }: LookedTarget): boolean {
  const values = classes === null ? sample : sample.map((value) => Number(value === 0));
  const ratio = successiveRatio(values);
  // In random order the ratio has a variance of about 4 / n (Bartels 1982).
  return ratio <= MAX_RATIO && (2 - ratio) / Math.sqrt(4 / values.length) >= MIN_DEVIATIONS;
}
