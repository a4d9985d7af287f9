import type { OrderedSink } from '../../table/row-reader.js';
import { addBatches } from '../columns/add-batches.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { readArrow } from './arrow-batches.js';

/**
 * Adds the rows of an Arrow IPC stream or file, batch by batch, until no more are wanted.
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
