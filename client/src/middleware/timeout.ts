import type { Middleware } from 'openapi-fetch';

/** Thrown if the response is not complete in time. Its `name` equals the platform's own. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(
    { method, url }: Request,
    /** The time waited, in milliseconds. */
    readonly ms: number,
  ) {
    super(`There was no complete answer to ${method} ${url} within ${ms} ms`);
  }
}

/**
 * Ends a call after `ms` milliseconds with a `TimeoutError`. The time covers the whole call, with
 * every retry and wait, until the response body is read. A signal passed to the call still works.
 *
 * @throws RangeError if `ms` is not a positive, finite number
 */
export function timeout(ms: number): Middleware {
  if (!(ms > 0 && ms < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`A timeout takes a positive number of milliseconds, not ${ms}`);
  }
  return {
    onRequest({ request }) {
      const ending = new AbortController();
      const endWith = (reason: unknown) => ending.abort(reason);
      const { signal } = request;
      if (signal.aborted) endWith(signal.reason);
      signal.addEventListener('abort', () => endWith(signal.reason), { once: true });
      // Not our own timer: it would keep a program from ending, and it could not be cleared,
      // since a middleware does not learn when a body has been read.
      AbortSignal.timeout(ms).addEventListener('abort', () => endWith(new TimeoutError(request, ms)));
      return new Request(request, { signal: ending.signal });
    },
  };
}
