import type { OrderedSink } from '../../table/row-reader.js';
import { MIN_ROWS } from '../../table/table.js';
import { TableError } from '../../table/table-error.js';
import type { Vector } from './vector.js';

/** Adds batches of columns, until no more rows are wanted. */
export async function addBatches(
  rows: OrderedSink,
  batches: AsyncIterable<{ readonly length: number; readonly vectors: ReadonlyMap<number, Vector> }>,
): Promise<void> {
  let count = 0;
  for await (const { length, vectors } of batches) {
    rows.addColumns(count, length, vectors);
    count += length;
    if (rows.isFull) return;
  }
  if (count === 0) throw noRows();
}

export function noRows(): TableError {
  const message = `The table has no rows. At least ${MIN_ROWS} with a target are needed.`;
  return new TableError([{ message }]);
}
