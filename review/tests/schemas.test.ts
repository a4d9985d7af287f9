/**
 * Tests of pairs of schemas, each for the body and the response of one operation. Narrowing breaks senders, and
 * widening breaks readers. The reverse direction is tested as well.
 */
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { broken, makeContract, review, summarize } from './small-contract.js';

type Whom = 'nobody' | 'sender' | 'reader' | 'both';
type Row = readonly [name: string, before: string, after: string, there: Whom, back: Whom];

/** The schemas that the pairs refer to. */
const SCHEMAS = load(`
Cat: { type: object, required: [kind, lives], properties: { kind: { const: cat }, lives: { type: integer } } }
Dog: { type: object, required: [kind, tricks], properties: { kind: { const: dog }, tricks: { type: integer } } }
Text: { type: string }
Open: { type: object, required: [a], properties: { a: { type: string } } }
`);

// biome-ignore format: one behaviour a line is read more easily.
const ROWS: readonly Row[] = [
  ['nothing differs', '{type: string}', '{type: string}', 'nobody', 'nobody'],
  ['a reference equals its target', '{$ref: "#/components/schemas/Text"}', '{type: string}', 'nobody', 'nobody'],
  ['allOf of one part is that part', '{allOf: [{type: string}]}', '{type: string}', 'nobody', 'nobody'],
  ['keywords may move into allOf', '{type: string, minLength: 1}', '{allOf: [{type: string}, {minLength: 1}]}', 'nobody', 'nobody'],
  ['keywords beside a reference hold too', '{$ref: "#/components/schemas/Text"}', '{$ref: "#/components/schemas/Text", maxLength: 5}', 'sender', 'reader'],
  ['the order of types and values does not matter', '{type: [string, "null"], enum: [a, b, null]}', '{type: ["null", string], enum: [null, b, a]}', 'nobody', 'nobody'],

  ['a type changes', '{type: string}', '{type: integer}', 'both', 'both'],
  ['number becomes integer', '{type: number}', '{type: integer}', 'sender', 'reader'],
  ['one type of several is removed', '{type: [string, integer]}', '{type: string}', 'sender', 'reader'],
  ['null is removed', '{type: [string, "null"]}', '{type: string}', 'sender', 'reader'],
  ['null is removed, in the notation of OpenAPI 3.0', '{type: string, nullable: true}', '{type: string}', 'sender', 'reader'],
  ['a type is added', '{}', '{type: string}', 'sender', 'reader'],
  ['no value is possible any longer', '{type: string}', 'false', 'sender', 'reader'],

  ['a value is removed', '{enum: [a, b]}', '{enum: [a]}', 'sender', 'reader'],
  ['a constant changes', '{const: a}', '{const: b}', 'both', 'both'],
  ['const is an enum of one', '{const: a}', '{enum: [a]}', 'nobody', 'nobody'],
  ['free text becomes named values', '{type: string}', '{type: string, enum: [a]}', 'sender', 'reader'],
  ['named values become a pattern that one of them breaks', '{enum: [a, b]}', '{type: string, pattern: "^a"}', 'both', 'both'],
  ['a bound that every named value meets', '{enum: [a, b], maxLength: 3}', '{enum: [a, b]}', 'nobody', 'nobody'],
  ['null by const is null by type', '{const: null}', '{type: "null"}', 'nobody', 'nobody'],

  ['minimum is raised', '{type: number, minimum: 1}', '{type: number, minimum: 2}', 'sender', 'reader'],
  ['maximum is lowered', '{type: number, maximum: 2}', '{type: number, maximum: 1}', 'sender', 'reader'],
  ['a bound becomes exclusive', '{type: number, minimum: 1}', '{type: number, exclusiveMinimum: 1}', 'sender', 'reader'],
  ['more than 0 is at least 1, of integers', '{type: integer, exclusiveMinimum: 0}', '{type: integer, minimum: 1}', 'nobody', 'nobody'],
  ['a bound is exclusive in the notation of OpenAPI 3.0', '{type: number, minimum: 1}', '{type: number, minimum: 1, exclusiveMinimum: true}', 'sender', 'reader'],
  ['a value is excluded in the notation of OpenAPI 3.0', '{type: integer, enum: [1, 2]}', '{type: integer, minimum: 1, exclusiveMinimum: true}', 'both', 'both'],
  ['minLength is raised', '{type: string, minLength: 1}', '{type: string, minLength: 2}', 'sender', 'reader'],
  ['maxLength is added', '{type: string}', '{type: string, maxLength: 5}', 'sender', 'reader'],
  ['minLength of 0 has no effect', '{type: string, minLength: 0}', '{type: string}', 'nobody', 'nobody'],
  ['maxItems is lowered', '{type: array, maxItems: 5}', '{type: array, maxItems: 4}', 'sender', 'reader'],
  ['maxProperties is lowered', '{type: object, maxProperties: 5}', '{type: object, maxProperties: 4}', 'sender', 'reader'],
  ['a bound of another type has no effect', '{type: string}', '{type: string, maximum: 3}', 'nobody', 'nobody'],
  ['multipleOf becomes a multiple of the old value', '{type: integer, multipleOf: 5}', '{type: integer, multipleOf: 10}', 'sender', 'reader'],
  ['multipleOf becomes another number', '{type: integer, multipleOf: 2}', '{type: integer, multipleOf: 3}', 'both', 'both'],
  ['the two bounds of allOf hold together', '{type: string, maxLength: 3}', '{allOf: [{type: string, maxLength: 9}, {maxLength: 3}]}', 'nobody', 'nobody'],

  ['a pattern is added', '{type: string}', '{type: string, pattern: a}', 'sender', 'nobody'],
  ['a pattern changes', '{type: string, pattern: a}', '{type: string, pattern: b}', 'sender', 'sender'],
  ['a second pattern is added', '{type: string, pattern: a}', '{type: string, pattern: a, allOf: [{pattern: b}]}', 'sender', 'nobody'],
  ['a format is added', '{type: string}', '{type: string, format: date}', 'sender', 'reader'],
  ['a format changes', '{type: string, format: date}', '{type: string, format: date-time}', 'both', 'both'],
  ['a format becomes a narrower one', '{type: integer, format: int64}', '{type: integer, format: int32}', 'sender', 'reader'],
  ['elements must differ', '{type: array}', '{type: array, uniqueItems: true}', 'sender', 'reader'],

  ['an optional field is added', '{type: object}', '{type: object, properties: {a: {type: string}}}', 'nobody', 'reader'],
  ['an optional field is added to a closed object', '{type: object, additionalProperties: false}', '{type: object, additionalProperties: false, properties: {a: {}}}', 'nobody', 'both'],
  ['a required field is added', '{type: object, properties: {}}', '{type: object, required: [a], properties: {a: {}}}', 'sender', 'reader'],
  ['a field becomes required', '{type: object, properties: {a: {}}}', '{type: object, required: [a], properties: {a: {}}}', 'sender', 'reader'],
  ['a field that no schema names becomes required', '{type: object}', '{type: object, required: [a]}', 'sender', 'reader'],
  ['a field is named that was allowed with any value', '{type: object, additionalProperties: true}', '{type: object, additionalProperties: true, properties: {a: {type: string}}}', 'sender', 'reader'],
  ['a field is named that had the same type before', '{type: object, additionalProperties: {type: string}}', '{type: object, additionalProperties: {type: string}, properties: {a: {type: string}}}', 'nobody', 'reader'],
  ['a read-only field is not the sender’s', '{type: object, properties: {}}', '{type: object, required: [a], properties: {a: {readOnly: true}}}', 'nobody', 'reader'],
  ['a write-only field is not the reader’s', '{type: object, properties: {}}', '{type: object, properties: {a: {writeOnly: true}}}', 'nobody', 'nobody'],
  ['a field becomes read-only', '{type: object, properties: {a: {}}}', '{type: object, properties: {a: {readOnly: true}}}', 'sender', 'nobody'],
  ['a field within a field', '{type: object, properties: {a: {type: object, properties: {b: {maxLength: 9}}}}}', '{type: object, properties: {a: {type: object, properties: {b: {maxLength: 5}}}}}', 'sender', 'reader'],
  ['a field is named like a method of objects', '{type: object}', '{type: object, properties: {constructor: {type: string}}}', 'nobody', 'reader'],
  ['other fields are refused', '{type: object}', '{type: object, additionalProperties: false}', 'sender', 'nobody'],
  ['other fields are refused, those of a part too', '{allOf: [{$ref: "#/components/schemas/Open"}]}', '{allOf: [{$ref: "#/components/schemas/Open"}], unevaluatedProperties: false}', 'sender', 'nobody'],
  ['a field moves into a part of allOf', '{type: object, properties: {a: {type: string}}, required: [a], unevaluatedProperties: false}', '{allOf: [{$ref: "#/components/schemas/Open"}], unevaluatedProperties: false}', 'nobody', 'nobody'],
  ['the values of other fields are narrowed', '{type: object, additionalProperties: {type: number}}', '{type: object, additionalProperties: {type: integer}}', 'sender', 'reader'],
  ['the values under a pattern are narrowed', '{type: object, patternProperties: {^x: {type: number}}}', '{type: object, patternProperties: {^x: {type: integer}}}', 'sender', 'reader'],
  ['the names of fields are narrowed', '{type: object}', '{type: object, propertyNames: {maxLength: 3}}', 'sender', 'reader'],
  ['a field requires another', '{type: object}', '{type: object, dependentRequired: {a: [b]}}', 'sender', 'reader'],

  ['elements are narrowed', '{type: array, items: {type: number}}', '{type: array, items: {type: integer}}', 'sender', 'reader'],
  ['one place of a tuple is narrowed', '{type: array, prefixItems: [{type: number}]}', '{type: array, prefixItems: [{type: integer}]}', 'sender', 'reader'],
  ['contains is added', '{type: array}', '{type: array, contains: {const: 1}}', 'sender', 'reader'],

  ['an alternative is removed', '{oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}]}', '{$ref: "#/components/schemas/Cat"}', 'sender', 'reader'],
  ['an alternative of anyOf is removed', '{anyOf: [{type: string}, {type: integer}]}', '{anyOf: [{type: string}, {type: boolean}]}', 'both', 'both'],
  ['alternatives in another order', '{oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}]}', '{oneOf: [{$ref: "#/components/schemas/Dog"}, {$ref: "#/components/schemas/Cat"}]}', 'nobody', 'nobody'],
  ['types as a choice', '{type: [string, "null"]}', '{oneOf: [{type: string}, {type: "null"}]}', 'nobody', 'nobody'],
  ['a bound within one alternative', '{oneOf: [{type: string, maxLength: 9}, {type: integer}]}', '{oneOf: [{type: string, maxLength: 5}, {type: integer}]}', 'sender', 'reader'],
  ['an alternative that another one covers', '{anyOf: [{type: integer}, {type: number}]}', '{anyOf: [{type: number}, {type: boolean}]}', 'reader', 'sender'],
  ['the common part of all alternatives is narrowed', '{maxProperties: 9, oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}]}', '{maxProperties: 5, oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}]}', 'sender', 'reader'],

  ['a condition is added', '{type: object}', '{type: object, if: {required: [a]}, then: {required: [b]}}', 'sender', 'reader'],
  ['a condition requires more', '{type: object, if: {required: [a]}, then: {}}', '{type: object, if: {required: [a]}, then: {required: [b]}}', 'sender', 'reader'],
  ['a condition changes its subject', '{type: object, if: {required: [a]}, then: {required: [b]}}', '{type: object, if: {required: [c]}, then: {required: [b]}}', 'both', 'both'],
  ['some objects may have other fields', '{type: object, additionalProperties: false}', '{type: object, if: {required: [a]}, then: {unevaluatedProperties: true}, unevaluatedProperties: false}', 'nobody', 'sender'],
  ['a closed object is opened up to a count', '{type: object, additionalProperties: false, properties: {a: {}}}', '{type: object, additionalProperties: true, maxProperties: 9, properties: {a: {}}}', 'nobody', 'sender'],
  ['a value is excluded', '{type: string}', '{type: string, not: {const: a}}', 'sender', 'reader'],

  ['a default changes', '{type: string, default: a}', '{type: string, default: b}', 'sender', 'sender'],
  ['deprecation is only a note', '{type: string}', '{type: string, deprecated: true}', 'nobody', 'nobody'],
  ['a description does not affect the possible values', '{type: string, description: a}', '{type: string, description: b}', 'nobody', 'nobody'],
  ['an unknown keyword is only a note', '{type: string, x-own: 1}', '{type: string, x-own: 2}', 'nobody', 'nobody'],
];

