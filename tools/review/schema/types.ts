import type { JsonRecord } from '../../../server/contract/json-record.js';

/** The types of JSON. Integers and fractions are separate, so that every type of a schema is a set of these. */
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

/** Returns the type of a value. */
export function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  return 'object';
}

/** Returns the types that all of the schemas allow. */
export function typesOf(parts: readonly JsonRecord[]): ReadonlySet<Type> {
  const allowed = parts.map(typesOfPart);
  return new Set(TYPES.filter((type) => allowed.every((types) => types.has(type))));
}

/** Returns the types of a part; `nullable` is from OpenAPI 3.0. */
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
