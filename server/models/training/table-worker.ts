import type { RowFormat, TableFault, Task } from '../../../prediction/src/predicting.js';
import {
  encodeTable,
  JsonShapeError,
  MalformedJsonError,
  readArrowTable,
  readCsvTable,
  readJsonTable,
  readNdjsonTable,
  readParquetTable,
  readRecordTable,
  TableError,
} from '../../../prediction/src/reading.js';
import { type JobOutput, serveJobs } from '../../work/serve-jobs.js';
import type { CsvOptions } from '../formats.js';

/** The details of a job that reads a table; the text follows as input. */
export interface TableJob {
  /** The format of a table that was sent, or `records` for lines of JSON arrays from a query. */
  readonly format: RowFormat | 'records';
  readonly target: string;
  /** The task; undefined if the values of the target decide. */
  readonly task?: Task | undefined;
  readonly csv?: CsvOptions | undefined;
}

/**
 * The result of a job. Either the parts of the table have been written, as `encodeTable` makes them,
 * or the table was refused.
 */
export type TableResult =
  | { readonly kind: 'read'; readonly rowCount: number; readonly task: Task }
  | { readonly kind: 'unusable'; readonly faults: readonly TableFault[] }
  | { readonly kind: 'malformed' | 'misshapen'; readonly message: string };

/** Runs in a process of its own: reads tables, checks them, and writes their parts. */
await serveJobs(readTable);

async function readTable(
  job: TableJob,
  text: AsyncIterable<Uint8Array>,
  output: JobOutput,
): Promise<TableResult> {
  try {
    const table = await readFormat(job, text);
    for (const part of encodeTable(table)) output.data(part);
    return { kind: 'read', rowCount: table.rowCount, task: table.task };
  } catch (error) {
    if (error instanceof TableError) return { kind: 'unusable', faults: error.faults };
    if (error instanceof MalformedJsonError) return { kind: 'malformed', message: error.message };
    if (error instanceof JsonShapeError) return { kind: 'misshapen', message: error.message };
    throw error;
  }
}

function readFormat({ format, target, task, csv }: TableJob, text: AsyncIterable<Uint8Array>) {
  const options = { drain: false, task };
  switch (format) {
    case 'csv':
      return readCsvTable(text, target, { ...options, ...csv });
    case 'json':
      return readJsonTable(text, target, options);
    case 'records':
      return readRecordTable(text, target, options);
    case 'ndjson':
      return readNdjsonTable(text, target, options);
    case 'arrow-stream':
      return readArrowTable(text, target, { ...options, format: 'stream' });
    case 'arrow-file':
      return readArrowTable(text, target, { ...options, format: 'file' });
    case 'parquet':
      return readParquetTable(text, target, options);
  }
}
