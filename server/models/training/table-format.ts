import { DELIMITERS } from '../predictions/answer-formats.js';
import type { CsvReading, TableFormat } from './table-message.js';

/** The formats of tables, by media type. */
const FORMATS: ReadonlyMap<string, TableFormat> = new Map([
  ['text/csv', 'csv'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/vnd.apache.arrow.stream', 'arrow-stream'],
  ['application/vnd.apache.arrow.file', 'arrow-file'],
  ['application/vnd.apache.parquet', 'parquet'],
]);

/** The query parameters that tell how CSV is read. */
interface CsvQuery {
  readonly header?: boolean;
  readonly delimiter?: keyof typeof DELIMITERS;
}

/** Returns how a table is read that was sent with a media type. */
export function tableFormat(
  mediaType: string,
  { header, delimiter }: CsvQuery,
): { readonly format: TableFormat; readonly csv: CsvReading } {
  const format = FORMATS.get(mediaType);
  if (!format) throw new Error(`There is no format of ${mediaType}`);
  return { format, csv: { header, delimiter: delimiter && DELIMITERS[delimiter] } };
}
