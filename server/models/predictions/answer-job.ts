import {
  type AnswerOptions,
  type AnswerPart,
  type AnyPredictor,
  answerRows,
  DeclinedError,
  JsonShapeError,
  MalformedJsonError,
  RowsError,
  type UnknownName,
  UnknownNamesError,
} from '../../../prediction/src/predicting.js';

/** The details of a job that answers rows. The body follows as input, and before it the model if it is asked for. */
export interface AnswerJob {
  readonly versionId: string;
  readonly options: AnswerOptions;
}

/** An event of such a job. Its data are the bytes of the answer. */
export type AnswerEvent =
  /** Whether the worker has the model. If not, it is the first piece of the input. */
  | { readonly kind: 'model'; readonly isLoaded: boolean }
  /** The number of rows in the bytes that follow. */
  | { readonly kind: 'rows'; readonly rows: number }
  | Exclude<AnswerPart, { readonly kind: 'bytes' }>;

export type RowsFault =
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'unknown-names'; readonly names: readonly UnknownName[] }
  /** The body is to be read as a whole. Nothing was answered. */
  | { readonly kind: 'declined' };

/**
 * Answers the rows of one body.
 * @param take takes the parts of the answer, in order
 * @returns the fault of the rows, if they have one
 * @throws the error of the body, of `take`, or of the service
 */
export async function answerBody(
  predictor: AnyPredictor,
  body: AsyncIterable<Uint8Array>,
  options: AnswerOptions,
  take: (part: AnswerPart) => Promise<void> | void,
): Promise<RowsFault | undefined> {
  let hasBegun = false;
  try {
    for await (const part of answerRows(predictor, body, options)) {
      hasBegun = true;
      await take(part);
    }
    return undefined;
  } catch (error) {
    if (error instanceof RowsError) return { kind: 'malformed', message: error.message };
    // Read as a whole, a body of JSON tells the place of its fault.
    if (options.from === 'json' && !hasBegun && isFaultOfJson(error)) return { kind: 'declined' };
    if (error instanceof UnknownNamesError) return { kind: 'unknown-names', names: error.names };
    throw error;
  }
}

function isFaultOfJson(error: unknown): boolean {
  return [DeclinedError, MalformedJsonError, JsonShapeError, UnknownNamesError].some(
    (kind) => error instanceof kind,
  );
}
