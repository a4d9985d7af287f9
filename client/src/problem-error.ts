import type { Problem } from './contract/problems.js';

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
