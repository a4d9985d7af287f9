import type { RowFormat, TableFault, TableForm } from 'roster-prediction/predicting';
import type { Input } from '../api/handlers.js';
import { findRowFormat } from '../edge/request.js';
import { invalidRequest, type ProblemError, problem } from '../problems/problem.js';

/** The names of delimiters in the contract. */
const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;

/** The query parameters that set how CSV and workbooks are read. */
export interface FormQuery {
  readonly header?: boolean;
  readonly header_line?: number;
  readonly delimiter?: keyof typeof DELIMITERS;
  readonly sheet?: string;
}

/** The type of a body, and the encoding of its text. */
export type BodyForm = Pick<Input<'predict'>, 'mediaType' | 'charset'>;

export function findFormat(mediaType: string): RowFormat {
  const format = findRowFormat(mediaType);
  if (!format) throw new Error(`There is no format of ${mediaType}`);
  return format;
}

/** @throws {ProblemError} if there is no header line or no sheet to be named */
export function parseForm(query: FormQuery, { mediaType, charset }: BodyForm): TableForm {
  const { header, header_line: headerLine, delimiter, sheet } = query;
  if (sheet !== undefined && findFormat(mediaType) !== 'xlsx') {
    const message = `is for workbooks, and the body is ${mediaType}; leave it out`;
    throw invalidRequest([{ pointer: '/query/sheet', message }]);
  }
  if (header === false && findFormat(mediaType) === 'xlsx') {
    const message = 'is for CSV; the table of a workbook has names';
    throw invalidRequest([{ pointer: '/query/header', message }]);
  }
  if (headerLine !== undefined) refuseHeaderLine(query, mediaType);
  return {
    ...(header !== undefined && { header }),
    ...(headerLine !== undefined && { headerLine }),
    ...(delimiter !== undefined && { delimiter: DELIMITERS[delimiter] }),
    ...(sheet !== undefined && { sheet }),
    ...(charset !== undefined && charset !== 'utf-8' && { charset }),
  };
}

const HAVE_LINES: ReadonlySet<RowFormat> = new Set(['csv', 'xlsx']);

function refuseHeaderLine({ header }: FormQuery, mediaType: string): void {
  const refuse = (message: string) => invalidRequest([{ pointer: '/query/header_line', message }]);
  if (!HAVE_LINES.has(findFormat(mediaType))) {
    throw refuse(`is for CSV and workbooks, and the body is ${mediaType}; leave it out`);
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
