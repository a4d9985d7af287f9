import type { Finding } from './finding.js';
import { amongSeries, endOf, type LookedSeries, type LookedSeriesSet, listSeries, momentAt } from './series-view.js';
import { quantile } from './statistics.js';
import { showCount, showShare } from './words.js';

/** The steps before a value that say what is usual, and the fewest values that are compared with those before them. */
const BEFORE = 6;
const MIN_COMPARED = 12;

/** An unfinished value is at most this part of the usual, and of the smallest part that any value before was. */
const MAX_PART = 0.7;
const MAX_OF_SMALLEST = 0.6;

/** Finds that the last value of the series is far below all that came before, as that of a month which has not ended. */
export function findPartialEnd(set: LookedSeriesSet, season: number): Finding[] {
  const length = season > 1 ? Math.max(3 * season, season + MIN_COMPARED + BEFORE) : 5 * MIN_COMPARED;
  const reaching = set.series.filter((each) => endOf(each) === set.end);
  const sum = addScaled(reaching, length) ?? addScaled(reaching, BEFORE + MIN_COMPARED + 1);
  if (sum === undefined) return [];
  const parts = comparePast(sum);
  const seasonal = season > 1 && sum.length > season + MIN_COMPARED ? compareSeason(sum, season) : parts;
  const isFar = (compared: Float64Array) => {
    const last = compared.at(-1) ?? 1;
    const smallest = compared.subarray(0, -1).reduce((least, each) => Math.min(least, each), 1);
    // Nothing at all is a value of rare events, and not a part of one.
    return compared.length > MIN_COMPARED && last > 0 && last <= MAX_PART && last <= MAX_OF_SMALLEST * smallest;
  };
  if (!isFar(parts) || !isFar(seasonal)) return [];
  return [
    {
      kind: 'partial_end',
      column: set.table.target,
      rows: reaching.length,
      share: Math.min(1, reaching.length / set.table.rowCount),
      places: [],
      message: `The values of ${momentAt(set.table, set.end)}, the last moment, are ${showShare(parts.at(-1) ?? 0)} of those before, in ${amongSeries(set)}: no earlier step fell as far, and the step may not have ended yet.`,
      effect: 'Forecasts begin at the last values: those of an unfinished step pull them down. Leave out its rows.',
      remedies: [],
    },
  ];
}

/**
 * Adds up the last values of series, each in units of its mean, in which all series count alike.
 *
 * @returns undefined unless some series have so many last values, all of them positive
 */
function addScaled(series: readonly LookedSeries[], length: number): Float64Array | undefined {
  const sum = new Float64Array(length);
  let added = 0;
  for (const { values } of series) {
    const last = values.subarray(-length);
    const total = last.reduce((all, value) => (value >= 0 ? all + value : Number.NaN), 0);
    if (last.length < length || !(total > 0) || total === Number.POSITIVE_INFINITY) continue;
    for (let at = 0; at < length; at++) sum[at] = (sum[at] ?? 0) + ((last[at] ?? 0) / total) * length;
    added++;
  }
  return 2 * added >= series.length && added > 0 ? sum : undefined;
}

/** Returns each value as a part of the median of those before it. */
function comparePast(sum: Float64Array): Float64Array {
  const parts = new Float64Array(sum.length - BEFORE);
  for (let at = BEFORE; at < sum.length; at++) {
    parts[at - BEFORE] = (sum[at] ?? 0) / quantile(sum.slice(at - BEFORE, at).sort(), 0.5);
  }
  return parts;
}

/** Returns each value as a part of that a season before. */
function compareSeason(sum: Float64Array, season: number): Float64Array {
  return sum.subarray(season).map((value, at) => value / (sum[at] ?? 0));
}

/** At most this part of the series ends early; where most do, ending is usual. */
const MAX_ENDED = 0.5;

/** Finds series whose last value is before that of the others. */
export function findEnded(set: LookedSeriesSet): Finding[] {
  const { table, series, end } = set;
  const { ended_early: ended, series: all } = table.report;
  if (ended === 0 || ended > MAX_ENDED * all) return [];
  const early = series.filter((each) => endOf(each) < end).sort((one, other) => endOf(one) - endOf(other));
  const [first] = early;
  if (first === undefined) return [];
  const shown = early.slice(0, 1);
  return [
    {
      kind: 'ended_series',
      column: table.goal.orderBy,
      rows: null,
      share: null,
      places: [],
      message: `${showCount(ended)} of ${showCount(all)} series ${ended === 1 ? 'ends' : 'end'} before ${momentAt(table, end)}, the last moment of the others: the earliest is ${listSeries(table, shown)}, which ends at ${momentAt(table, endOf(first))}.`,
      effect:
        'Forecasts of a series begin after its own last value, and so are about earlier moments than those of the others. Send its latest values, or leave it out if it has ended.',
      remedies: [],
    },
  ];
}
