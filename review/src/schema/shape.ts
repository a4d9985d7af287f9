import { asArray, type JsonRecord } from '../../../contract/json-record.js';
import { referenceIn, referenceName } from '../../../contract/pointer.js';
import { type Contract, member } from '../contract.js';
import type { Difference, Pair } from '../finding.js';
import type { Party } from '../rules.js';

/** The types of JSON. Integers and fractions are separate, so that every type of a schema is a set of these. */
export const TYPES = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'] as const;
export type Type = (typeof TYPES)[number];

/** Schemas that must all hold; an empty list allows everything. */
export type Conjunction = readonly unknown[];

interface WithParts {
  readonly parts: readonly JsonRecord[];
}

/** A conjunction whose references and `allOf` have been resolved. */
export interface Shape extends WithParts {
  /** True if no value is possible: one of the schemas is `false`, or they contradict each other. */
  readonly impossible: boolean;
  readonly types: ReadonlySet<Type>;
  /** The possible values, by their canonical JSON; undefined if they are not enumerated. */
  readonly values: ReadonlyMap<string, unknown> | undefined;
}

/** The context of the comparison of a part. */
export interface Comparison {
  readonly contracts: Pair<Contract>;
  /** The party that sends or reads values of the schemas. */
  readonly party: Party;
  /** Compares schemas below this one, whose paths begin with `path`. */
  readonly inner: (path: string, pair: Pair<Conjunction>) => Difference[];
}

/** Compares some keywords of two schemas. */
export type KeywordComparison = (comparison: Comparison, shapes: Pair<Shape>) => Difference[];

/** The shapes of single schemas: a shared schema is met at many operations, and at each of its fields. */
const shapes = new WeakMap<Contract, WeakMap<JsonRecord, Shape>>();

/** Resolves references and `allOf`. A schema that contains itself is included once. */
export function findShape(contract: Contract, conjunction: Conjunction): Shape {
  const [only] = conjunction;
  if (conjunction.length !== 1 || !isSchemaObject(only)) return resolveShape(contract, conjunction);
  const known = shapes.get(contract) ?? new WeakMap<JsonRecord, Shape>();
  shapes.set(contract, known);
  const shape = known.get(only) ?? resolveShape(contract, conjunction);
  known.set(only, shape);
  return shape;
}

function resolveShape(contract: Contract, conjunction: Conjunction): Shape {
  const found = new Set<JsonRecord>();
  let refused = false;
  const add = (schema: unknown): void => {
    if (schema === false) refused = true;
    if (!isSchemaObject(schema) || found.has(schema)) return;
    found.add(schema);
    const reference = referenceIn(schema);
    if (reference !== undefined) add(contract.target(reference));
    for (const part of asArray(schema['allOf'])) add(part);
    for (const branches of [asArray(schema['oneOf']), asArray(schema['anyOf'])]) {
      if (branches.length === 1) add(branches[0]);
    }
  };
  for (const schema of conjunction) add(schema);
  const parts = [...found];
  const stated = { parts, types: findTypes(parts) };
  const named = namedValues(parts) ?? allOfTypes(stated.types);
  if (!named) return { ...stated, values: named, impossible: refused || stated.types.size === 0 };
  const values = new Map([...named].filter(([, value]) => fits(value, stated)));
  const types = new Set([...values.values()].map(findType));
  return { parts, types, values, impossible: refused || values.size === 0 };
}

