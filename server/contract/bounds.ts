import type { RequestHandler } from 'express';
import { nestsDeeperThan } from '../rows/nesting.js';
import type { Contract, Operation } from './document.js';
import { escapeToken } from './json-pointer.js';
import { type FieldError, invalidRequest } from './problems.js';
import { asRecord } from './record.js';

const MAX_NESTING = 100;

/**
 * Refuses bodies that would cost too much to validate, or that could not be kept as they are: arrays
 * longer than the contract says, as validation looks at each of their elements all the same; what
 * nests so deep that writing it again would overflow the stack; and, where the body is kept, numbers
 * that JSON can write but a double cannot hold.
 */
export function refuseOutOfBounds(contract: Contract, operation: Operation): RequestHandler {
  const isKept = Number.isFinite(operation.maxBody);
  return (req, _res, next) => {
    const { body } = req;
    const errors = overlongArrays(contract, operation.bodySchema, body, '/body');
    if (nestsDeeperThan(MAX_NESTING, body)) {
      errors.push({ pointer: '/body', message: `must not nest deeper than ${MAX_NESTING} levels` });
    } else if (isKept) {
      errors.push(...infiniteNumbers(body, '/body'));
    }
    if (errors.length > 0) throw invalidRequest(errors);
    next();
  };
}

function overlongArrays(
  contract: Contract,
  schema: unknown,
  value: unknown,
  pointer: string,
): FieldError[] {
  if (typeof value !== 'object' || value === null) return [];
  const alternatives = contract.alternatives(schema);
  if (Array.isArray(value)) {
    const bounds = alternatives.map(({ maxItems }) => maxItems).filter(Number.isInteger);
    const most = Math.max(...bounds.map(Number));
    return bounds.length > 0 && value.length > most
      ? [{ pointer, message: `must have at most ${most} items` }]
      : [];
  }
  return alternatives
    .flatMap(({ properties }) => Object.entries(asRecord(properties)))
    .filter(([name]) => Object.hasOwn(value, name))
    .flatMap(([name, field]) =>
      overlongArrays(contract, field, asRecord(value)[name], `${pointer}/${name}`),
    );
}

function infiniteNumbers(value: unknown, pointer: string): FieldError[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, child]) =>
      infiniteNumbers(child, `${pointer}/${escapeToken(name)}`),
    );
  }
  return typeof value === 'number' && !Number.isFinite(value)
    ? [{ pointer, message: 'must be within the range of a double, which ends at about 1.8e308' }]
    : [];
}
