import type { FileFormat, MEDIA_TYPES } from 'roster-client';
import type { Preview } from './preview.js';
import { parseRecords, type TableRecord } from './read-records.js';
import { TableFileError } from './table-file-error.js';
import { detectFormat, type TableFormat } from './table-format.js';

export interface TableHead {
  readonly file: File;
  /** The media type by which the service knows the format. */
  readonly type: TableType;
  /** The names of the columns, without blanks at their ends. */
  readonly columns: readonly string[];
  /** The words of the service, if it has read the rows. */
  readonly preview?: Preview;
  readonly rows: readonly TableRecord[];
  /** True if these are all rows of the table. */
  readonly isWhole: boolean;
  /** The sheets of a workbook, and the place of the table in it. */
  readonly workbook?: {
    readonly sheets: readonly string[];
    readonly place: WorkbookPlace;
    /** The first rows with values, of which one may have the names. */
    readonly firstLines: readonly { readonly line: number; readonly text: string }[];
    /** The reason why its rows cannot be read, if they cannot. */
    readonly fault: string | null;
  };
}

/** The place of a table in a workbook, as the service's parameters. */
export interface WorkbookPlace {
  readonly sheet?: string;
  /** The row that has the names. */
  readonly header_line?: number;
}

export interface CsvHead extends TableHead {
  readonly type: 'text/csv';
  readonly format: TableFormat;
  /** The first lines of the file, of which one is the header. */
  readonly firstLines: readonly string[];
}

export type ColumnKind = 'number' | 'date' | 'category' | 'empty';

export type TableType = (typeof MEDIA_TYPES)[FileFormat];

export const MAX_HEAD_BYTES = 2 << 20;
const MAX_HEAD_ROWS = 5_000;

export function isCsv(head: TableHead): head is CsvHead {
  return head.type === 'text/csv';
}

/**
 * Reads the beginning of a table in CSV, however large the file is.
 * @param headerLine the line that has the names, from 1; without it, the one that seems to have them
 * @throws TableFileError if the file is not a table
 */
export async function readCsvHead(file: File, headerLine?: number): Promise<CsvHead> {
  const bytes = await readBytes(file, 0, MAX_HEAD_BYTES);
  const isRead = file.size <= MAX_HEAD_BYTES;
  const { format, text, firstLines } = detectFormat(bytes, isRead, headerLine);
  const [header, ...rows] = parseRecords(text, format, isRead);
  if (header === undefined) {
    throw new TableFileError(isRead ? 'The file is empty.' : 'The first line is too long to be the header of a table.');
  }
  if (header.length === 1) {
    throw new TableFileError(
      'This file has no columns that are separated by commas, semicolons or tabs. A table needs at least two.',
    );
  }
  if (rows.length === 0) {
    throw new TableFileError('This table has a header, but no rows.');
  }
  return {
    file,
    type: 'text/csv',
    format,
    firstLines,
    columns: header.map((name) => name.trim()),
    rows: rows.slice(0, MAX_HEAD_ROWS),
    isWhole: isRead && rows.length <= MAX_HEAD_ROWS,
  };
}

/** @throws TableFileError if the file is empty or cannot be read */
export async function readBytes(file: File, start: number, end: number): Promise<Uint8Array> {
  if (file.size === 0) throw new TableFileError('The file is empty.');
  try {
    return new Uint8Array(await file.slice(start, end).arrayBuffer());
  } catch {
    throw new TableFileError('This cannot be read. Choose a file, not a folder.');
  }
}
