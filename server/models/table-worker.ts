import { parentPort, workerData } from 'node:worker_threads';
import {
  encodeTable,
  JsonShapeError,
  MalformedJsonError,
  readCsvTable,
  readJsonTable,
  TableError,
} from '../prediction/reading.js';
import { receiveBytes, sendBytes } from './byte-channel.js';
import type { TableMessage, TableReading } from './table-message.js';

/** A thread that reads one table, checks it, gives its parts away, and then ends. */
const { format, target, text, parts }: TableReading = workerData;
const post = (message: TableMessage) => parentPort?.postMessage(message);

const read = format === 'csv' ? readCsvTable : readJsonTable;
try {
  const table = await read(receiveBytes(text), target);
  post({ kind: 'read', rowCount: table.rowCount });
  await sendBytes(parts, encodeTable(table));
} catch (error) {
  post(refusalOf(error));
}
text.close();
parts.close();

/** @throws what is no fault of the table */
function refusalOf(error: unknown): TableMessage {
  if (error instanceof TableError) return { kind: 'unusable', faults: error.faults };
  if (error instanceof MalformedJsonError) return { kind: 'malformed', message: error.message };
  if (error instanceof JsonShapeError) return { kind: 'misshapen', message: error.message };
  throw error;
}
