import type { JsonRecord } from '../../../server/contract/json-record.js';

/** The types of JSON, where a number is an integer or not, so that a type is a set of these. */
export const TYPES = [
  'null',
  'boolean',
  'integer',
  'fraction',
  'string',
  'array',
  'object',
] as const;
export type Type = (typeof TYPES)[number];

/** The type that a value has. */
export function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  return 'object';
}

/** The types that all of the schemas allow. */
export function typesOf(parts: readonly JsonRecord[]): ReadonlySet<Type> {
  const allowed = parts.map(typesOfPart);
  return new Set(TYPES.filter((type) => allowed.every((types) => types.has(type))));
}

/** `nullable` is of OpenAPI 3.0. */
function typesOfPart({ type, nullable }: JsonRecord): ReadonlySet<Type> {
  if (type === undefined) return new Set(TYPES);
  const named = Array.isArray(type) ? type : [type];
  const types = TYPES.filter(
    (one) => named.includes(one) || (named.includes('number') && isNumeric(one)),
  );
  return new Set(nullable === true ? [...types, 'null'] : types);
}

function isNumeric(type: Type): boolean {
  return type === 'integer' || type === 'fraction';
}
