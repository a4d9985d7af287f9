import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Request, RequestHandler } from 'express';
import type { Contract, Operation } from '../../contract/document.js';
import { escapeToken } from '../../contract/json-pointer.js';
import { ContractViolation, type ValidationFault } from '../../problems/to-problem.js';
import { excerptOfBodies } from './body-excerpt.js';
import { excerptOfQuery } from './query-excerpt.js';
import { compiler, isBodyDeferred, requestSchemas, schemaCheck } from './request-schemas.js';

/**
 * Returns a function that returns the middleware for an operation, for requests that the fast check
 * refuses. The middleware expects a parsed body, and the parameters of the address in `res.locals`;
 * it passes on a {@link ContractViolation} with all faults.
 */
export function fullCheck(contract: Contract): (operation: Operation) => RequestHandler {
  const asSent = compiler({ allErrors: true });
  const asTexts = compiler({ allErrors: true, coerceTypes: 'array' });
  const excerptOf = excerptOfBodies(contract, schemaCheck(contract));
  return (operation) => {
    const schemas = requestSchemas(contract.document, operation);
    const address = asSent.compile(schemas.address);
    const query = asTexts.compile(schemas.query);
    const body = asSent.compile(schemas.body);
    const names = operation.parameters
      .filter((parameter) => parameter['in'] === 'query')
      .map(({ name }) => name);
    return (req, res, next) => {
      const sent = { path: res.locals.params ?? {}, header: req.headers };
      const faults = [
        ...queryFaults(query, names, req.query),
        ...faultsOf(address, sent),
        ...(isBodyDeferred(operation, req)
          ? []
          : faultsOf(body, { body: excerptOf(operation.bodySchema, req.body).body })),
      ];
      if (faults.length > 0) next(new ContractViolation(faults));
      else next(new Error(`The fast check of ${operation.id} refuses a request without a fault`));
    };
  };
}

/** A parameter without a value has this one fault, whatever its schema says of an empty string. */
function queryFaults(
  check: ValidateFunction,
  names: readonly unknown[],
  sent: Request['query'],
): ValidationFault[] {
  const given = Object.entries(excerptOfQuery(sent));
  const isEmpty = ([name, value]: (typeof given)[number]) => value === '' && names.includes(name);
  const empty = given.filter(isEmpty).map(([name]) => ({
    path: `/query/${escapeToken(name)}`,
    keyword: 'minLength',
    message: 'must not be empty',
  }));
  const query = Object.fromEntries(given.filter((parameter) => !isEmpty(parameter)));
  const others = faultsOf(check, { query });
  return [...empty, ...others.filter(({ path }) => empty.every((fault) => fault.path !== path))];
}

function faultsOf(check: ValidateFunction, value: unknown): ValidationFault[] {
  return check(value) ? [] : (check.errors ?? []).map(faultOf);
}

function faultOf({ instancePath, keyword, message = '', params }: ErrorObject): ValidationFault {
  const name: unknown =
    params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  const allowed: unknown = params['allowedValues'];
  return {
    path: name === undefined ? instancePath : `${instancePath}/${escapeToken(String(name))}`,
    keyword,
    message: Array.isArray(allowed) ? `${message}: ${allowed.join(', ')}` : message,
  };
}
