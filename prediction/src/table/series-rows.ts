import { formatMoment } from './moments.js';
import type { Place } from './reading/column-reading.js';
import type { SeriesReport } from './series-table.js';
import { FaultList, quote, TableError } from './table-error.js';
import { describeStep, findMoment, findPosition, type TimeGrid } from './time-grid.js';

/** Steps of all series, gaps among them: so many times the rows, and some more. */
const MAX_GRID_SHARE = 20;
const MIN_GRID = 10_000;

/** More duplicates than this share of the rows are series that were not distinguished. */
const MAX_DUPLICATE_SHARE = 0.01;

/** Rows by group. */
export interface SortedRows {
  readonly rows: Uint32Array;
  /** By group, the end of its rows. */
  readonly ends: Uint32Array;
}

/** Sorts rows by their group; those of one group keep their order. */
export function groupRows(groupOf: Uint32Array, count: number): SortedRows {
  const ends = new Uint32Array(count);
  for (const group of groupOf) ends[group] = (ends[group] ?? 0) + 1;
  // First the starts, which become the ends as the rows are filled in.
  let sum = 0;
  for (let group = 0; group < count; group++) {
    const size = ends[group] ?? 0;
    ends[group] = sum;
    sum += size;
  }
  const rows = new Uint32Array(groupOf.length);
  for (let row = 0; row < groupOf.length; row++) {
    const group = groupOf[row] ?? 0;
    const at = ends[group] ?? 0;
    rows[at] = row;
    ends[group] = at + 1;
  }
  return { rows, ends };
}

/** Sorts rows by series, and in each by moment; of two of one moment, the later one is last. */
export function sortRows(seriesOf: Uint32Array, count: number, moments: Float64Array): SortedRows {
  const { rows, ends } = groupRows(seriesOf, count);
  let start = 0;
  for (const end of ends) {
    const ofSeries = rows.subarray(start, end);
    if (!isAscending(ofSeries, moments)) {
      ofSeries.sort((one, other) => (moments[one] ?? 0) - (moments[other] ?? 0) || one - other);
    }
    start = end;
  }
  return { rows, ends };
}

function isAscending(rows: Uint32Array, moments: Float64Array): boolean {
  for (let at = 1; at < rows.length; at++) {
    if ((moments[rows[at] ?? 0] ?? 0) < (moments[rows[at - 1] ?? 0] ?? 0)) return false;
  }
  return true;
}

/** Finds the cell of each row on the grid, and the findings about them. */
export function placeRows(
  grid: TimeGrid,
  moments: Float64Array,
  { rows, ends: rowEnds }: SortedRows,
  orderBy: string,
  placeOf: (row: number) => Place,
) {
  const name = quote(orderBy);
  const toError = (row: number, message: string) => new TableError([{ message, column: orderBy, ...placeOf(row) }]);
  const faults = new FaultList();
  const cells = new Uint32Array(rows.length);
  const starts = new Float64Array(rowEnds.length);
  const ends = new Uint32Array(rowEnds.length);
  const lasts = new Float64Array(rowEnds.length);
  const maxSize = Math.max(MIN_GRID, MAX_GRID_SHARE * rows.length);
  let [size, gaps, longestGap, duplicates] = [0, 0, 0, 0];
  const maxRepeated = MAX_DUPLICATE_SHARE * rows.length;
  const repeated: number[] = [];
  let firstDuplicate: [number, number] | undefined;
  let [shortest, longest] = [Number.POSITIVE_INFINITY, 0];
  let from = 0;
  for (let series = 0; series < rowEnds.length; series++) {
    const to = rowEnds[series] ?? 0;
    let start = 0;
    let last = Number.NEGATIVE_INFINITY;
    for (let at = from; at < to; at++) {
      const row = rows[at] ?? 0;
      const moment = moments[row] ?? 0;
      const position = findPosition(grid, moment);
      if (position === undefined) {
        const shown = formatMoment(grid.form, moment);
        const message = `${shown} in the column ${name} is not a whole number of steps of ${describeStep(grid.step)} from the other rows. Correct it, or leave the row out.`;
        faults.add({ message, column: orderBy, ...placeOf(row) });
        continue;
      }
      if (last === Number.NEGATIVE_INFINITY) start = position;
      else if (position === last) {
        duplicates++;
        const earlier = rows[at - 1] ?? 0;
        firstDuplicate ??= [row, earlier];
        if (duplicates <= maxRepeated) repeated.push(earlier);
      } else if (position > last + 1) {
        gaps += position - last - 1;
        if (position - last - 1 > longestGap) longestGap = position - last - 1;
        if (size + position - start > maxSize) throw toError(row, describeGap(grid, position - last - 1, name));
      }
      last = position;
      cells[at] = size + position - start;
    }
    const length = last === Number.NEGATIVE_INFINITY ? 0 : last - start + 1;
    size += length;
    starts[series] = start;
    ends[series] = size;
    lasts[series] = last;
    shortest = Math.min(shortest, length);
    longest = Math.max(longest, length);
    from = to;
  }
  faults.throwIfAny();
  if (firstDuplicate && duplicates > maxRepeated) {
    const [row, other] = firstDuplicate;
    const moment = formatMoment(grid.form, moments[row] ?? 0);
    throw toError(row, describeDuplicates(moment, placeOf(other), duplicates, name));
  }
  let [first, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const start of starts) first = Math.min(first, start);
  for (const last of lasts) end = Math.max(end, last);
  const ended = lasts.reduce((count, last) => count + Number(last < end), 0);
  const shown = (position: number) => formatMoment(grid.form, findMoment(grid, position));
  const report: SeriesReport = {
    series: rowEnds.length,
    first: shown(first),
    last: shown(end),
    gaps,
    longest_gap: longestGap,
    duplicates,
    ended_early: ended,
    shortest,
    longest,
  };
  return { cells, starts, ends, size, report, repeated: repeated.sort((one, other) => one - other) };
}

function describeGap(grid: TimeGrid, steps: number, name: string): string {
  return `Before this row, its series has no value for ${steps.toLocaleString('en')} steps of ${describeStep(grid.step)}, and the gaps of the table are more than ${MAX_GRID_SHARE} times its rows. Correct the moment in ${name}, or send only the rows after the gap.`;
}

function describeDuplicates(moment: string | number, before: Place, count: number, name: string): string {
  const where = 'line' in before ? `line ${before.line}` : `row ${before.row}`;
  return `${name} is ${moment} here and on ${where}, in the same series; ${count.toLocaleString('en')} rows of the table repeat a value of ${name}. Name the columns that tell series apart in group_by, or send one row a step; aggregate=sum makes it of the rows of a query.`;
}
