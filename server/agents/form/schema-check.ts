/** Checks values against a JSON Schema of a caller, within bounds of steps and depth. */
import { cutText } from 'roster-prediction/text';
import { asArray, asRecord, isObject, type JsonRecord } from '../../../contract/json-record.js';
import { SchemaParts } from './schema-parts.js';

/**
 * Each schema for each value is a step, and so are each member of a keyword or value that is walked, and each state of a
 * pattern for each character: some milliseconds.
 */
const MAX_STEPS = 100_000;

/** How deep schemas apply within one another for a value: a reference may lead to itself. */
const MAX_NESTING = 200;
const TOO_DEEP = 'is nested too deeply to be checked';

/** A value cannot be checked within the bounds. The message is a fault. */
class OutOfBounds extends Error {}

/** The first fault of a value, as `/place must …`; undefined if it fits. */
type Fault = string | undefined;

/** A schema of drafts 7 and 2020-12, as the packages of OpenAI's clients write them. */
export class SchemaCheck {
  readonly #parts: SchemaParts;
  /** The names of the members of compared values, which are often compared with several others. */
  readonly #names = new WeakMap<object, readonly string[]>();
  #steps = 0;

  /** @throws {SchemaError} if it is out of bounds, or has a keyword that is not checked here */
  constructor(private readonly schema: JsonRecord) {
    this.#parts = new SchemaParts(schema);
  }

  /** Returns the first fault of a value; undefined if it fits. */
  fault(value: unknown): Fault {
    this.#steps = MAX_STEPS;
    try {
      return this.#check(value, this.schema, '', 0);
    } catch (error) {
      if (error instanceof OutOfBounds) return error.message;
      throw error;
    }
  }

  spend(count: number): void {
    this.#steps -= count;
    if (this.#steps < 0) throw new OutOfBounds('takes more steps to check against the schema than an answer may');
  }

  #check(value: unknown, schema: unknown, at: string, nesting: number): Fault {
    this.spend(1);
    if (schema === true) return undefined;
    if (schema === false || !isObject(schema)) return say(at, 'must be left out');
    if (nesting > MAX_NESTING) return say(at, TOO_DEEP);
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
    const { type, enum: choices } = schema;
    const types = typeof type === 'string' ? [type] : type;
    if (Array.isArray(types) && !types.some((one) => this.#hasType(value, one))) {
      return say(at, `must be of the type ${types.join(' or ')}`);
    }
    if (Array.isArray(choices) && !choices.some((choice) => this.#equals(value, choice))) {
      return say(at, 'must be one of the values that the schema lists');
    }
    if (Object.hasOwn(schema, 'const') && !this.#equals(value, schema['const'])) {
      return say(at, 'must be the value that the schema names');
    }
    return undefined;
  }

  #hasType(value: unknown, type: unknown): boolean {
    if (hasType(value, type)) return true;
    this.spend(1);
    return false;
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
    return this.#parts.patterns.get(pattern)?.test(text, this) ?? true;
  }

  #checkList(value: readonly unknown[], schema: JsonRecord, at: string, apply: Apply): Fault {
    const { minItems, maxItems, uniqueItems, prefixItems, items, contains, minContains = 1, maxContains } = schema;
    if (isBelow(value.length, minItems)) return say(at, `must have at least ${minItems} items`);
    if (isAbove(value.length, maxItems)) return say(at, `must have at most ${maxItems} items`);
    if (uniqueItems === true && this.#repeats(value)) return say(at, 'must have no item twice');
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    // Not over the items that no schema is for: each item here is a step.
    const end = items === undefined ? Math.min(first.length, value.length) : value.length;
    for (let index = 0; index < end; index += 1) {
      const fault = apply(index < first.length ? first[index] : items, value[index], `${at}/${index}`);
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
    const { required, minProperties, maxProperties, propertyNames, additionalProperties } = schema;
    if (isBelow(names.length, minProperties)) return say(at, `must have at least ${minProperties} members`);
    if (isAbove(names.length, maxProperties)) return say(at, `must have at most ${maxProperties} members`);
    const needed = [required];
    for (const [name, others] of this.#listMembers(schema['dependentRequired'])) {
      if (Object.hasOwn(value, name)) needed.push(others);
    }
    for (const list of needed) {
      const fault = this.#checkRequired(value, list, at);
      if (fault !== undefined) return fault;
    }
    const properties = asRecord(schema['properties']);
    const patterns = this.#listMembers(schema['patternProperties']);
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
    for (const [name, one] of this.#listMembers(schema['dependentSchemas'])) {
      const fault = Object.hasOwn(value, name) ? apply(one) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #checkRequired(value: JsonRecord, required: unknown, at: string): Fault {
    for (const name of asArray(required)) {
      this.spend(1);
      if (typeof name === 'string' && !Object.hasOwn(value, name)) return say(`${at}/${name}`, 'must be there');
    }
    return undefined;
  }

  #listMembers(map: unknown): readonly (readonly [name: string, value: unknown])[] {
    if (!isObject(map)) return [];
    const members = Object.entries(map);
    this.spend(members.length);
    return members;
  }

  #combine(schema: JsonRecord, at: string, apply: Apply): Fault {
    const { $ref, allOf, anyOf, oneOf, not, if: condition } = schema;
    for (const one of asArray(allOf)) {
      const fault = apply(one);
      if (fault !== undefined) return fault;
    }
    const more = typeof $ref === 'string' ? [this.#parts.references.get($ref)] : [];
    if (condition !== undefined) {
      const following = schema[apply(condition) === undefined ? 'then' : 'else'];
      if (following !== undefined) more.push(following);
    }
    for (const one of more) {
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

  #equals(a: unknown, b: unknown, nesting = 0): boolean {
    this.spend(1);
    if (!isObject(a) || !isObject(b)) return a === b;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    if (nesting > MAX_NESTING) throw new OutOfBounds(say('', TOO_DEEP));
    const names = this.#listNames(a);
    if (names.length !== this.#listNames(b).length) return false;
    return names.every((name) => Object.hasOwn(b, name) && this.#equals(a[name], b[name], nesting + 1));
  }

  /** Returns the names of the members of a value, for a step each at the first time. */
  #listNames(value: JsonRecord): readonly string[] {
    const known = this.#names.get(value);
    if (known) return known;
    const names = Object.keys(value);
    this.spend(names.length);
    this.#names.set(value, names);
    return names;
  }
}

/** Applies a schema to a value, by default to the one that is checked. */
type Apply = (schema: unknown, value?: unknown, place?: string) => Fault;

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
