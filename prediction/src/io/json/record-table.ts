import type { OrderedSink } from '../../table/row-reader.js';
import { noRows } from '../columns/add-batches.js';

/**
 * Adds the rows of lines of JSON arrays: the names of the columns first, then the cells of each row.
 *
 * @param pieces whole lines in UTF-8, cut anywhere
 * @throws {TableError} at a row that cannot be used, and without rows.
 */
export async function addRecords(
  pieces: AsyncIterable<Uint8Array>,
  rows: OrderedSink,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  let lineCount = 0;
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const cells: unknown[] = JSON.parse(line);
      if (lineCount === 0) rows.begin(cells.map(String));
      else rows.add(cells, { row: lineCount - 1 });
      lineCount++;
    }
  }
  if (lineCount <= 1) throw noRows();
}
