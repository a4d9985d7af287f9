import type {
  RowFormat,
  TableForm,
  TruthChunk,
  TruthColumns,
} from '../../../prediction/src/predicting.js';
import { readTruths } from '../../../prediction/src/reading.js';
import { malformedJson } from '../../api/body/sliced-json.js';
import { bodyProblem } from '../predictions/row-warnings.js';

/** The details of a job that reads truths; the body follows as input. */
export interface TruthJob {
  readonly truths: TruthColumns;
  readonly format: RowFormat;
  readonly form: TableForm;
  readonly target?: undefined;
}

/**
 * Reads a body of truths as a whole, and hands them over in chunks.
 *
 * @throws {ProblemError} if the body cannot be read
 * @throws the error of the body, or of `take`
 */
export async function readTruthBody(
  { truths, format, form }: Omit<TruthJob, 'target'>,
  body: AsyncIterable<Uint8Array>,
  take: (chunk: TruthChunk) => Promise<void> | void,
): Promise<void> {
  try {
    for await (const chunk of readTruths(body, truths, { from: format, form })) await take(chunk);
  } catch (error) {
    throw error instanceof SyntaxError ? malformedJson(error) : bodyProblem(error);
  }
}
