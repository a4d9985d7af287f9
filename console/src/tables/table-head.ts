import { parseRecords, type TableRecord } from './read-records.js';
import { TableFileError } from './table-file-error.js';
import { detectFormat, type TableFormat } from './table-format.js';

/** The beginning of a table. */
export interface TableHead {
  readonly file: File;
  readonly format: TableFormat;
  /** The names of the columns, without blanks at their ends. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRecord[];
  /** True if these are all rows of the table. */
  readonly isWhole: boolean;
}

const MAX_HEAD_BYTES = 2 << 20;
const MAX_HEAD_ROWS = 5_000;

/**
 * Reads the beginning of a table, however large the file is.
 * @throws TableFileError if the file is no table
 */
export async function readHead(file: File): Promise<TableHead> {
  if (file.size === 0) throw new TableFileError('The file is empty.');
  const isRead = file.size <= MAX_HEAD_BYTES;
  const bytes = await file
    .slice(0, MAX_HEAD_BYTES)
    .arrayBuffer()
    .catch(() => {
      throw new TableFileError('This cannot be read. Choose a file, not a folder.');
    });
  const [format, text] = detectFormat(new Uint8Array(bytes), isRead);
  const [header, ...rows] = parseRecords(text, format, isRead);
  if (header === undefined) {
    throw new TableFileError(
      isRead ? 'The file is empty.' : 'The first line is too long to be the header of a table.',
    );
  }
  if (header.length === 1) {
    throw new TableFileError(
      'This file has no columns that are separated by commas, semicolons or tabs. A table needs at least two: one to predict, and one to predict it from.',
    );
  }
  if (rows.length === 0) {
    throw new TableFileError('This table has a header, but no rows.');
  }
  return {
    file,
    format,
    columns: header.map((name) => name.trim()),
    rows: rows.slice(0, MAX_HEAD_ROWS),
    isWhole: isRead && rows.length <= MAX_HEAD_ROWS,
  };
}
