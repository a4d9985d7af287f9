import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import { describeValues } from './looked-table.js';
import { findLimits } from './outliers.js';
import { showValue } from './remedies.js';
import { amongSeries, type LookedSeries, type LookedSeriesSet, momentAt, nameSeries } from './series-view.js';
import { quantile } from './statistics.js';
import { showCount } from './words.js';

/** The fewest values of a series whose spread is judged. */
const MIN_VALUES = 20;

/** The neighbours of a value on either side. */
const NEIGHBOURS = 2;

const MAX_NAMED = 3;

/**
 * Finds values of series that are far from all of their neighbours, and from those a season before and after. Distances
 * are in units of the usual one of their series, and judged together, as values of a column are.
 *
 * @param season in steps; 1 without one
 */
export function findSeriesOutliers(set: LookedSeriesSet, season: number): Finding[] {
  const { table, series } = set;
  const judged = series.flatMap((each) => {
    const distances = distancesOf(each.values, season);
    return distances === undefined ? [] : [{ each, distances }];
  });
  const size = judged.reduce((sum, { distances }) => sum + distances.length, 0);
  const all = new Float64Array(size);
  let filled = 0;
  for (const { distances } of judged) {
    all.set(distances, filled);
    filled += distances.length;
  }
  const rows = new Uint32Array(size).map((_, at) => at);
  const limits = findLimits(describeValues(table.target, all, rows), rows);
  if (limits === undefined) return [];
  const far = judged.flatMap(({ each, distances }) =>
    Array.from(distances.keys())
      .filter((at) => limits.isOutside(distances[at] ?? Number.NaN))
      .map((at) => ({ each, at, distance: Math.abs(distances[at] ?? 0) })),
  );
  if (far.length === 0) return [];
  far.sort((one, other) => other.distance - one.distance);
  const named = far.slice(0, MAX_NAMED).map(({ each, at }) => describeValue(set, each, at));
  const more = far.length > MAX_NAMED ? ` and ${showCount(far.length - MAX_NAMED)} more` : '';
  return [
    {
      kind: 'outliers',
      column: table.target,
      rows: far.length,
      share: Math.min(1, far.length / table.rowCount),
      places: [],
      message: `${far.length === 1 ? 'One value' : `${showCount(far.length)} values`} of ${quote(table.target)} in ${amongSeries(set)} ${far.length === 1 ? 'is' : 'are'} far from those before and after, and from those of other seasons: ${named.join('; ')}${more}.`,
      effect:
        'If the values are mistakes, forecasts of their series are pulled towards them, and intervals become wide.',
      remedies: [],
    },
  ];
}

function describeValue({ table }: LookedSeriesSet, { index, start, values }: LookedSeries, at: number): string {
  const where = table.goal.groupBy.length > 0 ? ` in ${nameSeries(table, index)}` : '';
  return `${showValue(values[at])} at ${momentAt(table, start + at)}${where}`;
}

/** Returns how far each value is from the nearest of its neighbours, with its sign, in units of the usual distance; undefined where there is no usual one. */
function distancesOf(values: Float64Array, season: number): Float64Array | undefined {
  const distances = new Float64Array(values.length).fill(Number.NaN);
  const lags = Array.from({ length: NEIGHBOURS }, (_, index) => index + 1);
  if (season > NEIGHBOURS) lags.push(season);
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN;
    let nearest = Number.POSITIVE_INFINITY;
    for (const lag of lags) {
      for (const other of [at - lag, at + lag]) {
        const distance = value - (values[other] ?? Number.NaN);
        if (Math.abs(distance) < Math.abs(nearest)) nearest = distance;
      }
    }
    if (Number.isFinite(nearest)) distances[at] = nearest;
  }
  const sizes = distances.filter(Number.isFinite).map(Math.abs).sort();
  const usual = quantile(sizes, 0.75);
  if (sizes.length < MIN_VALUES || !(usual > 0)) return undefined;
  return distances.map((distance) => distance / usual);
}
