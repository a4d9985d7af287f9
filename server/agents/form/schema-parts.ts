/** Reads a JSON Schema of a caller: refuses what is not checked here, and prepares its patterns and references. */
import { isObject, type JsonRecord } from '../../../contract/json-record.js';
import { LinearPattern, PatternError, PatternStates } from './linear-pattern.js';

/** A schema that is not checked here. The pointer is its place in the schema. */
export class SchemaError extends Error {
  constructor(
    readonly pointer: string,
    message: string,
  ) {
    super(message);
  }
}

/** The values and the characters of a schema, and how deep it is. */
const MAX_VALUES = 5000;
const MAX_CHARACTERS = 65_536;
const MAX_DEPTH = 40;

const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const SINGLE = ['additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else', 'items'] as const;
const UNCHECKED = ['unevaluatedProperties', 'unevaluatedItems', 'additionalItems', '$dynamicRef', '$recursiveRef'];

/** A schema or a boolean in a schema, and its place. */
type FoundSchema = readonly [schema: unknown, pointer: string];

/** The parts of a schema that are looked up when a value is checked. */
export class SchemaParts {
  /** By their sources. */
  readonly patterns = new Map<string, LinearPattern>();
  /** The schemas that references lead to. */
  readonly references = new Map<string, unknown>();
  /** Shared by all patterns, which are made at once, and kept as long as the schema. */
  readonly #states = new PatternStates();
  readonly #read = new Set<unknown>();

  /** @throws {SchemaError} if the schema is out of bounds, or has a keyword that is not checked here */
  constructor(private readonly schema: JsonRecord) {
    measure(schema);
    // A chain of references may be longer than the stack, so it is not followed by recursion.
    const found: FoundSchema[] = [[schema, '']];
    for (const [one, pointer] of found) this.#readSchema(one, pointer, found);
  }

  /** Reads a schema but not those in it, which are added to `found`. */
  #readSchema(schema: unknown, pointer: string, found: FoundSchema[]): void {
    if (typeof schema === 'boolean' || this.#read.has(schema)) return;
    if (!isObject(schema) || Array.isArray(schema)) throw new SchemaError(pointer, 'must be a schema');
    this.#read.add(schema);
    for (const keyword of UNCHECKED) {
      if (schema[keyword] !== undefined) {
        throw new SchemaError(`${pointer}/${keyword}`, 'must be left out: answers are not checked against it');
      }
    }
    for (const keyword of MAPS) {
      for (const [name, one] of Object.entries(readMembers(schema, keyword, pointer))) {
        const at = `${pointer}/${keyword}/${name}`;
        if (keyword === 'patternProperties') this.#readPattern(name, at);
        found.push([one, at]);
      }
    }
    for (const keyword of LISTS) {
      for (const [index, one] of readList(schema, keyword, pointer).entries()) {
        found.push([one, `${pointer}/${keyword}/${index}`]);
      }
    }
    for (const keyword of SINGLE) {
      const one = schema[keyword];
      if (one !== undefined) found.push([one, `${pointer}/${keyword}`]);
    }
    if (typeof schema['pattern'] === 'string') this.#readPattern(schema['pattern'], `${pointer}/pattern`);
    if (schema['$ref'] !== undefined) this.#readReference(schema['$ref'], `${pointer}/$ref`, found);
  }

  #readPattern(source: string, pointer: string): void {
    try {
      if (!this.patterns.has(source)) this.patterns.set(source, new LinearPattern(source, this.#states));
    } catch (error) {
      if (error instanceof PatternError) throw new SchemaError(pointer, `has a pattern that ${error.message}`);
      throw error;
    }
  }

  #readReference(reference: unknown, pointer: string, found: FoundSchema[]): void {
    const isLocal = typeof reference === 'string' && (reference === '#' || reference.startsWith('#/'));
    if (!isLocal) throw new SchemaError(pointer, 'must be a reference within the schema, such as #/$defs/name');
    if (this.references.has(reference)) return;
    let target: unknown = this.schema;
    for (const part of reference.split('/').slice(1)) {
      const name = decodePart(part);
      target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
    }
    if (target === undefined) throw new SchemaError(pointer, 'must be a reference to a part of the schema');
    this.references.set(reference, target);
    found.push([target, reference.slice(1)]);
  }
}

/** @throws {SchemaError} if a schema is too large or too deep, before all of it was read */
function measure(schema: unknown): void {
  let values = 0;
  let characters = 0;
  const waiting: (readonly [value: unknown, depth: number])[] = [[schema, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, depth] = next;
    values += 1;
    if (depth > MAX_DEPTH) throw new SchemaError('', `must be at most ${MAX_DEPTH} levels deep`);
    if (typeof value === 'string') characters += value.length;
    if (isObject(value)) {
      const names = Array.isArray(value) ? value.keys() : Object.keys(value);
      for (const name of names) {
        characters += `${name}`.length;
        waiting.push([value[`${name}`], depth + 1]);
        if (values + waiting.length > MAX_VALUES) break;
      }
    }
    if (values + waiting.length <= MAX_VALUES && characters <= MAX_CHARACTERS) continue;
    throw new SchemaError('', `must have at most ${MAX_VALUES} values and ${MAX_CHARACTERS} characters`);
  }
}

const NONE: JsonRecord = {};

function readMembers(schema: JsonRecord, keyword: string, pointer = ''): JsonRecord {
  const members = schema[keyword] ?? NONE;
  if (isObject(members) && !Array.isArray(members)) return members;
  throw new SchemaError(`${pointer}/${keyword}`, 'must be an object of schemas');
}

function readList(schema: JsonRecord, keyword: string, pointer: string): readonly unknown[] {
  const list = schema[keyword] ?? [];
  if (Array.isArray(list)) return list;
  throw new SchemaError(`${pointer}/${keyword}`, 'must be a list of schemas');
}

/** RFC 6901: a part of a pointer in a fragment. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}
