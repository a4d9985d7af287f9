import type { Problem } from './problems.js';

/** A problem, thrown: by those functions which ask the service more than once, and have one result. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(
    /** The problem. Its `type` tells which it is. */
    readonly problem: Problem,
    /** The answer that it came with. Its body has been read. */
    readonly response: Response,
  ) {
    super(`${problem.title}: ${problem.detail}`);
  }
}

/** What a call of the client gives, as far as it matters here. */
export interface Answer<Data> {
  data?: Data;
  error?: Problem;
  response: Response;
}

/**
 * The data of an answer, for those who let problems be thrown: `await answered(roster.GET('/projects'))`.
 *
 * @throws ProblemError where the answer is a problem
 * @throws TypeError where it has no data: one that nothing has changed, or that something was deleted
 */
export async function answered<Data>(call: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call;
  if (error !== undefined) throw new ProblemError(error, response);
  if (data === undefined || data === null) {
    throw new TypeError(`The answer has no data: its status is ${response.status}`);
  }
  return data;
}
