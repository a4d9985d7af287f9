import type { AnswerFormat, AnswerOptions, RowFormat } from '../../../prediction/src/predicting.js';

/** The formats of rows, by media type. */
const ROWS: ReadonlyMap<string, RowFormat> = new Map([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv', 'csv'],
  ['application/vnd.apache.arrow.stream', 'arrow-stream'],
  ['application/vnd.apache.arrow.file', 'arrow-file'],
  ['application/vnd.apache.parquet', 'parquet'],
]);

/** The names of delimiters in the contract. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t' } as const;

/** The query parameters of a prediction. */
export interface PredictQuery {
  readonly confidence?: number;
  readonly unknown?: 'ignore' | 'refuse';
  readonly explain?: boolean;
  readonly header?: boolean;
  readonly delimiter?: keyof typeof DELIMITERS;
}

/** Returns the treatment of a body, by the media types of the rows and of the answer. */
export function answerOptions(
  mediaType: string,
  answerType: string,
  { confidence, unknown, explain, header, delimiter }: PredictQuery,
): AnswerOptions {
  return {
    from: rowFormat(mediaType),
    to: answerFormat(answerType),
    ...(confidence !== undefined && { confidence }),
    ...(unknown !== undefined && { unknown }),
    ...(explain !== undefined && { explain }),
    csv: {
      ...(header !== undefined && { header }),
      ...(delimiter !== undefined && { delimiter: DELIMITERS[delimiter] }),
    },
  };
}

function rowFormat(mediaType: string): RowFormat {
  const format = ROWS.get(mediaType);
  if (!format) throw new Error(`There is no format of ${mediaType}`);
  return format;
}

function answerFormat(mediaType: string): AnswerFormat {
  const format = rowFormat(mediaType);
  return format === 'parquet' ? 'json' : format;
}
