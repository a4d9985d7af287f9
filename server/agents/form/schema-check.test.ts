import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SchemaCheck } from './schema-check.js';
import { SchemaError } from './schema-parts.js';

const names = fc.constantFrom('a', 'b', 'length');
const numbers = fc.constantFrom(0, 1, 2, 1.5);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, 0, 1, 1.5, 3, '', 'a', 'ab', 'é😀'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const type = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object');
const keywords: Record<string, fc.Arbitrary<unknown>> = {
  type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
  enum: fc.array(values, { minLength: 1, maxLength: 3 }),
  const: values,
  minimum: numbers,
  exclusiveMaximum: numbers,
  multipleOf: fc.constantFrom(1, 2, 0.5),
  minLength: fc.nat(2),
  maxLength: fc.nat(2),
  pattern: fc.constantFrom('a', '^a$', '^.{1,2}$'),
  required: fc.uniqueArray(names, { maxLength: 2 }),
  minProperties: fc.nat(2),
  minItems: fc.nat(2),
  maxItems: fc.nat(2),
  uniqueItems: fc.boolean(),
  dependentRequired: fc.constantFrom({ a: ['b'] }),
};

const schemas = fc.letrec((tie) => {
  const schema = tie('schema');
  const map = fc.dictionary(names, schema, { maxKeys: 2 });
  const list = fc.array(schema, { minLength: 1, maxLength: 2 });
  const applied = {
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('a', '^b'), schema, { maxKeys: 1 }),
    additionalProperties: schema,
    propertyNames: schema,
    items: schema,
    prefixItems: list,
    contains: schema,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: schema,
    else: schema,
    $ref: fc.constant('#/$defs/other'),
  };
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.record(keywords, { requiredKeys: [] }).map((all) => Object.fromEntries(Object.entries(all).slice(0, 2))),
      fc.boolean(),
      fc.constantFrom(...Object.keys(applied)).chain((name) => {
        const keyword = Object.entries(applied).find(([one]) => one === name)?.[1] ?? schema;
        return fc.tuple(keyword, type).map(([value, own]) => ({ [name]: value, type: [own, 'object', 'array'] }));
      }),
    ),
  };
}).schema;

test('a value fits a schema where Ajv says so', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
  fc.assert(
    fc.property(schemas, values, (one, value) => {
      const schema = { $defs: { other: { type: ['string', 'number'] } }, allOf: [one] };
      expect(new SchemaCheck(schema).fault(value) === undefined).toBe(ajv.compile(schema)(value));
    }),
    { numRuns: 1500 },
  );
});

describe('a fault', () => {
  const schema = {
    type: 'object',
    required: ['price'],
    additionalProperties: false,
    properties: { price: { type: 'number', minimum: 1 }, tags: { items: { maxLength: 2 } } },
  };
  test.each([
    [[], 'it must be of the type object'],
    [{}, '/price must be there'],
    [{ price: 0 }, '/price must be at least 1'],
    [{ price: 1, colour: 'red' }, '/colour must be left out'],
    [{ price: 1, tags: ['ab', 'abc'] }, '/tags/1 must have at most 2 characters'],
  ])('of %j says where and how to fix it', (value, fault) => {
    expect(new SchemaCheck(schema).fault(value)).toBe(fault);
  });
});

