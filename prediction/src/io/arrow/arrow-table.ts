import type { Table } from '../../table/table.js';
import { ColumnarTable, type ReadOptions, readDraining } from '../columnar-table.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { readArrow } from './arrow-batches.js';

/**
 * Reads a table from an Arrow IPC stream or file as it arrives, batch by batch: see `readCsvTable`.
 *
 * @throws {TableError} if it is none, or no model can be trained on the table.
 * @throws the source's own error, if it breaks off.
 */
export function readArrowTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  { format, drain = true, task }: ReadOptions & { readonly format: 'stream' | 'file' },
): Promise<Table> {
  return readDraining(source, drain, async (pieces) => {
    const table = new ColumnarTable(target, task);
    const slices = readArrow(pieces, format, new ByteBudget(), (fields) =>
      table.begin(fields.map(({ name }) => name)),
    );
    for await (const { length, vectors } of slices) table.add(length, vectors);
    return table.build();
  });
}
