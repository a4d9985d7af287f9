import { OrderedRows, type TableOptions } from '../../table/row-reader.js';
import type { Table } from '../../table/table.js';
import { noRows } from '../read-table.js';

/**
 * Reads a table from lines of JSON arrays, such as the rows of a query: the names of the columns
 * first, then the cells of each row.
 * @param source whole lines in UTF-8, cut anywhere; it is not read further once the table is refused
 * @throws {TableError} if no model can be trained on the table, or it has more than 1,000,000 rows.
 * @throws the source's own error, if it breaks off.
 */
export async function readRecordTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  options: TableOptions = {},
): Promise<Table> {
  const rows = new OrderedRows(target, options);
  const decoder = new TextDecoder();
  let rest = '';
  let lineCount = 0;
  for await (const chunk of source) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const cells: unknown[] = JSON.parse(line);
      if (lineCount === 0) rows.begin(cells.map(String));
      else rows.add(cells, { row: lineCount - 1 });
      lineCount++;
    }
  }
  if (lineCount <= 1) throw noRows();
  return rows.build();
}
