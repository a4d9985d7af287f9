import type { Middleware } from 'openapi-fetch';

/** Thrown where no complete answer has come in time. Its `name` is that of the platform's own. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(
    { method, url }: Request,
    /** How long was waited, in milliseconds. */
    readonly ms: number,
  ) {
    super(`There was no complete answer to ${method} ${url} within ${ms} ms`);
  }
}

/**
 * Ends a call that takes longer than `ms` milliseconds, with a `TimeoutError`. That is all of the call:
 * until the body of the answer is read, with whatever `retry` repeats and waits for. A signal
 * that the call was given goes on to work.
 *
 * @throws RangeError where `ms` is not a length of time
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
      // Not a timer of our own, which would keep a program from ending; nobody tells a middleware when
      // a body has been read, so that it could not be cleared.
      AbortSignal.timeout(ms).addEventListener('abort', () =>
        endWith(new TimeoutError(request, ms)),
      );
      return new Request(request, { signal: ending.signal });
    },
  };
}
