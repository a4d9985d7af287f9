import { type Answer, ProblemError } from 'roster-client';

export type Deletion = Promise<Pick<Answer<never>, 'error' | 'response'>>;

/**
 * Waits until something is deleted. Finding it deleted already counts, too.
 * @throws ProblemError if the answer is another problem
 */
export async function removed(deletion: Deletion): Promise<void> {
  const { error, response } = await deletion;
  if (error !== undefined && error.status !== 404) throw new ProblemError(error, response);
}
