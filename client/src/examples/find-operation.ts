import { OPERATIONS } from '../../../generated/examples.js';
import type { OperationId } from './choices.js';

/** The operations at an address, by method. */
export type Address = ReadonlyMap<string, OperationId>;

const PATTERNS = Object.entries(OPERATIONS).map(([id, { method, path }]) => ({
  // The type of the generated record has these keys alone.
  id: id as OperationId,
  method,
  // bounded: the address of a request in a test
  pattern: new RegExp(`^(.*)${pathPattern(path)}$`),
}));

/** Returns the source of a regular expression for an address of the contract, also with a trailing slash. */
export function pathPattern(path: string): string {
  return `${path.replaceAll('.', '\\.').replace(/\{[^{}]*\}/g, '[^/]+')}/?`;
}

/**
 * Returns the operations at an address below any base URL: those whose path leaves the shortest prefix. Undefined if
 * the contract has no such address.
 */
export function operationsAt(pathname: string): Address | undefined {
  const found = PATTERNS.flatMap(({ pattern, id, method }) => {
    const prefix = pattern.exec(pathname)?.[1];
    return prefix === undefined ? [] : [{ id, method, length: prefix.length }];
  });
  if (found.length === 0) return undefined;
  const shortest = Math.min(...found.map(({ length }) => length));
  return new Map(found.filter(({ length }) => length === shortest).map(({ id, method }) => [method, id]));
}

/** Returns the methods of an address, as in the header `Allow`. */
export function listMethods(address: Address): string {
  const methods = [...address.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...methods, 'OPTIONS'].join(', ');
}
