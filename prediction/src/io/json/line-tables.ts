import type { ObjectSink, OrderedSink } from '../../table/row-reader.js';
import { TableError } from '../../table/table-error.js';
import { noRows } from '../columns/add-batches.js';
import { LineSplitter, lineValue, TOO_LONG, UnreadableLine } from './lines.js';

/**
 * Adds the rows of NDJSON, a row object a line, until no more are wanted. Blank lines count, and are not rows.
 *
 * @throws {TableError} at a line that is not JSON, or at a row that cannot be used.
 */
export async function addNdjson(pieces: AsyncIterable<Uint8Array>, rows: ObjectSink): Promise<void> {
  const splitter = new LineSplitter();
  for await (const piece of pieces) {
    addLines(splitter, splitter.add(piece), rows);
    if (rows.isFull) return;
  }
  addLines(splitter, splitter.end(), rows);
}

function addLines(splitter: LineSplitter, regions: Iterable<Uint8Array | null>, rows: ObjectSink): void {
  for (const region of regions) {
    if (region === null) throw unreadable(TOO_LONG, splitter.count);
    for (const line of splitter.lines(region)) {
      const value = lineValue(line);
      if (value instanceof UnreadableLine) throw unreadable(value, splitter.count);
      if (value !== undefined) rows.add(value, { line: splitter.count });
    }
  }
}

function unreadable({ message }: UnreadableLine, line: number): TableError {
  return new TableError([{ message: message.replace('The line', `Line ${line}`), line }]);
}

/**
 * Adds the rows of lines of JSON arrays: the names of the columns first, then the cells of each row.
 *
 * @param pieces whole lines in UTF-8, cut anywhere
 * @throws {TableError} at a row that cannot be used, and without rows.
 */
export async function addRecords(pieces: AsyncIterable<Uint8Array>, rows: OrderedSink): Promise<void> {
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
