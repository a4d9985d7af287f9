import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import type { Contract, Operation } from '../../contract/document.js';
import type { Accepts } from './fast-check.js';

/**
 * Returns the middleware that validates the address, query, headers and body of a request against
 * the contract. It expects a parsed body, and the parameters of the address in `res.locals`.
 *
 * It works in two steps. A fast check accepts most requests in a few microseconds. The full
 * validator checks the rest, and it alone refuses requests and writes the reason. Both are large,
 * and loaded when first needed.
 */
export function requestValidation(contract: Contract): (operation: Operation) => RequestHandler {
  const acceptance = loadedOnce(async () => (await import('./fast-check.js')).acceptance(contract));
  const validator = loadedOnce(async () => (await import('./full-check.js')).validator(contract));
  return (operation) => {
    const validatorOf = loadedOnce(async () => {
      const validatorFor = await validator();
      // To load it, to set it up and to compile the operation each hold the event loop.
      await nextTurn();
      const validate = validatorFor(operation);
      await nextTurn();
      return validate;
    });
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
