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

/** A fault of the rows. */
export type RowsFault =
  | { readonly name: 'RowsError'; readonly message: string }
  | { readonly name: 'UnknownNamesError'; readonly names: readonly UnknownName[] }
  /** The body is to be read as a whole. Nothing was answered. */
  | { readonly name: 'DeclinedError' };

export type AnswerResult =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly fault: RowsFault };

/** Takes an answer, in order. */
export interface AnswerOutput {
  /** @param event comes before the bytes */
  data(bytes: Uint8Array, event: AnswerEvent): Promise<void> | void;
  event(event: AnswerEvent): Promise<void> | void;
}

/**
 * Answers the rows of one body.
 * @throws the error of the body, or of the service
 */
export async function answerJob(
  predictor: AnyPredictor,
  body: AsyncIterable<Uint8Array>,
  options: AnswerOptions,
  output: AnswerOutput,
): Promise<AnswerResult> {
  let hasBegun = false;
  try {
    for await (const part of answerRows(predictor, body, options)) {
      hasBegun = true;
      if (part.kind === 'bytes') {
        await output.data(part.bytes, { kind: 'rows', rows: part.rows });
      } else await output.event(part);
    }
    return { kind: 'answered' };
  } catch (error) {
    const mayDecline = options.from === 'json' && !hasBegun;
    const fault = faultOf(error, mayDecline);
    if (!fault) throw error;
    return { kind: 'refused', fault };
  }
}

function faultOf(error: unknown, mayDecline: boolean): RowsFault | undefined {
  if (error instanceof RowsError) return { name: 'RowsError', message: error.message };
  // Read as a whole, a body of JSON tells the place of its fault.
  if (mayDecline && isFaultOfJson(error)) return { name: 'DeclinedError' };
  if (error instanceof UnknownNamesError) return { name: error.name, names: error.names };
  return undefined;
}

function isFaultOfJson(error: unknown): boolean {
  return [DeclinedError, MalformedJsonError, JsonShapeError, UnknownNamesError].some(
    (kind) => error instanceof kind,
  );
}
