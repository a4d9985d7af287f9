import { OrderedRows, type OrderedSink } from '../../table/row-reader.js';
import { MAX_ROWS, type Table } from '../../table/table.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { addBatches, buildTable, type ReadOptions } from '../read-table.js';
import { SpoolFile } from '../spool-file.js';
import { readParquet } from './parquet-groups.js';

/**
 * Reads a table from a Parquet file: see `readTable`. As the end of the file is needed first, it is written to a
 * temporary file without a name.
 *
 * @throws {TableError} if it is none, or no model can be trained on the table.
 * @throws the source's own error, if it breaks off, and that of the temporary file.
 */
export function readParquetTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  options: ReadOptions = {},
): Promise<Table> {
  const createRows = () => new OrderedRows(target, options);
  return buildTable(source, options, createRows, addParquet);
}

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
