import type { Problem } from 'roster-client';

/** The data of an answer; a problem is thrown, with its words. */
export async function answered<T>(
  answer: Promise<{ data?: T; error?: Problem }>,
): Promise<NonNullable<T>> {
  const { data, error } = await answer;
  if (error !== undefined) throw new Error(`${error.title}: ${error.detail}`);
  if (data === undefined || data === null) throw new Error('The answer has no body');
  return data;
}
