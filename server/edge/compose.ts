import type { NextFunction, RequestHandler } from 'express';

/**
 * Composes several handlers into one that runs them in order. Express would match each of them
 * again for each request, with its address and parameters.
 */
export function compose(handlers: readonly RequestHandler[]): RequestHandler {
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
