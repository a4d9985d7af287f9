import type { Request } from 'express';
import type { Contract, Operation } from '../../contract/document.js';
import { compiler, isBodyDeferred, requestSchemas } from './request-schemas.js';

/**
 * Returns whether a request meets the contract.
 * @param params the parameters of its address
 * @param query the parameters of its query as strings; on success, converted to the types of the
 *   contract
 */
export type Accepts = (
  request: Request,
  params: Readonly<Record<string, string>>,
  query: Request['query'],
) => boolean;

/**
 * Returns a check that accepts the valid requests to an operation. It stops at the first
 * fault and does not say which; the full check finds them all.
 */
export function acceptance(contract: Contract): (operation: Operation) => Accepts {
  const asSent = compiler({ useDefaults: true });
  // Query parameters are converted from strings, and a single value of a repeatable one becomes a
  // list.
  const asTexts = compiler({ useDefaults: true, coerceTypes: 'array' });
  return (operation) => {
    const schemas = requestSchemas(contract.document, operation);
    const address = asSent.compile(schemas.address);
    const query = asTexts.compile(schemas.query);
    const body = asSent.compile(schemas.body);
    return (request, params, sent) =>
      address({ path: params, header: request.headers }) &&
      // A parameter without a value is refused, though the schema may allow an empty string.
      !Object.values(sent).includes('') &&
      query({ query: sent }) &&
      (isBodyDeferred(operation, request) || body({ body: request.body }));
  };
}
