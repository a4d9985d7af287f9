import { type Answer, answered } from './problem-error.js';

/** A resource, and the `ETag` of the state that was read. */
export interface Tagged<Data> {
  readonly data: Data;
  /** Sent as `If-Match` with a change, it makes the change fail if the resource is another by then. */
  readonly etag: string;
}

/** Reads a resource with the headers that it is given. */
export type ConditionalRead<Data> = (header: { 'If-None-Match'?: string }) => Promise<Answer<Data>>;

/**
 * Returns the resource of a response together with its `ETag`: `await tagged(roster.GET(…))`.
 *
 * @throws ProblemError if the response is a problem
 * @throws TypeError if the response has no data, or no `ETag`
 */
export async function tagged<Data>(call: Promise<Answer<Data>>): Promise<Tagged<NonNullable<Data>>> {
  const data = await answered(call);
  const { response } = await call;
  const etag = response.headers.get('ETag');
  if (etag === null) {
    throw new TypeError('The answer has no ETag: it is not a single resource, or a proxy or CORS hides the header');
  }
  return { data, etag };
}

/**
 * Reads a resource again. Returns the known one, the same object, if it has not changed. Without a
 * known one, it reads the resource for the first time.
 *
 * @throws the errors of `tagged`
 * @example
 * const skill = await revalidate(known, (header) => roster.GET(SKILL, { params: { path, header } }));
 */
export async function revalidate<Data>(
  known: Tagged<NonNullable<Data>> | undefined,
  read: ConditionalRead<Data>,
): Promise<Tagged<NonNullable<Data>>> {
  if (known === undefined) return tagged(read({}));
  const call = read({ 'If-None-Match': known.etag });
  return (await call).response.status === 304 ? known : tagged(call);
}
