/** Checks values against a JSON Schema of a caller, within bounds of steps, depth and size. */
import { cutText } from 'roster-prediction/text';
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

/** Each keyword for each value is a step, and so is each state of a pattern for each character: some milliseconds. */
const MAX_STEPS = 100_000;

/** How deep schemas apply within one another for a value: a reference may lead to itself. */
const MAX_NESTING = 200;

const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const SINGLE = ['additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else', 'items'] as const;
const UNCHECKED = ['unevaluatedProperties', 'unevaluatedItems', 'additionalItems', '$dynamicRef', '$recursiveRef'];

class OutOfSteps extends Error {}

/** The first fault of a value, as `/place must …`; undefined if it fits. */
type Fault = string | undefined;

/** A schema of drafts 7 and 2020-12, as the packages of OpenAI's clients write them. */
export class SchemaCheck {
  readonly #patterns = new Map<string, LinearPattern>();
  /** Of all patterns together: they are made at once, and kept as long as the schema. */
  readonly #states = new PatternStates();
  readonly #references = new Map<string, unknown>();
  readonly #read = new Set<unknown>();
  #steps = 0;

  /** @throws {SchemaError} if it is out of bounds, or has a keyword that is not checked here */
  constructor(private readonly schema: JsonRecord) {
    measure(schema);
    this.#readSchema(schema, '');
  }

  /** Returns the first fault of a value; undefined if it fits. */
  fault(value: unknown): Fault {
    this.#steps = MAX_STEPS;
    try {
      return this.#check(value, this.schema, '', 0);
    } catch (error) {
      if (error instanceof OutOfSteps) return 'takes more steps to check against the schema than an answer may';
      throw error;
    }
  }

