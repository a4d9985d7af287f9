import fc from 'fast-check';
import type { Place } from '../../../testkit/openapi/document.js';
import {
  findBound,
  findPattern,
  isValid,
  listKeywords,
  listRequired,
  listTypes,
} from '../../../testkit/openapi/schema.js';
import { EDGE_KEYS, EDGE_NUMBERS, EDGE_TEXTS } from './edge-values.js';

/** The maximum depth of a value that may be any JSON; the contract allows 100. */
const DEEP = 80;

const keys = fc.oneof(fc.constantFrom(...EDGE_KEYS), fc.string({ maxLength: 12 }));

const scalars: fc.Arbitrary<unknown> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.constantFrom(...EDGE_NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(...EDGE_TEXTS),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

/** Any JSON value. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 60, arbitrary: scalars },
  { weight: 20, arbitrary: fc.array(scalars, { maxLength: 4 }) },
  { weight: 30, arbitrary: fc.dictionary(keys, scalars, { maxKeys: 5, noNullPrototype: true }) },
  { weight: 10, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: DEEP }).map(nested) },
);

function nested(levels: number): unknown {
  return levels === 0 ? 'deep' : [nested(levels - 1)];
}

/** The length, in characters of JSON, below which an item is repeated to fill an array. */
const SMALL = 120;

const known = new Map<string, fc.Arbitrary<unknown>>();

/** Generates valid values of a schema of the contract. */
export function makeValues(schema: Place): fc.Arbitrary<unknown> {
  return makeDrafts(schema).filter((value) => isValid(schema, value));
}

/** Generates values that are mostly valid; rules between fields are left to the validator. */
export function makeDrafts(schema: Place): fc.Arbitrary<unknown> {
  const found = known.get(schema.pointer) ?? buildDrafts(schema);
  known.set(schema.pointer, found);
  return found;
}

function buildDrafts(schema: Place): fc.Arbitrary<unknown> {
  const { const: only, enum: some, type } = listKeywords(schema);
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(some)) return fc.constantFrom<unknown>(...some);
  const branches = [...schema.entries('oneOf'), ...schema.entries('anyOf')];
  if (branches.length > 0) return fc.oneof(...branches.map(([, branch]) => makeDrafts(branch)));
  if (type === undefined && schema.find('properties') === undefined) return anything;
  return fc.oneof(...listTypes(schema).map((name) => weighed(name, schema)));
}

function weighed(type: string, schema: Place): fc.WeightedArbitrary<unknown> {
  return { weight: type === 'null' ? 1 : 4, arbitrary: draftsOfType(type, schema) };
}

function draftsOfType(type: string, schema: Place): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return makeTexts(schema);
    case 'integer':
      return makeIntegers(schema);
    case 'number':
      return makeNumbers(schema);
    case 'array':
      return makeArrays(schema);
    default:
      return makeObjects(schema);
  }
}

function makeIntegers(schema: Place): fc.Arbitrary<number> {
  const min = findBound(schema, 'minimum', -(2 ** 31));
  const max = findBound(schema, 'maximum', 2 ** 31 - 1);
  const step = findBound(schema, 'multipleOf', 1);
  return fc
    .oneof(fc.integer({ min, max }), fc.constantFrom(min, max), fc.integer({ min, max: Math.min(max, min + 20) }))
    .map((value) => Math.ceil(value / step) * step);
}

function makeNumbers(schema: Place): fc.Arbitrary<number> {
  const min = findBound(schema, 'minimum', -1e9);
  const max = findBound(schema, 'maximum', 1e9);
  return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(min, max));
}

function makeArrays(schema: Place): fc.Arbitrary<unknown[]> {
  const items = schema.find('items');
  const minLength = findBound(schema, 'minItems', 0);
  const most = findBound(schema, 'maxItems', 1000);
  const item = items === undefined ? anything : makeDrafts(items);
  const lengths = { minLength, maxLength: Math.min(most, minLength + 4) };
  if (schema.find('uniqueItems')?.value === true) {
    return fc.uniqueArray(item, { ...lengths, selector: (one) => JSON.stringify(one) });
  }
  const few = fc.array(item, lengths);
  if (most > 1000) return few;
  // As many small items as allowed: the limits of a body are separate.
  const full = item
    .filter((one) => JSON.stringify(one).length < SMALL)
    .map((one) => Array.from({ length: most }, () => one));
  return fc.oneof({ weight: 40, arbitrary: few }, { weight: 1, arbitrary: full });
}

