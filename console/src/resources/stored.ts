import { type Answer, answered, ProblemError } from 'roster-client';

/** A resource as it was read, with the tag of that state. */
export interface Stored<R> {
  readonly value: R;
  readonly etag: string | null;
}

/** Returns the resource of an answer. @throws ProblemError if the answer is a problem */
export async function stored<R extends object>(call: Promise<Answer<R>>): Promise<Stored<R>> {
  const answer = await call;
  const value = await answered(Promise.resolve(answer));
  return { value, etag: answer.response.headers.get('ETag') };
}

/** Returns the resource of an answer, or null if there is none. */
export async function storedOrNull<R extends object>(call: Promise<Answer<R>>): Promise<Stored<R> | null> {
  try {
    return await stored(call);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Returns whether an error says that the resource does not exist any more. */
export const isGone = (error: unknown) => hasStatus(error, 404);

/** Returns whether an error says that the resource has changed since it was read. */
export const isOutdated = (error: unknown) => hasStatus(error, 412);

const hasStatus = (error: unknown, status: number) => error instanceof ProblemError && error.problem.status === status;
