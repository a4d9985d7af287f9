import type { Problem, ProblemType } from './contract/problems.js';

/** A problem, thrown by functions that may send several requests and return one result. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(
    /** The problem. Its `type` identifies it. */
    readonly problem: Problem,
    /** The response that carried the problem. Its body has been read. */
    readonly response: Response,
  ) {
    super(`${problem.title}: ${problem.detail}`);
  }
}

/** A thrown problem that is known to be one of these. */
export type ProblemErrorOf<Failure extends Problem> = ProblemError & { readonly problem: Failure };

/**
 * Returns whether an error is a problem of one of these types, or of any if none is given.
 *
 * @example
 * if (isProblem(error, '/problems/name-taken')) return 'There is one of this name.';
 */
export function isProblem<Type extends ProblemType>(
  error: unknown,
  ...types: readonly Type[]
): error is ProblemErrorOf<Extract<Problem, { type: Type }>> {
  if (!(error instanceof ProblemError)) return false;
  return types.length === 0 || types.some((type) => type === error.problem.type);
}

/** The part of a call's result that is used here. */
export interface Answer<Data> {
  data?: Data;
  error?: Problem;
  response: Response;
}

/**
 * Returns the data of a response and throws its problem: `await answered(roster.GET('/projects'))`.
 *
 * @throws ProblemError if the response is a problem
 * @throws TypeError if the response has no data, as after a 304 or a deletion
 */
export async function answered<Data>(call: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call;
  if (error !== undefined) throw new ProblemError(error, response);
  if (data === undefined || data === null) {
    throw new TypeError(`The answer has no data: its status is ${response.status}`);
  }
  return data;
}