/** Each level of the value is checked twice, and fails at the innermost one. */
const DOUBLING = {
  $ref: '#/$defs/a',
  $defs: {
    a: {
      anyOf: [1, 2].map(() => ({
        if: { required: ['x'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: { x: { $ref: '#/$defs/a' } } },
        else: false,
      })),
    },
  },
};

test('work that grows beyond its bounds is a fault', () => {
  let deep: object = {};
  for (let level = 0; level < 40; level += 1) deep = { x: deep };
  expect(new SchemaCheck(DOUBLING).fault(deep)).toContain('takes more steps');
  expect(new SchemaCheck({ $ref: '#' }).fault(1)).toContain('nested too deeply');
  const distinct = Array.from({ length: 5000 }, (_, index) => index);
  expect(new SchemaCheck({ uniqueItems: true }).fault(distinct)).toContain('takes more steps');
});

const APPLICATIONS = 900;

/** Applies a schema 900 times to a value. */
function applyOften(schema: object): Record<string, unknown> {
  const times = (name: string) => ({ allOf: Array.from({ length: 30 }, () => ({ $ref: `#/$defs/${name}` })) });
  return { ...times('some'), $defs: { some: times('one'), one: schema } };
}

const manyNames = Array.from({ length: 2000 }, (_, index) => `a${index}`);

function membersOf(value: unknown): Record<string, unknown> {
  return Object.fromEntries(manyNames.map((name) => [name, value]));
}

test.each([
  ['dependentRequired', { dependentRequired: membersOf([]) }],
  ['dependentSchemas', { dependentSchemas: membersOf(true) }],
  ['patternProperties', { patternProperties: membersOf(true) }],
  ['type', { not: { type: manyNames } }],
])('each member of %s that is looked at is a step', (_, schema) => {
  expect(new SchemaCheck(schema).fault({})).toBeUndefined();
  expect(new SchemaCheck(applyOften(schema)).fault({})).toContain('takes more steps');
});

/** Counts how often members are read or listed. */
function countReads<T extends object>(value: T): { value: T; reads: () => number } {
  let reads = 0;
  const counted = new Proxy(value, {
    get: (target, name) => {
      reads += 1;
      return Reflect.get(target, name);
    },
    ownKeys: (target) => {
      const keys = Reflect.ownKeys(target);
      reads += keys.length;
      return keys;
    },
  });
  return { value: counted, reads: () => reads };
}

test.each<[what: string, list: object, schema: (list: object) => object, answer: (list: object) => unknown]>([
  ['names after a missing one', manyNames, (required) => ({ not: { required } }), () => ({})],
  ['schemas after a misfit', manyNames.map(() => false), (allOf) => ({ not: { allOf } }), () => ({})],
  ['items without a schema', manyNames, () => ({ minItems: 1 }), (list) => list],
  ['members of a compared value', membersOf(0), (value) => ({ not: { const: value } }), () => ({})],
])('%s are not read each time', (_, list, schema, answer) => {
  const counted = countReads(list);
  const check = new SchemaCheck(applyOften(schema(counted.value)));
  const before = counted.reads();
  expect(check.fault(answer(counted.value))).toBeUndefined();
  expect(counted.reads() - before).toBeLessThan(10 * APPLICATIONS);
});

test('lists that are nested without an end are not compared', () => {
  const deep = JSON.parse(`${'['.repeat(15_000)}${']'.repeat(15_000)}`);
  expect(new SchemaCheck({ uniqueItems: true }).fault([deep, deep])).toBe('it is nested too deeply to be checked');
});

test('a chain of references may be as long as a schema', () => {
  const links = Array.from({ length: 2400 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]);
  const $defs = { ...Object.fromEntries(links), d2400: { type: 'string' } };
  const check = new SchemaCheck({ $defs, properties: { near: { $ref: '#/$defs/d2390' } } });
  expect(check.fault({ near: 1 })).toBe('/near must be of the type string');
});

function nested(levels: number): Record<string, unknown> {
  return levels === 0 ? {} : { items: nested(levels - 1) };
}

/** Patterns of about a thousand states each, at most nineteen. */
function repetitions(count: number): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${'abcdefghijklmnopqrst'[index]}{1000}`, true]),
  );
}

test('a pattern that a schema repeats takes its states once', () => {
  const schema = { patternProperties: repetitions(19), pattern: 'a{1000}' };
  expect(new SchemaCheck(schema).fault('a')).toBe('it must match the pattern of the schema');
});

test.each<[what: string, schema: Record<string, unknown>, pointer: string]>([
  ['5,001 values', { enum: Array.from({ length: 5001 }, () => 1) }, ''],
  ['a million characters', { description: 'x'.repeat(1_000_000) }, ''],
  ['100 levels', nested(100), ''],
  ['a reference to an address', { $ref: 'https://example.com/schema' }, '/$ref'],
  ['a reference to nothing', { properties: { a: { $ref: '#/$defs/a' } } }, '/properties/a/$ref'],
  ['a back reference', { items: { pattern: '(a)\\1' } }, '/items/pattern'],
  [
    'many repetitions in many patterns',
    { items: { patternProperties: repetitions(20) } },
    '/items/patternProperties/t{1000}',
  ],
  ['a pattern of a name', { patternProperties: { '(?<=a)b': {} } }, '/patternProperties/(?<=a)b'],
  ['a schema that is none', { properties: { a: 1 } }, '/properties/a'],
  ['what is not checked', { unevaluatedProperties: false }, '/unevaluatedProperties'],
])('a schema with %s is refused', (_, schema, pointer) => {
  expect(() => new SchemaCheck(schema)).toThrow(SchemaError);
  expect(() => new SchemaCheck(schema)).toThrow(expect.objectContaining({ pointer }));
});
