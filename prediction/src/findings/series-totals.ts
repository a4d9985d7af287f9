import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import { countPresent, type LookedSeries, type LookedSeriesSet, listSeries } from './series-view.js';
import { isTotalLabel } from './totals-row.js';

/** The fewest moments, and the fewest other series, whose sum is no coincidence. */
const MIN_MOMENTS = 8;
const MIN_OTHERS = 2;

/** The share of the moments at which a total is the sum of the others. */
const HOLDS = 0.9;

/** How near it is, as a share: rounding alone, or, under a label, rows that are missing from the table. */
const EXACT = 1e-6;
const NEAR = 0.02;

/** Finds series that are the sums of the other series: of all, or of those that differ from them in one group alone. */
export function findTotalSeries(set: LookedSeriesSet): Finding[] {
  const { table, series } = set;
  // A part of the series has no sum.
  if (series.length < table.ends.length) return [];
  return table.goal.groupBy.flatMap((column, group): Finding[] => {
    const totals = partByOtherGroups(set, group).flatMap((alike) => findTotal(set, group, alike) ?? []);
    if (totals.length === 0) return [];
    const rows = totals.reduce((sum, each) => sum + countPresent(each), 0);
    const [are, sums] = totals.length === 1 ? ['is', 'the sum'] : ['are', 'the sums'];
    return [
      {
        kind: 'total_series',
        column,
        rows,
        share: Math.min(1, rows / table.rowCount),
        places: [],
        message: `By ${quote(column)}, ${listSeries(table, totals)} ${are} ${sums} of the other series.`,
        effect:
          'A total is learnt from like an ordinary series, its forecast does not add up with those of the others, and it outweighs them in errors of absolute size. Leave out its rows, or forecast it by itself.',
        remedies: [],
      },
    ];
  });
}

/** Parts series by all groups but one. */
function partByOtherGroups({ table, series }: LookedSeriesSet, group: number): LookedSeries[][] {
  const width = table.goal.groupBy.length;
  const parts = new Map<string, LookedSeries[]>();
  for (const each of series) {
    const codes = table.groupCodes.subarray(each.index * width, (each.index + 1) * width);
    const key = codes.filter((_, at) => at !== group).join();
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [each]);
    else part.push(each);
  }
  return [...parts.values()];
}

function findTotal(set: LookedSeriesSet, group: number, alike: readonly LookedSeries[]): LookedSeries | undefined {
  if (alike.length <= MIN_OTHERS) return undefined;
  const labelled = alike.find(({ index }) => isTotalLabel(labelOf(set, group, index)));
  const largest = alike.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one));
  const candidate = labelled ?? largest;
  return isSum(candidate, alike, labelled ? NEAR : EXACT) ? candidate : undefined;
}

function labelOf({ table }: LookedSeriesSet, group: number, index: number): string {
  const code = table.groupCodes[index * table.goal.groupBy.length + group] ?? 0;
  return table.groupTexts[group]?.[code] ?? '';
}

/** Returns the mean distance of the values from 0. */
function sizeOf({ values }: LookedSeries): number {
  let [sum, present] = [0, 0];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    sum += Math.abs(value);
    present++;
  }
  return present > 0 ? sum / present : 0;
}

function isSum(candidate: LookedSeries, alike: readonly LookedSeries[], tolerance: number): boolean {
  const { start, values } = candidate;
  const sums = new Float64Array(values.length);
  const added = new Uint32Array(values.length);
  for (const other of alike) {
    if (other === candidate) continue;
    const first = Math.max(0, start - other.start);
    const last = Math.min(other.values.length, start + values.length - other.start);
    for (let at = first; at < last; at++) {
      const value = other.values[at] ?? Number.NaN;
      if (!Number.isFinite(value) || value === 0) continue;
      const place = other.start + at - start;
      sums[place] = (sums[place] ?? 0) + value;
      added[place] = (added[place] ?? 0) + 1;
    }
  }
  let [judged, holding] = [0, 0];
  const different = new Set<number>();
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN;
    if (!Number.isFinite(value) || (added[at] ?? 0) < MIN_OTHERS) continue;
    judged++;
    if (Math.abs(value - (sums[at] ?? 0)) > tolerance * Math.abs(value)) continue;
    holding++;
    if (different.size < MIN_MOMENTS) different.add(value);
  }
  return different.size >= MIN_MOMENTS / 2 && judged >= MIN_MOMENTS && holding >= HOLDS * judged;
}
