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
import type { TableMessage, TableReading } from './table-message.js';

/** Runs in a process of its own: reads tables, checks them, and writes their parts. */
await serveJobs(readTable);

async function readTable(
  reading: TableReading,
  text: AsyncIterable<Uint8Array>,
  output: JobOutput,
): Promise<TableMessage> {
  try {
    const table = await tableOf(reading, text);
    for (const part of encodeTable(table)) output.data(part);
    return { kind: 'read', rowCount: table.rowCount, task: table.task };
  } catch (error) {
    return refusalOf(error);
  }
}

function tableOf({ format, target, task, csv }: TableReading, text: AsyncIterable<Uint8Array>) {
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

/** @throws if the error is not a fault of the table */
function refusalOf(error: unknown): TableMessage {
  if (error instanceof TableError) return { kind: 'unusable', faults: error.faults };
  if (error instanceof MalformedJsonError) return { kind: 'malformed', message: error.message };
  if (error instanceof JsonShapeError) return { kind: 'misshapen', message: error.message };
  throw error;
}
