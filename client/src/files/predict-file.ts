import type { RosterClient } from '../contract/calls.js';
import { type RowWarnings, rowWarnings } from '../models/row-warnings.js';
import { ProblemError } from '../problem-error.js';
import { UnexpectedAnswerError } from '../request/unexpected-answer.js';
import { formatOfMediaType, MEDIA_TYPES, type PredictionFormat } from './file-format.js';
import { type FileSource, formQuery, prepareUpload, type UploadOptions } from './upload.js';
import { refuseEarlyEnd } from './whole-lines.js';

/** Options of `predictFile`: the answer's format and its confidence, and how the file is sent. */
export interface PredictFileOptions extends UploadOptions {
  /** The format of the answer. Default: that of the file; JSON for Parquet. */
  to?: PredictionFormat | undefined;
  /** The confidence of every interval or set. Default: one chosen row by row. */
  confidence?: number | undefined;
  /** `refuse` answers with a problem if the rows have names that the model does not know. Default: `ignore`. */
  unknown?: 'ignore' | 'refuse' | undefined;
  /** Adds the original, the anomaly and the explanation to CSV and Arrow. JSON always has them. */
  explain?: boolean | undefined;
}

/** An answer of `predictFile`, whose body is read as it arrives. */
export interface PredictedFile {
  readonly format: PredictionFormat;
  /** The answer as it arrives. Reading fails if the answer breaks off. */
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Names and values in the rows of a JSON file that the model does not know. Undefined for other files, whose
   * warnings come last: in the last line of NDJSON, else in a trailer, which fetch does not show.
   */
  readonly warnings: RowWarnings | undefined;
  readonly response: Response;
}

/**
 * Predicts the rows of a file, and returns the answer as a stream.
 *
 * @throws ProblemError if the service answers with a problem; also while `body` is read, if an
 *   answer in NDJSON ends early
 * @throws UnexpectedAnswerError if the answer is not in the format that was asked for
 * @throws TypeError if the format of the file is unknown, or the connection fails
 * @example
 * const { body } = await predictFile(roster, path, file, { to: 'csv', confidence: 0.9 });
 * await body.pipeTo(destination);
 */
export async function predictFile(
  roster: Pick<RosterClient, 'POST'>,
  path: { projectName: string; modelName: string },
  file: FileSource,
  options: PredictFileOptions = {},
): Promise<PredictedFile> {
  const upload = await prepareUpload(file, options);
  const { format: sent } = upload;
  const format = options.to ?? (sent === 'parquet' || sent === 'xlsx' ? 'json' : sent);
  const { confidence, unknown, explain } = options;
  const { data, error, response } = await roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
    params: {
      path,
      query: {
        ...(confidence !== undefined && { confidence }),
        ...(unknown && { unknown }),
        ...(explain !== undefined && { explain }),
        ...formQuery(options),
      },
    },
    headers: { ...upload.headers, Accept: `${MEDIA_TYPES[format]}, application/problem+json` },
    body: upload.body,
    bodySerializer: (body: unknown) => body,
    parseAs: 'stream',
    signal: options.signal ?? null,
  });
  if (error !== undefined) throw new ProblemError(error, response);
  if (!data || formatOfMediaType(response.headers.get('Content-Type') ?? '') !== format) {
    throw new UnexpectedAnswerError(response, await new Response(data ?? null).text());
  }
  return {
    format,
    body: format === 'ndjson' ? data.pipeThrough(refuseEarlyEnd(response)) : data,
    warnings: upload.format === 'json' ? rowWarnings(response) : undefined,
    response,
  };
}
