/** What a schema of the contract says, for those who make values that keep to it or break it. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { document, type Place } from '../../../testkit/openapi/document.js';

/** The validator of a schema. It is another one than the server's: both would have to be wrong in one way. */
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'contract');

/** Errors that only tell that another error is there. */
const CONSEQUENCES = new Set(['if', 'anyOf', 'allOf']);

/** One keyword that a value breaks. */
export interface Fault {
  keyword: string;
  /** The JSON pointer to what is at fault; to the field itself where one is missing or unknown. */
  pointer: string;
}

/** What of a schema a value breaks; empty if it is valid. */
export function faultsOf(schema: Place, value: unknown): Fault[] {
  const validate = ajv.getSchema(`contract#${encodeURI(schema.pointer)}`);
  if (validate === undefined) throw new Error(`The contract has no schema at ${schema.pointer}`);
  if (validate(value) === true) return [];
  const errors = validate.errors ?? [];
  const causes = errors.filter(({ keyword }) => !CONSEQUENCES.has(keyword));
  return (causes.length > 0 ? causes : errors).map((error) => ({
    keyword: error.keyword,
    pointer: error.instancePath + fieldOf(error),
  }));
}

export function isValid(schema: Place, value: unknown): boolean {
  return faultsOf(schema, value).length === 0;
}

function fieldOf({ params }: ErrorObject): string {
  const field: unknown = params['missingProperty'] ?? params['additionalProperty'];
  return typeof field === 'string' ? `/${escapeStep(field)}` : '';
}

/** A step of a JSON pointer (RFC 6901, section 3). */
export function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The keywords that stand at a place. */
export function keywordsOf(schema: Place): Readonly<Record<string, unknown>> {
  return recordOf(schema.value);
}

/** The types that a schema allows; all of them, if it names none. */
export function typesOf(schema: Place): readonly string[] {
  const { type } = keywordsOf(schema);
  if (type === undefined) return ['null', 'boolean', 'number', 'string', 'array', 'object'];
  return [type].flat().map(String);
}

/** The type of a JSON value, by the words of JSON Schema. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A bound that a schema sets, such as `maxLength`, or what holds where it sets none. */
export function boundOf(schema: Place, keyword: string, otherwise: number): number {
  const bound: unknown = keywordsOf(schema)[keyword];
  return typeof bound === 'number' ? bound : otherwise;
}

/** The pattern of a schema, as the validator reads it. */
export function patternOf(schema: Place): RegExp | undefined {
  const { pattern } = keywordsOf(schema);
  return typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
}

/** The names of the fields that a schema of an object requires. */
export function requiredOf(schema: Place): readonly string[] {
  return schema.entries('required').map(([, name]) => String(name.value));
}

/** An object to look into; anything that has no fields has none. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
