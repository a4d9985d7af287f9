import type { RequestHandler } from 'express';
import { acceptance } from './acceptance.js';
import type { Contract, Operation } from './document.js';

declare module 'express-serve-static-core' {
  interface Locals {
    /** The parameters of the query, each of the type that the contract says, once they are accepted. */
    query?: Request['query'];
  }
}

/**
 * Makes what holds the requests to an operation against the contract: their address, query, headers and body. It
 * expects the body to be read, and the parameters of the address in `res.locals`.
 *
 * It does so in two steps. Most requests are accepted by the first, which takes a few microseconds. Whatever is
 * not, the validator looks at: it alone refuses, and says why. It is large, and loaded when it is first needed.
 */
export function requestValidation(contract: Contract): (operation: Operation) => RequestHandler {
  const acceptsOf = acceptance(contract);
  const validatorOf = loadedWhenNeeded(async () =>
    (await import('./validator.js')).validator(contract),
  );
  return (operation) => {
    const accepts = acceptsOf(operation);
    const validator = loadedWhenNeeded(async () => (await validatorOf())(operation));
    return (req, res, next) => {
      const query = req.url.includes('?') ? { ...req.query } : {};
      if (!accepts(req, res.locals.params ?? {}, query)) {
        return validator().then((validate) => validate(req, res, next));
      }
      res.locals.query = query;
      return next();
    };
  };
}

function loadedWhenNeeded<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
