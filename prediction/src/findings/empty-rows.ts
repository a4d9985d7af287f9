import type { Finding } from './finding.js';
import type { LookedTable } from './looked-table.js';
import { amongScanned, dropRows, placesOf } from './remedies.js';
import { showCount, showPlaces } from './words.js';

/** The share of the rows in which a column has a value, to count for rows without values, and the fewest such columns. */
const MOSTLY_PRESENT = 0.8;
const MIN_COLUMNS = 3;

/** The most of those columns in which a row that is nearly empty has a value, as a share. */
const MAX_PRESENT = 0.1;

/** Finds rows in which nearly all columns are missing that most other rows have. */
export function findEmptyRows(table: LookedTable): Finding[] {
  const { columns, rows, scanned } = table;
  const usual = columns.filter(({ present }) => present >= MOSTLY_PRESENT * rows.length);
  if (usual.length < MIN_COLUMNS) return [];
  const most = Math.floor(MAX_PRESENT * usual.length);
  const empty: number[] = [];
  for (let index = 0; index < scanned.length; index++) {
    const row = scanned[index] ?? 0;
    let present = 0;
    for (let each = 0; each < usual.length && present <= most; each++) {
      if (!Number.isNaN(usual[each]?.at(row))) present++;
    }
    if (present <= most) empty.push(row);
  }
  if (empty.length === 0) return [];
  const places = placesOf(table, empty);
  const named = empty.length === 1 ? 'One row has' : `${showCount(empty.length)} rows have`;
  return [
    {
      kind: 'empty_rows',
      column: null,
      rows: empty.length,
      share: empty.length / scanned.length,
      places,
      message: `${named} nearly no value beside the target (${showPlaces(places, empty.length)}), of ${amongScanned(table)}.`,
      effect: 'Such a row teaches only the mean of rows without values, and adds to the error that is measured.',
      remedies: dropRows(places, empty.length),
    },
  ];
}
