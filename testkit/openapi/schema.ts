/** Reads schemas of the contract, for what generates valid, invalid and large values. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { asRecord } from '../../contract/json-record.js';
import { escapeToken } from '../../contract/pointer.js';
import { schemaErrors } from './contract-ajv.js';
import type { Place } from './document.js';

/** Errors that only report that another error exists. */
const CONSEQUENCES = new Set(['if', 'anyOf', 'allOf']);

export interface Fault {
  keyword: string;
  /** The JSON pointer to the faulty part; to the field itself if one is missing or unknown. */
  pointer: string;
}

/** Returns the keywords of a schema that a value breaks; empty if it is valid. */
export function findFaults(schema: Place, value: unknown): Fault[] {
  const errors = schemaErrors(schema, value);
  const causes = errors.filter(({ keyword }) => !CONSEQUENCES.has(keyword));
  return (causes.length > 0 ? causes : errors).map((error) => ({
    keyword: error.keyword,
    pointer: error.instancePath + findField(error),
  }));
}

export function isValid(schema: Place, value: unknown): boolean {
  return findFaults(schema, value).length === 0;
}

function findField({ params }: ErrorObject): string {
  const field: unknown = params['missingProperty'] ?? params['additionalProperty'];
  return typeof field === 'string' ? `/${escapeToken(field)}` : '';
}

export function listKeywords(schema: Place): Readonly<Record<string, unknown>> {
  return asRecord(schema.value);
}

/** Returns the types that a schema allows; all of them if it names none. */
export function listTypes(schema: Place): readonly string[] {
  const { type } = listKeywords(schema);
  if (type === undefined) return ['null', 'boolean', 'number', 'string', 'array', 'object'];
  return [type].flat().map(String);
}

/** Returns the type of a JSON value, in the terms of JSON Schema. */
export function findType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns a limit of a schema, such as `maxLength`, or a default if it has none. */
export function findBound(schema: Place, keyword: string, otherwise: number): number {
  const bound: unknown = listKeywords(schema)[keyword];
  return typeof bound === 'number' ? bound : otherwise;
}

/** Compiles the pattern of a schema, as the validator does. */
export function findPattern(schema: Place): RegExp | undefined {
  const { pattern } = listKeywords(schema);
  return typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
}

/** Returns the required fields of an object schema. */
export function listRequired(schema: Place): readonly string[] {
  return schema.entries('required').map(([, name]) => String(name.value));
}

const TEXTS = ['a', '00000000-0000-4000-8000-000000000000', `${'a'.repeat(21)}A`, '*'];

/** Returns the simplest valid value that is not null, without optional fields. */
export function simplest(schema: Place): unknown {
  const { const: only, enum: some } = listKeywords(schema);
  if (only !== undefined) return only;
  if (Array.isArray(some)) return some[0];
  const [branch] = schema.entries('oneOf');
  if (branch !== undefined) return simplest(branch[1]);
  const type = listTypes(schema).find((name) => name !== 'null');
  switch (type) {
    case 'boolean':
      return true;
    case 'string':
      return TEXTS.find((text) => isValid(schema, text)) ?? '';
    case 'integer':
    case 'number':
      return findBound(schema, 'minimum', 0);
    case 'array':
      return Array.from({ length: findBound(schema, 'minItems', 0) }, () => simplest(schema.at('items')));
    default:
      return Object.fromEntries(listRequired(schema).map((name) => [name, simplest(schema.at('properties', name))]));
  }
}
