import { OrderedRows, type OrderedSink } from '../../table/row-reader.js';
import type { Table } from '../../table/table.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { addBatches, buildTable, type ReadOptions } from '../read-table.js';
import { readArrow } from './arrow-batches.js';

/**
 * Reads a table from an Arrow IPC stream or file as it arrives, batch by batch: see `readTable`.
 *
 * @throws {TableError} if it is none, or no model can be trained on the table.
 * @throws the source's own error, if it breaks off.
 */
export function readArrowTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  { format, ...options }: ReadOptions & { readonly format: 'stream' | 'file' },
): Promise<Table> {
  const createRows = () => new OrderedRows(target, options);
  return buildTable(source, options, createRows, (pieces, rows) => addArrow(pieces, rows, format));
}

/**
 * Adds the rows of an Arrow stream or file, until no more are wanted.
 *
 * @throws {FormatError | TableError} at a fault of the body.
 */
export function addArrow(
  pieces: AsyncIterable<Uint8Array>,
  rows: OrderedSink,
  format: 'stream' | 'file',
): Promise<void> {
  const batches = readArrow(pieces, format, new ByteBudget(), (names) => {
    rows.begin(names);
    return new Set(names.keys());
  });
  return addBatches(rows, batches);
}