  spend(count: number): void {
    this.#steps -= count;
    if (this.#steps < 0) throw new OutOfSteps();
  }

  #readSchema(schema: unknown, pointer: string): void {
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
        this.#readSchema(one, at);
      }
    }
    for (const keyword of LISTS) {
      for (const [index, one] of readList(schema, keyword, pointer).entries()) {
        this.#readSchema(one, `${pointer}/${keyword}/${index}`);
      }
    }
    for (const keyword of SINGLE) {
      const one = schema[keyword];
      if (one !== undefined) this.#readSchema(one, `${pointer}/${keyword}`);
    }
    if (typeof schema['pattern'] === 'string') this.#readPattern(schema['pattern'], `${pointer}/pattern`);
    if (schema['$ref'] !== undefined) this.#readReference(schema['$ref'], `${pointer}/$ref`);
  }

  #readPattern(source: string, pointer: string): void {
    try {
      if (!this.#patterns.has(source)) this.#patterns.set(source, new LinearPattern(source, this.#states));
    } catch (error) {
      if (error instanceof PatternError) throw new SchemaError(pointer, `has a pattern that ${error.message}`);
      throw error;
    }
  }

  #readReference(reference: unknown, pointer: string): void {
    const isLocal = typeof reference === 'string' && (reference === '#' || reference.startsWith('#/'));
    if (!isLocal) throw new SchemaError(pointer, 'must be a reference within the schema, such as #/$defs/name');
    if (this.#references.has(reference)) return;
    let target: unknown = this.schema;
    for (const part of reference.split('/').slice(1)) {
      const name = decodePart(part);
      target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
    }
    if (target === undefined) throw new SchemaError(pointer, 'must be a reference to a part of the schema');
    this.#references.set(reference, target);
    this.#readSchema(target, reference.slice(1));
  }

  #check(value: unknown, schema: unknown, at: string, nesting: number): Fault {
    this.spend(1);
    if (schema === true) return undefined;
    if (schema === false || !isObject(schema)) return say(at, 'must be left out');
    if (nesting > MAX_NESTING) return say(at, 'is nested too deeply to be checked');
    const apply = (one: unknown, own = value, place = at): Fault => this.#check(own, one, place, nesting + 1);
    return (
      this.#checkValue(value, schema, at) ??
      (typeof value === 'string' ? this.#checkText(value, schema, at) : undefined) ??
      (typeof value === 'number' ? checkNumber(value, schema, at) : undefined) ??
      (Array.isArray(value) ? this.#checkList(value, schema, at, apply) : undefined) ??
      (isObject(value) && !Array.isArray(value) ? this.#checkObject(value, schema, at, apply) : undefined) ??
      this.#combine(schema, at, apply)
    );
  }

  #checkValue(value: unknown, schema: JsonRecord, at: string): Fault {
    const types = typeof schema['type'] === 'string' ? [schema['type']] : schema['type'];
    if (Array.isArray(types) && !types.some((type) => hasType(value, type))) {
      return say(at, `must be of the type ${types.join(' or ')}`);
    }
    const { enum: choices } = schema;
    if (Array.isArray(choices) && !choices.some((choice) => this.#equals(value, choice))) {
      return say(at, 'must be one of the values that the schema lists');
    }
    if (Object.hasOwn(schema, 'const') && !this.#equals(value, schema['const'])) {
      return say(at, 'must be the value that the schema names');
    }
    return undefined;
  }

  #checkText(value: string, schema: JsonRecord, at: string): Fault {
    const { minLength, maxLength, pattern } = schema;
    if (minLength !== undefined || maxLength !== undefined) {
      this.spend(value.length);
      const length = Array.from(value).length;
      if (isBelow(length, minLength)) return say(at, `must have at least ${minLength} characters`);
      if (isAbove(length, maxLength)) return say(at, `must have at most ${maxLength} characters`);
    }
    if (typeof pattern !== 'string' || this.#matches(pattern, value)) return undefined;
    return say(at, 'must match the pattern of the schema');
  }

  #matches(pattern: string, text: string): boolean {
    return this.#patterns.get(pattern)?.test(text, this) ?? true;
  }

  #checkList(value: readonly unknown[], schema: JsonRecord, at: string, apply: Apply): Fault {
    const { minItems, maxItems, uniqueItems, prefixItems, items, contains, minContains = 1, maxContains } = schema;
    if (isBelow(value.length, minItems)) return say(at, `must have at least ${minItems} items`);
    if (isAbove(value.length, maxItems)) return say(at, `must have at most ${maxItems} items`);
    if (uniqueItems === true && this.#repeats(value)) return say(at, 'must have no item twice');
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    for (const [index, item] of value.entries()) {
      const own = index < first.length ? first[index] : items;
      const fault = own === undefined ? undefined : apply(own, item, `${at}/${index}`);
      if (fault !== undefined) return fault;
    }
    if (contains === undefined) return undefined;
    const count = value.filter((item) => apply(contains, item) === undefined).length;
    if (!isBelow(count, minContains) && !isAbove(count, maxContains)) return undefined;
    return say(at, 'must have the items that the schema asks for');
  }

  #repeats(list: readonly unknown[]): boolean {
    return list.some((item, index) => list.slice(0, index).some((earlier) => this.#equals(item, earlier)));
  }

  #checkObject(value: JsonRecord, schema: JsonRecord, at: string, apply: Apply): Fault {
    const names = Object.keys(value);
    this.spend(names.length);
    const { required, minProperties, maxProperties, propertyNames, additionalProperties, dependentRequired } = schema;
    if (isBelow(names.length, minProperties)) return say(at, `must have at least ${minProperties} members`);
    if (isAbove(names.length, maxProperties)) return say(at, `must have at most ${maxProperties} members`);
    const needed = [listTexts(required)];
    for (const [name, others] of Object.entries(isObject(dependentRequired) ? dependentRequired : {})) {
      if (Object.hasOwn(value, name)) needed.push(listTexts(others));
    }
    for (const name of needed.flat()) {
      this.spend(1);
      if (!Object.hasOwn(value, name)) return say(`${at}/${name}`, 'must be there');
    }
    const properties = readMembers(schema, 'properties');
    const patterns = Object.entries(readMembers(schema, 'patternProperties'));
    for (const name of names) {
      const place = `${at}/${name}`;
      const own = patterns.filter(([pattern]) => this.#matches(pattern, name)).map(([, one]) => one);
      if (Object.hasOwn(properties, name)) own.push(properties[name]);
      if (own.length === 0 && additionalProperties !== undefined) own.push(additionalProperties);
      for (const one of own) {
        const fault = apply(one, value[name], place);
        if (fault !== undefined) return fault;
      }
      const fault = propertyNames === undefined ? undefined : apply(propertyNames, name, place);
      if (fault !== undefined) return fault;
    }
    for (const [name, one] of Object.entries(readMembers(schema, 'dependentSchemas'))) {
      const fault = Object.hasOwn(value, name) ? apply(one) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #combine(schema: JsonRecord, at: string, apply: Apply): Fault {
    const { $ref, allOf, anyOf, oneOf, not, if: condition } = schema;
    const all = [...(Array.isArray(allOf) ? allOf : [])];
    if (typeof $ref === 'string') all.push(this.#references.get($ref));
    if (condition !== undefined) {
      const following = schema[apply(condition) === undefined ? 'then' : 'else'];
      if (following !== undefined) all.push(following);
    }
    for (const one of all) {
      const fault = apply(one);
      if (fault !== undefined) return fault;
    }
    if (Array.isArray(anyOf)) {
      let fault: Fault;
      for (const one of anyOf) {
        fault = apply(one);
        if (fault === undefined) break;
      }
      if (fault !== undefined) return anyOf.length === 1 ? fault : say(at, 'must fit one of the choices of the schema');
    }
    if (Array.isArray(oneOf) && oneOf.filter((one) => apply(one) === undefined).length !== 1) {
      return say(at, 'must fit exactly one of the choices of the schema');
    }
    if (not !== undefined && apply(not) === undefined) return say(at, 'must not fit what the schema excludes');
    return undefined;
  }

  #equals(a: unknown, b: unknown): boolean {
    this.spend(1);
    if (!isObject(a) || !isObject(b)) return a === b;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    return names.every((name) => Object.hasOwn(b, name) && this.#equals(a[name], b[name]));
  }
}

/** Applies a schema to a value, by default to the one that is checked. */
type Apply = (schema: unknown, value?: unknown, place?: string) => Fault;

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

function listTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

/** RFC 6901: a part of a pointer in a fragment. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value) && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function checkNumber(value: number, schema: JsonRecord, at: string): Fault {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (isBelow(value, minimum)) return say(at, `must be at least ${minimum}`);
  if (isAbove(value, maximum)) return say(at, `must be at most ${maximum}`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    return say(at, `must be above ${exclusiveMinimum}`);
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    return say(at, `must be below ${exclusiveMaximum}`);
  }
  if (typeof multipleOf !== 'number' || multipleOf <= 0) return undefined;
  const quotient = value / multipleOf;
  // 0.3 is a multiple of 0.1, though not in binary fractions.
  const isMultiple = Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
  return isMultiple ? undefined : say(at, `must be a multiple of ${multipleOf}`);
}

function isBelow(value: number, bound: unknown): boolean {
  return typeof bound === 'number' && value < bound;
}

function isAbove(value: number, bound: unknown): boolean {
  return typeof bound === 'number' && value > bound;
}

const MAX_PLACE = 200;

function say(at: string, message: string): string {
  return at === '' ? `it ${message}` : `${cutText(at, MAX_PLACE)} ${message}`;
}
