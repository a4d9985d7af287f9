import { readRows, type TableRecord } from '../tables/read-records.js';
import type { TableFormat } from '../tables/table-format.js';

/** The most rows of a ranked list, which is held in memory. */
const MAX_ROWS = 100_000;

/**
 * Returns the rows of a predicted file by descending probability, 100,000 at most; of equal ones, the first in the
 * file first.
 * @param column the place of the probability
 */
export async function rankRows(file: Blob, format: TableFormat, column: number): Promise<TableRecord[]> {
  const probability = (row: TableRecord) => Number(row[column]?.replace(',', '.'));
  const best = (rows: readonly TableRecord[]) =>
    rows.toSorted((one, other) => probability(other) - probability(one)).slice(0, MAX_ROWS);
  let rows: TableRecord[] = [];
  for await (const { records } of readRows(file, format)) {
    rows = rows.concat(records);
    if (rows.length > 2 * MAX_ROWS) rows = best(rows);
  }
  return best(rows);
}
