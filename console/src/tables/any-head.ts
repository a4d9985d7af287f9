import { cellText } from '../../../prediction/src/browser.js';
import type { TableRecord } from './read-records.js';
import { TableFileError } from './table-file-error.js';
import {
  MAX_HEAD_BYTES,
  MAX_HEAD_ROWS,
  readBytes,
  readCsvHead,
  type TableHead,
  type TableType,
} from './table-head.js';

/** The formats of columns, by how their files begin. */
const SIGNATURES: readonly (readonly [string, TableType])[] = [
  ['PAR1', 'application/vnd.apache.parquet'],
  ['ARROW1', 'application/vnd.apache.arrow.file'],
  ['\xff\xff\xff\xff', 'application/vnd.apache.arrow.stream'],
];

/**
 * Reads the beginning of a table in any format that the service reads. Of Parquet and Arrow, nothing is read: they have
 * no columns here.
 * @throws TableFileError if the file is not a table
 */
export async function readHead(file: File): Promise<TableHead> {
  const start = await readBytes(file, 0, MAX_HEAD_BYTES);
  const signature = String.fromCharCode(...start.subarray(0, 6));
  const found = SIGNATURES.find(([begin]) => signature.startsWith(begin));
  if (found) return { file, type: found[1], columns: [], rows: [], isWhole: false };
  const isWhole = start.length === file.size;
  const text = new TextDecoder().decode(start, { stream: !isWhole }).trimStart();
  if (text.startsWith('['))
    return jsonHead(file, 'application/json', parseArray(text, isWhole), isWhole);
  if (text.startsWith('{'))
    return jsonHead(file, 'application/x-ndjson', parseLines(text, isWhole), isWhole);
  return readCsvHead(file);
}

function jsonHead(
  file: File,
  type: 'application/json' | 'application/x-ndjson',
  values: readonly unknown[],
  isWhole: boolean,
): TableHead {
  if (!values.every(isObject)) {
    throw new TableFileError(
      'The rows of this file are not JSON objects of values by column name.',
    );
  }
  if (values.length === 0) throw new TableFileError('This file has no rows.');
  const rows = values
    .slice(0, MAX_HEAD_ROWS)
    .map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name.trim(), value])),
    );
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const records = rows.map((row): TableRecord => columns.map((name) => cellText(row[name])));
  return { file, type, columns, rows: records, isWhole: isWhole && values.length <= MAX_HEAD_ROWS };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses the rows at the beginning of an array: up to the last end of one, if it goes on. */
function parseArray(text: string, isWhole: boolean): unknown[] {
  return parseJson(isWhole ? text : `${text.slice(0, text.lastIndexOf('}') + 1)}]`);
}

function parseLines(text: string, isWhole: boolean): unknown[] {
  const lines = text.split('\n').slice(0, isWhole ? undefined : -1);
  return parseJson(`[${lines.filter((line) => line.trim() !== '').join()}]`);
}

/** @throws TableFileError if it is not an array in JSON */
function parseJson(text: string): unknown[] {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TableFileError(`This file is not JSON throughout: ${reason}`);
  }
}
