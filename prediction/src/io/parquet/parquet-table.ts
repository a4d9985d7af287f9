import { MAX_ROWS, type Table } from '../../table/table.js';
import { ColumnarTable, type ReadOptions, readDraining } from '../columnar-table.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { readParquet } from './parquet-groups.js';
import { SpoolFile } from './spool-file.js';

/**
 * Reads a table from a Parquet file: see `readCsvTable`. As the end of the file is needed first, it is written to a
 * temporary file without a name.
 *
 * @throws {TableError} if it is none, or no model can be trained on the table.
 * @throws the source's own error, if it breaks off, and that of the temporary file.
 */
export function readParquetTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  { drain = true, task }: ReadOptions = {},
): Promise<Table> {
  return readDraining(source, drain, async (pieces) => {
    const file = await SpoolFile.of(pieces);
    try {
      const table = new ColumnarTable(target, task);
      const groups = readParquet(file, new ByteBudget(), MAX_ROWS, (names) => table.begin(names));
      for await (const { length, vectors } of groups) table.add(length, vectors);
      return table.build();
    } finally {
      await file.close();
    }
  });
}
