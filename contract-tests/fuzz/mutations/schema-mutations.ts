import { asRecord } from '../../../contract/json-record.js';
import { escapeToken } from '../../../contract/pointer.js';
import type { Place } from '../../../testkit/openapi/document.js';
import {
  type Fault,
  findBound,
  findFaults,
  findPattern,
  findType,
  listKeywords,
  listRequired,
  listTypes,
  simplest,
} from '../../../testkit/openapi/schema.js';
import { listSites, type Site, withField, without } from '../../../testkit/openapi/sites.js';
import { EDGE_TEXTS } from '../values/edge-values.js';
import { paddedTo } from '../values/values.js';

/** A mutation that breaks exactly one keyword of the schema. */
export interface Mutation {
  keyword: string;
  /** The JSON pointer to the faulty part. */
  pointer: string;
  /** Creates the value, which may be large. Returns undefined if another keyword would be broken too. */
  make: () => { value: unknown } | undefined;
}

/** A value that breaks one keyword, and possibly others; a function makes one that is large. */
type Wrong = readonly (unknown | (() => unknown))[];

/** A change of a value that breaks one keyword, and possibly others. */
interface Change {
  keyword: string;
  /** The faulty field; undefined if the value as a whole is faulty. */
  field?: string;
  value: unknown;
}

/** A value of each JSON type. */
const ONE_OF_EACH: readonly unknown[] = [null, true, 7, 1.5, 'text', [], {}];

const UNKNOWN_FIELDS = ['colour', 'Name', '__proto__', 'constructor', '', 'a/b~c', 'id '];

/** The maximum size of generated arrays and objects. */
const MAX_SIZE = 2000;

/** Returns the mutations of a valid value, each of which breaks one keyword of the schema and no other. */
export function listMutations(schema: Place, value: unknown): Mutation[] {
  return listSites(schema, value).flatMap((site) =>
    changesAt(site).map(({ keyword, field, value }) => {
      const pointer = field === undefined ? site.pointer : `${site.pointer}/${escapeToken(field)}`;
      const make = () => {
        const whole = site.put(typeof value === 'function' ? value() : value);
        const faults = findFaults(schema, whole);
        return isSingle(faults, keyword, pointer, schema) ? { value: whole } : undefined;
      };
      return { keyword, pointer, make };
    }),
  );
}

/**
 * Returns whether a keyword is the only one broken. In a choice, the other branches may fail too; in the intended
 * branch, only this keyword.
 */
function isSingle(faults: Fault[], keyword: string, pointer: string, schema: Place): boolean {
  if (!faults.some((fault) => fault.keyword === keyword && fault.pointer === pointer)) return false;
  return schema.find('oneOf') !== undefined || faults.every((fault) => fault.pointer === pointer);
}

function changesAt(site: Site): Change[] {
  const { schema } = site;
  const wrong: Record<string, Wrong> = {
    type: wrongTypes(schema),
    oneOf: schema.find('oneOf') === undefined ? [] : [null, true, 7, 'text'],
    not: schema.find('not') === undefined ? [] : [simplest(schema.at('not'))],
    enum: ['another', 'Training', ''],
    const: ['another'],
    ...ofText(site),
    ...ofNumber(site),
    ...ofArray(site),
  };
  const changes = Object.entries(wrong).flatMap(([keyword, values]) => values.map((value) => ({ keyword, value })));
  return [...changes, ...ofObject(site)];
}

function wrongTypes(schema: Place): unknown[] {
  const allowed = listTypes(schema);
  return ONE_OF_EACH.filter((value) => {
    if (typeof value !== 'number') return !allowed.includes(findType(value));
    return !allowed.includes('number') && !(allowed.includes('integer') && Number.isInteger(value));
  });
}

function ofText({ schema, value }: Site): Record<string, Wrong> {
  if (typeof value !== 'string') return {};
  const most = findBound(schema, 'maxLength', Number.POSITIVE_INFINITY);
  // A placeholder may be too short or too long already, and stands for a text that is neither.
  const isWithin = (text: string) => [...text].length <= most;
  const tooLong = (text: string) => (most > 200_000 ? text : paddedTo(text, most + 1));
  const tooShort = [...value].slice(0, findBound(schema, 'minLength', 0) - 1).join('');
  const altered = [`${value} `, ` ${value}`, `${value}\n`, `${value}/`, `-${value}`, `${value}\u0000`];
  const { format } = listKeywords(schema);
  return {
    // An address has 16 KiB, of which each diamond takes 12 bytes.
    maxLength: [value, ...(most <= 1000 ? ['💎'] : [])].filter(isWithin).map((text) => () => tooLong(text)),
    minLength: tooShort === value ? [] : [tooShort],
    pattern: findPattern(schema) === undefined ? [] : [...altered, ...EDGE_TEXTS],
    format: format === undefined ? [] : [value.slice(1), 'z'.repeat(36), `{${value}`],
  };
}

function ofNumber({ schema, value }: Site): Record<string, Wrong> {
  if (typeof value !== 'number') return {};
  const min = findBound(schema, 'minimum', Number.NEGATIVE_INFINITY);
  const max = findBound(schema, 'maximum', Number.POSITIVE_INFINITY);
  const step = listTypes(schema).includes('integer') ? 1 : 1e-9;
  return {
    minimum: [min - step, min - 1e9].filter(Number.isFinite),
    maximum: [max + step, max + 1e9].filter(Number.isFinite),
    multipleOf: [value + findBound(schema, 'multipleOf', 1) / 2],
  };
}

function ofArray({ schema, value }: Site): Record<string, Wrong> {
  if (!Array.isArray(value)) return {};
  const length = Math.min(findBound(schema, 'maxItems', MAX_SIZE), MAX_SIZE) + 1;
  const items = schema.find('items');
  const item = items === undefined ? 0 : simplest(items);
  const many = () => Array.from({ length }, () => item);
  return { maxItems: [many], minItems: [[]], uniqueItems: [[item, item]] };
}

function ofObject({ schema, value }: Site): Change[] {
  if (findType(value) !== 'object') return [];
  const fields = asRecord(value);
  const length = Math.min(findBound(schema, 'maxProperties', MAX_SIZE), MAX_SIZE) + 1;
  const many = () => Object.fromEntries(Array.from({ length }, (_, key) => [`k${key}`, key]));
  return [
    ...listRequired(schema).map((field) => ({ keyword: 'required', field, value: without(fields, field) })),
    ...UNKNOWN_FIELDS.filter((field) => !Object.hasOwn(fields, field)).map((field) => ({
      keyword: 'additionalProperties',
      field,
      value: withField(fields, field, 1),
    })),
    { keyword: 'maxProperties', value: many },
    ...ofConditions(schema, fields),
  ];
}

/** If some fields exclude others (`if` … `then`), sends one of each. */
function ofConditions(schema: Place, value: object): Change[] {
  return [schema, ...schema.entries('allOf').map(([, rule]) => rule)].flatMap((rule) =>
    rule.entries('then', 'properties').map(([field]) => {
      const both = [...listRequired(rule.find('if') ?? rule), field];
      const object = both.reduce<object>((fields, name) => {
        const sent = asRecord(fields)[name] ?? simplest(schema.at('properties', name));
        return withField(fields, name, sent);
      }, value);
      return { keyword: 'type', field, value: object };
    }),
  );
}