function isSchemaObject(schema: unknown): schema is JsonRecord {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

function findType(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'string' : 'object';
}

/** Returns the types that all of the schemas allow; `nullable` is from OpenAPI 3.0. */
function findTypes(parts: readonly JsonRecord[]): ReadonlySet<Type> {
  const allows = ({ type, nullable }: JsonRecord, one: Type) => {
    if (type === undefined || (nullable === true && one === 'null')) return true;
    const named = Array.isArray(type) ? type : [type];
    const isNumeric = one === 'integer' || one === 'fraction';
    return named.includes(one) || (isNumeric && named.includes('number'));
  };
  return new Set(TYPES.filter((one) => parts.every((part) => allows(part, one))));
}

const FEW_VALUES: { readonly [type in Type]?: readonly unknown[] } = { null: [null], boolean: [false, true] };

/** Returns all values of the types; undefined if a type has many. */
export function allOfTypes(types: ReadonlySet<Type>): ReadonlyMap<string, unknown> | undefined {
  const values = [...types].map((type) => FEW_VALUES[type]);
  return values.every((some) => some !== undefined) ? keyed(values.flat()) : undefined;
}

function keyed(values: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(values.map((value) => [canonical(value), value]));
}

/** Returns the values that every `const` and `enum` of the parts allows. */
function namedValues(parts: readonly JsonRecord[]): ReadonlyMap<string, unknown> | undefined {
  const lists = parts.flatMap((part) => [
    ...(Object.hasOwn(part, 'const') ? [[part['const']]] : []),
    ...(Array.isArray(part['enum']) ? [part['enum']] : []),
  ]);
  const [first, ...others] = lists.map(keyed);
  return first && new Map([...first].filter(([key]) => others.every((list) => list.has(key))));
}

/** Checks of a number, or of the length of a text in code points (JSON Schema Validation, 6.2 and 6.3). */
const CHECKS: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  minimum: (value, limit) => value >= limit,
  maximum: (value, limit) => value <= limit,
  exclusiveMinimum: (value, limit) => value > limit,
  exclusiveMaximum: (value, limit) => value < limit,
  multipleOf: (value, divisor) => Number.isInteger(value / divisor),
  minLength: (length, limit) => length >= limit,
  maxLength: (length, limit) => length <= limit,
};

/** The keywords that exclude a bound itself where they are `true` (OpenAPI 3.0). */
const EXCLUDED_BY: Readonly<Record<string, string>> = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' };

/**
 * Returns whether a value that one version enumerates is allowed by the other, which enumerates none: by its type, its
 * bounds and its pattern. Formats are not checked.
 */
export function fits(value: unknown, shape: WithParts & Pick<Shape, 'types'>): boolean {
  const meets = (keyword: string, check: (value: number, limit: number) => boolean) => {
    const length = typeof value === 'string' ? [...value].length : undefined;
    const measured = keyword.endsWith('Length') ? length : value;
    if (typeof measured !== 'number') return true;
    return statements(shape, keyword).every(({ part, value: limit }) => {
      if (typeof limit !== 'number') return true;
      return check(measured, limit) && (measured !== limit || part[EXCLUDED_BY[keyword] ?? ''] !== true);
    });
  };
  const matches = (pattern: unknown) => typeof value !== 'string' || (regularExpression(pattern)?.test(value) ?? true);
  return (
    shape.types.has(findType(value)) &&
    Object.entries(CHECKS).every(([keyword, check]) => meets(keyword, check)) &&
    statements(shape, 'pattern').every(({ value: pattern }) => matches(pattern))
  );
}

/** Compiles a pattern; returns undefined if it is not supported here. */
export function regularExpression(pattern: unknown): RegExp | undefined {
  try {
    return new RegExp(String(pattern), 'u');
  } catch {
    return undefined;
  }
}

/** Returns every value of a keyword in the parts, with its part. */
export function statements({ parts }: WithParts, keyword: string): { part: JsonRecord; value: unknown }[] {
  return parts.map((part) => ({ part, value: member(part, keyword) })).filter(({ value }) => value !== undefined);
}

/** Returns whether a part has the keyword with this value. */
export function hasKeyword({ parts }: WithParts, keyword: string, value: unknown): boolean {
  return parts.some((part) => part[keyword] === value);
}

/** Returns the canonical JSON of a value, with sorted keys, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ''
  );
}

/** Formats types as a contract writes them: `string or null`, with null last. */
export function typeWords(types: ReadonlySet<Type>): string {
  if (types.size === TYPES.length) return 'any value';
  const names = [...types]
    .filter((type) => !(type === 'integer' && types.has('fraction')))
    .map((type) => (type === 'fraction' ? 'number' : type));
  const isNull = (name: string) => Number(name === 'null');
  return names.sort((a, b) => isNull(a) - isNull(b)).join(' or ') || 'nothing';
}

/** Returns the name of the component that a reference among the schemas leads to. */
export function componentName(schemas: Conjunction): string | undefined {
  return schemas.map(referenceName).find((name) => name !== undefined);
}
