import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * Makes one handler of several, which run one after the other. Express would look at each of them anew for
 * each request: whether the address is one of theirs, and what parameters it has.
 */
export function sequence(handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, done) => runFrom(0, handlers, req, res, done);
}

function runFrom(
  index: number,
  handlers: readonly RequestHandler[],
  req: Request,
  res: Response,
  done: NextFunction,
): void {
  const handler = handlers[index];
  if (!handler) {
    done();
    return;
  }
  const next: NextFunction = (error?: unknown) => {
    if (error === undefined) runFrom(index + 1, handlers, req, res, done);
    else done(error);
  };
  try {
    const result: unknown = handler(req, res, next);
    if (result instanceof Promise) result.catch(done);
  } catch (error) {
    done(error);
  }
}
