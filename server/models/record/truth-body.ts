import type { RowFormat, TableForm, TruthChunk, TruthColumns } from 'roster-prediction/predicting';
import { readActuals } from 'roster-prediction/reading';
import { malformedJson } from '../../api/body/sliced-json.js';
import { bodyProblem } from '../predictions/row-warnings.js';
import type { TruthInput } from './truth-input.js';

/** The details of a job that reads truths; what `joinTruthInput` joined follows as input. */
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
 * @throws the error of the body, of the promised ids, or of `take`
 */
export async function readTruthBody(
  { truths, format, form }: Omit<TruthJob, 'target'>,
  { body, promised }: TruthInput,
  take: (chunk: TruthChunk) => Promise<void> | void,
): Promise<void> {
  try {
    const chunks = readActuals(body, truths, { from: format, form }, promised);
    for await (const chunk of chunks) await take(chunk);
  } catch (error) {
    throw error instanceof SyntaxError ? malformedJson(error) : bodyProblem(error);
  }
}
