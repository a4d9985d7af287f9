import {
  encodeTable,
  JsonShapeError,
  MalformedJsonError,
  readCsvTable,
  readJsonTable,
  readRecordTable,
  TableError,
} from '../../prediction/src/reading.js';
import { type JobOutput, serveJobs } from '../workers/serve-jobs.js';
import type { TableMessage, TableReading } from './table-message.js';

const READERS = { csv: readCsvTable, json: readJsonTable, records: readRecordTable };

/** Runs in a process of its own: reads tables, checks them, and writes their parts. */
await serveJobs(readTable);

async function readTable(
  { format, target, task }: TableReading,
  text: AsyncIterable<Uint8Array>,
  output: JobOutput,
): Promise<TableMessage> {
  const read = READERS[format];
  try {
    const table = await read(text, target, { drain: false, task });
    for (const part of encodeTable(table)) output.data(part);
    return { kind: 'read', rowCount: table.rowCount, task: table.task };
  } catch (error) {
    return refusalOf(error);
  }
}

/** @throws if the error is not a fault of the table */
function refusalOf(error: unknown): TableMessage {
  if (error instanceof TableError) return { kind: 'unusable', faults: error.faults };
  if (error instanceof MalformedJsonError) return { kind: 'malformed', message: error.message };
  if (error instanceof JsonShapeError) return { kind: 'misshapen', message: error.message };
  throw error;
}
