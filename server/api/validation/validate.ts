import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Contract, Operation } from '../../contract/document.js';
import type { Step } from '../request-context.js';
import type { Accepts } from './fast-check.js';

/**
 * Returns the validation of an operation's requests against the contract: address, query, headers and body. It
 * expects a parsed body, and the parameters of the address in `res.locals`.
 *
 * It works in two steps. A fast check accepts most requests in a few microseconds. express-openapi-validator
 * judges the rest, and a third check explains what it refuses. All are large, and loaded when first needed.
 */
export function requestValidation(
  contract: Contract,
  bases: readonly string[],
): (operation: Operation) => Step {
  const fastChecks = lazy(async () => (await import('./fast-check.js')).fastChecks(contract));
  const fullChecks = lazy(async () =>
    (await import('./full-check.js')).fullChecks(contract, bases),
  );
  return (operation) => {
    let accepts: Accepts | undefined;
    const compile = lazy(async () => {
      accepts = (await fastChecks())(operation);
    });
    const fullCheck = lazy(async () => {
      const checkOf = await fullChecks();
      // To load the validator and to compile the operation each hold the event loop.
      await nextTurn();
      const check = checkOf(operation);
      await nextTurn();
      return check;
    });
    const validate: Step = (req, res) => {
      if (!accepts) return compile().then(() => validate(req, res));
      const query = req.url.includes('?') ? { ...req.query } : {};
      if (accepts(req, res.locals.params ?? {}, query)) {
        res.locals.query = query;
        return;
      }
      return fullCheck().then((check) => check(req, res));
    };
    return validate;
  };
}

function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