function breaksFor(before: string, after: string): Whom {
  const schemas = typeof SCHEMAS === 'object' ? { ...SCHEMAS } : {};
  const [old, now] = [before, after].map((schema) => makeContract(load(schema), schemas));
  const parties = broken(review(old ?? '', now ?? ''));
  if (parties.length === 2) return 'both';
  const [party = 'nobody'] = parties;
  return party === 'caller' ? 'both' : party;
}

describe.each(ROWS)('%s', (_, before, after, there, back) => {
  test(`breaks ${there}`, () => expect(breaksFor(before, after)).toBe(there));
  test(`breaks ${back} in reverse`, () => expect(breaksFor(after, before)).toBe(back));
});

describe('a schema that contains itself', () => {
  const tree = (leaf: string) => ({
    Tree: load(
      `{type: object, properties: {leaf: ${leaf}, branches: {type: array, items: {$ref: "#/components/schemas/Tree"}}}}`,
    ),
  });
  const root = { $ref: '#/components/schemas/Tree' };

  test('is equal to itself', () => {
    const same = makeContract(root, tree('{type: string}'));
    expect(summarize(review(same, same))).toEqual([]);
  });

  test('is narrowed once', () => {
    const before = makeContract(root, tree('{type: string}'));
    const after = makeContract(root, tree('{type: string, maxLength: 5}'));
    expect(summarize(review(before, after))).toEqual([
      'bound-tightened (sender) save body.leaf',
      'bound-tightened (reader) save 200 body.leaf',
    ]);
  });

  test('that refers to itself by allOf is compared', () => {
    const self = { Self: load('{allOf: [{$ref: "#/components/schemas/Self"}], type: string}') };
    const same = makeContract({ $ref: '#/components/schemas/Self' }, self);
    expect(summarize(review(same, same))).toEqual([]);
  });
});
