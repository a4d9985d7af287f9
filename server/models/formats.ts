import type { AnswerOptions, RowFormat, TableFault } from '../../prediction/src/predicting.js';
import { invalidRequest, type ProblemError, problem } from '../problems/problem.js';

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
const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;

/** The options for reading CSV, in place of what its first lines tell. */
export type CsvOptions = NonNullable<AnswerOptions['csv']>;

/** The query parameters that tell how CSV is read. */
export interface CsvQuery {
  readonly header?: boolean;
  readonly header_line?: number;
  readonly delimiter?: keyof typeof DELIMITERS;
}

export function findFormat(mediaType: string): RowFormat {
  const format = FORMATS.get(mediaType);
  if (!format) throw new Error(`There is no format of ${mediaType}`);
  return format;
}

/** @throws {ProblemError} if there is no header line to be named */
export function parseCsvQuery(query: CsvQuery, mediaType: string): CsvOptions {
  const { header, header_line: headerLine, delimiter } = query;
  if (headerLine !== undefined) refuseHeaderLine(query, mediaType);
  return {
    ...(header !== undefined && { header }),
    ...(headerLine !== undefined && { headerLine }),
    ...(delimiter !== undefined && { delimiter: DELIMITERS[delimiter] }),
  };
}

function refuseHeaderLine({ header }: CsvQuery, mediaType: string): void {
  const refuse = (message: string) => invalidRequest([{ pointer: '/query/header_line', message }]);
  if (findFormat(mediaType) !== 'csv') {
    throw refuse(`is for CSV, and the body is ${mediaType}; leave it out`);
  }
  if (header === false) {
    throw refuse('does not go with header=false, which says that no line has names; leave one out');
  }
}

export function unusableTable(faults: readonly TableFault[]): ProblemError {
  const detail = 'No model can be trained from this table; nothing was kept of it.';
  return problem('/problems/unusable-table', detail, { errors: [...faults] });
}

export function unreadableTable(faults: readonly TableFault[]): ProblemError {
  const detail = 'The first rows of this table cannot be read.';
  return problem('/problems/unusable-table', detail, { errors: [...faults] });
}
