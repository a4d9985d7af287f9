import type { JsonRecord } from '../../server/contract/record.js';
import { type Contract, elements, member } from '../contract/contract.js';
import { canonical } from './words.js';

/** Schemas that must all hold; none of them allows everything. */
export type Conjunction = readonly unknown[];

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

/** What a conjunction comes to, once its references and its `allOf` are followed. */
export interface Shape {
  /** The schemas that must all hold, each without a look at its `$ref` and its `allOf`. */
  readonly parts: readonly JsonRecord[];
  /** One of the schemas is `false`. */
  readonly impossible: boolean;
  readonly types: ReadonlySet<Type>;
  /** The only values that are possible, by their canonical JSON; undefined where it names none. */
  readonly values: ReadonlyMap<string, unknown> | undefined;
}

/** Follows references and `allOf`. A schema that contains itself is taken once. */
export function shapeOf(contract: Contract, conjunction: Conjunction): Shape {
  const parts = new Set<JsonRecord>();
  let impossible = false;
  const add = (schema: unknown): void => {
    if (schema === false) impossible = true;
    if (!isSchemaObject(schema) || parts.has(schema)) return;
    parts.add(schema);
    if (typeof schema['$ref'] === 'string') add(contract.target(schema['$ref']));
    for (const part of elements(schema['allOf'])) add(part);
    for (const branches of [elements(schema['oneOf']), elements(schema['anyOf'])]) {
      if (branches.length === 1) add(branches[0]);
    }
  };
  for (const schema of conjunction) add(schema);
  const list = [...parts];
  return { parts: list, impossible, values: valuesOf(list), types: typesOf(list) };
}

/** Whether a part of the shape has this member with this value. */
export function says({ parts }: Shape, keyword: string, value: unknown): boolean {
  return parts.some((part) => part[keyword] === value);
}

/** Every value that the parts give a keyword, with the part that gives it. */
export function statements(
  { parts }: Shape,
  keyword: string,
): { part: JsonRecord; value: unknown }[] {
  return parts
    .map((part) => ({ part, value: member(part, keyword) }))
    .filter(({ value }) => value !== undefined);
}

/** The type that a value has. */
export function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  return 'object';
}

function isSchemaObject(schema: unknown): schema is JsonRecord {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

function typesOf(parts: readonly JsonRecord[]): ReadonlySet<Type> {
  const allowed = parts.map(typesOfPart);
  const named = namedValues(parts);
  if (named) allowed.push(new Set([...named.values()].map(typeOf)));
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

const ALL_OF_A_TYPE = new Set(['null', 'false,true', 'false,null,true']);

/** Where a type has no other values than those that are named, naming it says the same. */
function valuesOf(parts: readonly JsonRecord[]): ReadonlyMap<string, unknown> | undefined {
  const values = namedValues(parts);
  return values && ALL_OF_A_TYPE.has([...values.keys()].sort().join()) ? undefined : values;
}

/** The values that every `const` and `enum` among the parts allows. */
function namedValues(parts: readonly JsonRecord[]): ReadonlyMap<string, unknown> | undefined {
  const lists = parts.flatMap((part) => {
    const values: unknown[][] = [];
    if (Object.hasOwn(part, 'const')) values.push([part['const']]);
    if (Array.isArray(part['enum'])) values.push(part['enum']);
    return values;
  });
  const [first, ...others] = lists.map(
    (values) => new Map(values.map((value) => [canonical(value), value])),
  );
  return first && new Map([...first].filter(([key]) => others.every((list) => list.has(key))));
}
