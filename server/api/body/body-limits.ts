import { nestsDeeperThan } from '../../common/nesting-depth.js';
import type { RowsPlace } from '../../common/sliced-json.js';
import { MAX_NESTING } from '../../common/value-scanner.js';
import type { Contract, Operation } from '../../contract/document.js';
import { escapeToken } from '../../contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { type FieldError, invalidRequest, MAX_ERRORS } from '../../problems/problem.js';

/**
 * Returns a check that refuses parsed bodies that cost too much to validate or cannot be stored
 * unchanged. These are arrays longer than the contract allows, since validation would still visit
 * every element, and, in bodies that are stored, numbers outside the range of a double.
 */
export function refuserOfBounds(contract: Contract, operation: Operation): (body: unknown) => void {
  const isKept = Number.isFinite(operation.maxBody);
  return (body) => {
    const errors = overlongArrays(contract, operation.bodySchema, body, '/body');
    if (isKept) errors.push(...infiniteNumbers(body));
    if (errors.length > 0) throw invalidRequest(errors);
  };
}

/** Refuses a body that nests so deep that serializing it would overflow the stack. */
export function refuseDeepNesting(body: unknown): void {
  if (!nestsDeeperThan(MAX_NESTING, body)) return;
  const message = `must not nest deeper than ${MAX_NESTING} levels`;
  throw invalidRequest([{ pointer: '/body', message }]);
}

/**
 * Returns the place of the rows in the bodies of an operation, if it takes an array of any length.
 */
export function rowsPlace(contract: Contract, { bodySchema }: Operation): RowsPlace | undefined {
  const alternatives = contract.alternatives(bodySchema);
  const array = alternatives.find(isArray);
  if (!array) return undefined;
  const mostRows = Number(array['maxItems'] ?? Number.POSITIVE_INFINITY);
  const [member] = alternatives
    .flatMap(({ properties }) => Object.entries(asRecord(properties)))
    .filter(([, field]) => contract.alternatives(field).some(isArray))
    .map(([name]) => name);
  return member === undefined ? { mostRows } : { member, mostRows };
}

function isArray({ type }: JsonRecord): boolean {
  return type === 'array';
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

function infiniteNumbers(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  // The pointer is built only if there is such a number.
  const visit = (value: unknown, pointer: () => string): void => {
    // One more than a response lists, so that it can say that there are more.
    if (errors.length > MAX_ERRORS) return;
    if (typeof value === 'object' && value !== null) {
      const names = Array.isArray(value) ? undefined : Object.keys(value);
      const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
      for (const [index, child] of children.entries()) {
        if (typeof child !== 'object' && !isInfinite(child)) continue;
        visit(child, () => `${pointer()}/${escapeToken(names?.[index] ?? String(index))}`);
      }
    } else if (isInfinite(value)) {
      const message = 'must be within the range of a double, which ends at about 1.8e308';
      errors.push({ pointer: pointer(), message });
    }
  };
  visit(body, () => '/body');
  return errors;
}

function isInfinite(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}
