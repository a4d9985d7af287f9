import type { NextFunction, RequestHandler } from 'express';

/**
 * Makes one handler of several, which run one after the other. Express would look at each of them anew for
 * each request: whether the address is one of theirs, and what parameters it has.
 */
export function sequence(handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, done) => {
    let index = 0;
    const next: NextFunction = (error?: unknown) => {
      const handler = handlers[index];
      index += 1;
      if (error !== undefined || !handler) {
        done(error);
        return;
      }
      try {
        const result: unknown = handler(req, res, next);
        if (result instanceof Promise) result.catch(done);
      } catch (thrown) {
        done(thrown);
      }
    };
    next();
  };
}
