import type { ForecastTable } from '../table/series-table.js';
import { seasonLength } from '../table/time-grid.js';
import type { Finding } from './finding.js';
import { findSerialMoments } from './serial-moments.js';
import { findEnded, findPartialEnd } from './series-ends.js';
import { findSeriesOutliers } from './series-outliers.js';
import { findChangedStep, findConstantSeries, findGaps, findShort } from './series-steps.js';
import { findTotalSeries } from './series-totals.js';
import { lookAtSeries } from './series-view.js';

/** Finds what looks odd in the series of a forecast. Its time and memory are bounded, however many they are. */
export function inspectSeries(table: ForecastTable): Finding[] {
  const set = lookAtSeries(table);
  const season = seasonLength(table.grid);
  const changed = findChangedStep(set);
  return [
    ...findSerialMoments(table),
    ...findTotalSeries(set),
    ...findPartialEnd(set, season),
    ...changed,
    ...findSeriesOutliers(set, season),
    // Longer steps are gaps in the shorter ones.
    ...(changed.length > 0 ? [] : findGaps(set)),
    ...findEnded(set),
    ...findShort(set),
    ...findConstantSeries(set),
  ];
}
