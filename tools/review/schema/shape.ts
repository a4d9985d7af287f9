import type { JsonRecord } from '../../../server/contract/json-record.js';
import { type Contract, elements } from '../contract/contract.js';
import { fits } from './fits.js';
import { type Type, typeOf, typesOf } from './types.js';
import { canonical } from './words.js';

/** Schemas that must all hold; an empty list allows everything. */
export type Conjunction = readonly unknown[];

/** A conjunction whose references and `allOf` have been resolved. */
export interface Shape {
  /** The schemas that must all hold, whose `$ref` and `allOf` are to be ignored. */
  readonly parts: readonly JsonRecord[];
  /** Whether no value is possible: one of the schemas is `false`, or they contradict each other. */
  readonly impossible: boolean;
  readonly types: ReadonlySet<Type>;
  /** The possible values, by their canonical JSON; undefined if they are not enumerated. */
  readonly values: ReadonlyMap<string, unknown> | undefined;
}

/** Resolves references and `allOf`. A schema that contains itself is included once. */
export function shapeOf(contract: Contract, conjunction: Conjunction): Shape {
  const found = new Set<JsonRecord>();
  let refused = false;
  const add = (schema: unknown): void => {
    if (schema === false) refused = true;
    if (!isSchemaObject(schema) || found.has(schema)) return;
    found.add(schema);
    if (typeof schema['$ref'] === 'string') add(contract.target(schema['$ref']));
    for (const part of elements(schema['allOf'])) add(part);
    for (const branches of [elements(schema['oneOf']), elements(schema['anyOf'])]) {
      if (branches.length === 1) add(branches[0]);
    }
  };
  for (const schema of conjunction) add(schema);
  const parts = [...found];
  const stated = { parts, types: typesOf(parts) };
  const named = namedValues(parts) ?? allOfTypes(stated.types);
  if (!named) return { ...stated, values: named, impossible: refused || stated.types.size === 0 };
  const values = new Map([...named].filter(([, value]) => fits(value, stated)));
  const types = new Set([...values.values()].map(typeOf));
  return { parts, types, values, impossible: refused || values.size === 0 };
}

/** Returns all values of the types; undefined if a type has many. */
export function allOfTypes(types: ReadonlySet<Type>): ReadonlyMap<string, unknown> | undefined {
  const values = [...types].map((type) => VALUES[type]);
  return values.every((some) => some !== undefined) ? keyed(values.flat()) : undefined;
}

const VALUES: { readonly [type in Type]?: readonly unknown[] } = {
  null: [null],
  boolean: [false, true],
};

function keyed(values: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(values.map((value) => [canonical(value), value]));
}

function isSchemaObject(schema: unknown): schema is JsonRecord {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

/** Returns the values that every `const` and `enum` of the parts allows. */
function namedValues(parts: readonly JsonRecord[]): ReadonlyMap<string, unknown> | undefined {
  const lists = parts.flatMap((part) => {
    const values: unknown[][] = [];
    if (Object.hasOwn(part, 'const')) values.push([part['const']]);
    if (Array.isArray(part['enum'])) values.push(part['enum']);
    return values;
  });
  const [first, ...others] = lists.map(keyed);
  return first && new Map([...first].filter(([key]) => others.every((list) => list.has(key))));
}
