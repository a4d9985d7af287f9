import type { AnswerOptions, RowFormat, TableFault } from '../../prediction/src/predicting.js';
import { type ProblemError, problem } from '../problems/problem.js';

/** The formats of tables and rows, by media type. */
const FORMATS: ReadonlyMap<string, RowFormat> = new Map([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv', 'csv'],
  ['application/vnd.apache.arrow.stream', 'arrow-stream'],
  ['application/vnd.apache.arrow.file', 'arrow-file'],
  ['application/vnd.apache.parquet', 'parquet'],
]);

/** The names of delimiters in the contract. */
const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t' } as const;

/** The options for reading CSV, in place of what its first lines tell. */
export type CsvOptions = NonNullable<AnswerOptions['csv']>;

/** The query parameters that tell how CSV is read. */
export interface CsvQuery {
  readonly header?: boolean;
  readonly delimiter?: keyof typeof DELIMITERS;
}

export function findFormat(mediaType: string): RowFormat {
  const format = FORMATS.get(mediaType);
  if (!format) throw new Error(`There is no format of ${mediaType}`);
  return format;
}

export function parseCsvQuery({ header, delimiter }: CsvQuery): CsvOptions {
  return {
    ...(header !== undefined && { header }),
    ...(delimiter !== undefined && { delimiter: DELIMITERS[delimiter] }),
  };
}

export function unusableTable(faults: readonly TableFault[]): ProblemError {
  const detail = 'No model can be trained from this table; nothing was kept of it.';
  return problem('/problems/unusable-table', detail, { errors: [...faults] });
}
