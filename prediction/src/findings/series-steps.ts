import { quote } from '../table/table-error.js';
import { describeStep } from '../table/time-grid.js';
import type { Finding } from './finding.js';
import {
  amongSeries,
  countPresent,
  countSeries,
  type LookedSeries,
  type LookedSeriesSet,
  listSeries,
  momentAt,
  nameSeries,
} from './series-view.js';
import { quantile } from './statistics.js';
import { showCount, showShare } from './words.js';

/** The fewest values on either side of a change, and the steps from one to the next on the side with fewer. */
const MIN_RUN = 6;
const MIN_STEPS = 3;

/** The share of the values on the other side that come more often. */
const MOSTLY = 0.9;

/** The share of the series in which the step changes. */
const MIN_CHANGED = 0.1;

/** Finds series whose values come at longer steps from some moment on, or until then, as daily ones and then monthly ones. */
export function findChangedStep(set: LookedSeriesSet): Finding[] {
  const { table, series } = set;
  const changed = series.flatMap((each) => {
    const change = changeOf(each);
    return change === undefined ? [] : [{ each, ...change }];
  });
  const [first] = changed;
  if (first === undefined || changed.length < MIN_CHANGED * series.length) return [];
  const rows = changed.reduce((sum, { rows: own }) => sum + own, 0);
  const when = momentAt(table, first.each.start + first.at);
  const whose = table.ends.length === 1 ? 'those' : `those of ${nameSeries(table, first.each.index)}`;
  return [
    {
      kind: 'changed_step',
      column: table.goal.orderBy,
      rows,
      share: Math.min(1, rows / table.rowCount),
      places: [],
      message: `The values of ${countSeries(set, changed.length)} come at longer steps ${first.isAfter ? 'from some moment on' : 'until some moment'}: ${whose} ${first.isAfter ? 'after' : 'before'} ${when} are ${showCount(first.steps)} steps of ${describeStep(table.grid.step)} apart.`,
      effect:
        'The series are laid on the shorter step, with gaps between their other values, so that these say little. Send values of one step, such as sums by month.',
      remedies: [],
    },
  ];
}

interface Change {
  /** The place of the value at which the step changes. */
  readonly at: number;
  readonly isAfter: boolean;
  /** The values at the longer step, and the steps between them. */
  readonly rows: number;
  readonly steps: number;
}

function changeOf({ values }: LookedSeries): Change | undefined {
  const present: number[] = [];
  for (let at = 0; at < values.length; at++) if (!Number.isNaN(values[at])) present.push(at);
  // Without gaps, the step is one.
  if (present.length === values.length || present.length <= 2 * MIN_RUN) return undefined;
  const steps = Float64Array.from(present.slice(1), (at, index) => at - (present[index] ?? 0));
  const isLong = (step: number) => step >= MIN_STEPS;
  const short = steps.findLastIndex((step) => !isLong(step)) + 1;
  const long = steps.findIndex((step) => !isLong(step));
  const after = describeRun(steps.subarray(short), steps.subarray(0, short));
  if (after) return { at: present[short] ?? 0, isAfter: true, ...after };
  const before = long < 0 ? undefined : describeRun(steps.subarray(0, long), steps.subarray(long));
  return before && { at: present[long] ?? 0, isAfter: false, ...before };
}

function describeRun(run: Float64Array, others: Float64Array): Pick<Change, 'rows' | 'steps'> | undefined {
  if (run.length < MIN_RUN || others.length < MIN_RUN) return undefined;
  const often = others.reduce((count, step) => count + Number(step < MIN_STEPS), 0);
  if (often < MOSTLY * others.length) return undefined;
  return { rows: run.length, steps: quantile(run.slice().sort(), 0.5) };
}

/** The share of the steps without a value, and the longest gap as a part of the longest series, that are worth saying. */
const MIN_GAPS = 0.05;
const MIN_LONGEST = 0.1;
const MIN_GAP = 3;

/** Finds that moments are missing between the first and the last value of series. */
export function findGaps(set: LookedSeriesSet): Finding[] {
  const { table, series } = set;
  const { gaps, longest_gap: longestGap, longest } = table.report;
  const share = gaps / Math.max(1, gaps + table.rowCount);
  const isLong = longestGap >= MIN_GAP && longestGap >= MIN_LONGEST * longest;
  if (gaps === 0 || (share < MIN_GAPS && !isLong)) return [];
  const worst = series.reduce<LookedSeries | undefined>(
    (one, other) => (missingIn(other) > (one ? missingIn(one) : 0) ? other : one),
    undefined,
  );
  const where = worst && table.ends.length > 1 ? `, most of them in ${listSeries(table, [worst])}` : '';
  return [
    {
      kind: 'series_gaps',
      column: table.goal.orderBy,
      rows: null,
      share: null,
      places: [],
      message: `${showCount(gaps)} steps of ${describeStep(table.grid.step)} (${showShare(share)}) between the first and the last value of their series have no value${where}; the longest gap has ${showCount(longestGap)}.`,
      effect:
        'A step without a row counts as unknown, not as 0. If nothing happened then, send rows of 0; else send the missing values.',
      remedies: [],
    },
  ];
}

function missingIn(series: LookedSeries): number {
  return series.values.length - countPresent(series);
}

/** A series of fewer values than this part of the usual is short, if the usual has enough of them. */
const SHORT = 0.2;
const MIN_USUAL = 20;
const MAX_SHORT_SHARE = 0.25;

/** Finds series far shorter than the others. */
export function findShort(set: LookedSeriesSet): Finding[] {
  const { table, series } = set;
  const lengths = Float64Array.from(series, countPresent);
  const usual = quantile(lengths.slice().sort(), 0.5);
  const short = series.filter((_, at) => (lengths[at] ?? 0) < SHORT * usual);
  if (usual < MIN_USUAL || short.length === 0 || short.length > MAX_SHORT_SHARE * series.length) return [];
  const rows = short.reduce((sum, each) => sum + countPresent(each), 0);
  return [
    {
      kind: 'short_series',
      column: table.target,
      rows,
      share: Math.min(1, rows / table.rowCount),
      places: [],
      message: `${showCount(short.length)} of ${amongSeries(set)} ${short.length === 1 ? 'has' : 'have'} fewer than a fifth of the usual ${showCount(usual)} values: ${listSeries(table, short)}.`,
      effect: 'Their forecasts follow those of the other series more than their own few values.',
      remedies: [],
    },
  ];
}

const MIN_CONSTANT = 8;

/** Finds series whose values are all the same. */
export function findConstantSeries(set: LookedSeriesSet): Finding[] {
  const { table, series } = set;
  const constant = series.filter(isConstant);
  if (constant.length === 0) return [];
  const rows = constant.reduce((sum, each) => sum + countPresent(each), 0);
  const named = table.ends.length > 1 ? `: ${listSeries(table, constant)}` : '';
  return [
    {
      kind: 'constant_series',
      column: table.target,
      rows,
      share: Math.min(1, rows / table.rowCount),
      places: [],
      message: `${quote(table.target)} has one value at all moments in ${countSeries(set, constant.length)}${named}.`,
      effect: 'Nothing can be learnt from it but to repeat the value, and it makes the mean error smaller.',
      remedies: [],
    },
  ];
}

function isConstant({ values }: LookedSeries): boolean {
  let [first, present] = [Number.NaN, 0];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    if (present === 0) first = value;
    else if (value !== first) return false;
    present++;
  }
  return present >= MIN_CONSTANT;
}
