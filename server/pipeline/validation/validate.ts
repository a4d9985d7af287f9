import type { RequestHandler } from 'express';
import type { Contract, Operation } from '../../contract/document.js';
import type { Accepts } from './fast-check.js';

/**
 * Returns the middleware that validates the requests to an operation against the contract: their address, query, headers and body. It
 * expects the body to be read, and the parameters of the address in `res.locals`.
 *
 * It does so in two steps. Most requests are accepted by the first, which takes a few microseconds. Whatever is
 * not, the validator looks at: it alone refuses, and says why. Both are large, and loaded when they are first needed.
 */
export function requestValidation(contract: Contract): (operation: Operation) => RequestHandler {
  const acceptance = loadedOnce(async () => (await import('./fast-check.js')).acceptance(contract));
  const validator = loadedOnce(async () => (await import('./full-check.js')).validator(contract));
  return (operation) => {
    const validatorOf = loadedOnce(async () => (await validator())(operation));
    const checkOf = loadedOnce(async () => check((await acceptance())(operation), validatorOf));
    let loaded: RequestHandler | undefined;
    return (req, res, next) => {
      if (loaded) return loaded(req, res, next);
      return checkOf().then((check) => {
        loaded = check;
        return check(req, res, next);
      });
    };
  };
}

function check(accepts: Accepts, validator: () => Promise<RequestHandler>): RequestHandler {
  return (req, res, next) => {
    const query = req.url.includes('?') ? { ...req.query } : {};
    if (!accepts(req, res.locals.params ?? {}, query)) {
      return validator().then((validate) => validate(req, res, next));
    }
    res.locals.query = query;
    return next();
  };
}

function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
