import type { OrderedSink } from '../../table/row-reader.js';
import { MAX_ROWS } from '../../table/table.js';
import { addBatches } from '../columns/add-batches.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { SpoolFile } from '../spool-file.js';
import { readParquet } from './parquet-groups.js';

/**
 * Adds the rows of a Parquet file, until no more are wanted.
 *
 * @throws {FormatError | TableError} at a fault of the file.
 */
export async function addParquet(
  pieces: AsyncIterable<Uint8Array>,
  rows: OrderedSink,
): Promise<void> {
  const file = await SpoolFile.of(pieces);
  try {
    const batches = readParquet(file, new ByteBudget(), MAX_ROWS, (names) => {
      rows.begin(names);
      return new Set(names.keys());
    });
    await addBatches(rows, batches);
  } finally {
    await file.close();
  }
}