function makeObjects(schema: Place): fc.Arbitrary<object> {
  const fields = Object.fromEntries(schema.entries('properties').map(([name, field]) => [name, makeDrafts(field)]));
  const declared = fc.record(fields, {
    requiredKeys: listRequired(schema).filter((name) => Object.hasOwn(fields, name)),
    noNullPrototype: true,
  });
  const { additionalProperties, unevaluatedProperties, maxProperties } = listKeywords(schema);
  if (maxProperties === 1) {
    const alone = Object.entries(fields).map(([name, value]) => value.map((only) => ({ [name]: only })));
    return fc.oneof(...alone);
  }
  if (additionalProperties === false || unevaluatedProperties === false) {
    return withoutConflicts(schema, declared);
  }
  const typed = typeof additionalProperties === 'object' && schema.find('additionalProperties');
  const values = typed ? makeDrafts(typed) : anything;
  const others = fc.dictionary(keys, values, { maxKeys: 6, noNullPrototype: true });
  const most = findBound(schema, 'maxProperties', 1000);
  const full = values.map((value) =>
    Object.fromEntries(Array.from({ length: most }, (_, key) => [`k${key}`, typed ? value : key])),
  );
  const open = fc.oneof({ weight: 60, arbitrary: others }, { weight: 1, arbitrary: full });
  // Spreading would lose a key named __proto__.
  return fc
    .tuple(open, declared)
    .map(([more, fewer]) => Object.fromEntries([...Object.entries(more), ...Object.entries(fewer)].slice(-most)));
}

/** Removes some of the fields that exclude each other (`if` … `then`). */
function withoutConflicts(schema: Place, drafts: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const rules = schema.entries('allOf').map(([, rule]) => rule);
  if (rules.length === 0) return drafts;
  return fc.tuple(drafts, fc.boolean()).map(([draft, first]) =>
    rules.reduce((fields, rule) => {
      if (isValid(rule, fields)) return fields;
      const others = rule.entries('then', 'properties').map(([name]) => name);
      const left = first ? listRequired(rule.at('if')) : others;
      return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.includes(name)));
    }, draft),
  );
}

/** The length, in characters, above which texts are generated rarely. */
const LONG = 200;

/**
 * Generates valid texts of a schema: by its pattern, edge values, all of Unicode, and of the maximum length.
 */
function makeTexts(schema: Place): fc.Arbitrary<string> {
  const least = findBound(schema, 'minLength', 0);
  const most = findBound(schema, 'maxLength', 1000);
  const plain = plainTexts(schema, least, most);
  const nasty = EDGE_TEXTS.filter((text) => isValid(schema, text));
  const valid = (drafted: fc.Arbitrary<string>) =>
    fc.tuple(drafted, plain).map(([draft, otherwise]) => (isValid(schema, draft) ? draft : otherwise));
  const longest = Math.min(most, 100_000);
  return fc.oneof(
    { weight: 80, arbitrary: plain },
    ...(nasty.length > 0 ? [{ weight: 60, arbitrary: fc.constantFrom(...nasty) }] : []),
    { weight: 20, arbitrary: valid(fc.string({ unit: 'binary', maxLength: Math.min(most, 40) })) },
    { weight: longest > LONG ? 1 : 10, arbitrary: valid(plain.map((text) => paddedTo(text, longest))) },
    { weight: 10, arbitrary: valid(plain.map((text) => [...text].slice(0, least).join(''))) },
  );
}

export function paddedTo(text: string, length: number): string {
  const padding = [...text].at(-1) ?? 'a';
  return text + padding.repeat(Math.max(0, length - [...text].length));
}

/** The years that RFC 3339 can write. */
const WITH_FOUR_DIGITS = { min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true };

function plainTexts(schema: Place, least: number, most: number): fc.Arbitrary<string> {
  const { format } = listKeywords(schema);
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') return fc.date(WITH_FOUR_DIGITS).map((date) => date.toISOString());
  const pattern = findPattern(schema);
  if (pattern === undefined) return fc.string({ minLength: least, maxLength: Math.min(most, 40) });
  // fast-check does not support negative lookaheads: they are removed here, and checked on each text
  // afterwards.
  const made = new RegExp(pattern.source.replace(/\(\?![^()]*\)/g, ''), 'u');
  return fc
    .stringMatching(made)
    .map((text) => [...text].slice(0, most).join(''))
    .filter((text) => isValid(schema, text));
}
