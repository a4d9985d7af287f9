import { escapeToken } from '../../../server/contract/json-pointer.js';
import { recordOf } from '../../../testkit/json.js';
import type { Place } from '../../../testkit/openapi/document.js';
import { EDGE_TEXTS } from '../values/edge-values.js';
import {
  boundOf,
  type Fault,
  faultsOf,
  keywordsOf,
  patternOf,
  requiredOf,
  typeOf,
  typesOf,
} from '../values/schema.js';
import { simplest } from '../values/simplest.js';
import { type Site, sitesOf, withField } from '../values/sites.js';
import { paddedTo } from '../values/texts.js';

/** A mutation that breaks exactly one keyword of the schema. */
export interface Mutation {
  keyword: string;
  /** The JSON pointer to the faulty part. */
  pointer: string;
  /** Creates the value, which may be large. Returns undefined if another keyword would be broken too. */
  make: () => { value: unknown } | undefined;
}

/** A change of a value that breaks one keyword, and possibly others. */
interface Change {
  keyword: string;
  pointer: string;
  change: () => unknown;
}

/** A value of each JSON type. */
const ONE_OF_EACH: readonly unknown[] = [null, true, 7, 1.5, 'text', [], {}];

const UNKNOWN_FIELDS = ['colour', 'Name', '__proto__', 'constructor', '', 'a/b~c', 'id '];

/** The maximum size of generated arrays and objects. */
const MAX_SIZE = 2000;

/** Returns the mutations of a valid value, each of which breaks one keyword of the schema and no other. */
export function mutationsOf(schema: Place, value: unknown): Mutation[] {
  return sitesOf(schema, value)
    .flatMap(changesAt)
    .map(({ keyword, pointer, change }) => ({
      keyword,
      pointer,
      make: () => {
        const value = change();
        return isSingle(faultsOf(schema, value), keyword, pointer, schema) ? { value } : undefined;
      },
    }));
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
  const { schema, pointer, put } = site;
  const here = (keyword: string, values: readonly unknown[]) =>
    values.map((value) => ({ keyword, pointer, change: () => put(value) }));
  return [
    ...here('type', wrongTypes(schema)),
    ...here('oneOf', schema.find('oneOf') === undefined ? [] : [null, true, 7, 'text']),
    ...here('not', schema.find('not') === undefined ? [] : [simplest(schema.at('not'))]),
    ...here('enum', ['another', 'Training', '']),
    ...here('const', ['another']),
    ...ofText(site),
    ...ofNumber(site),
    ...ofArray(site),
    ...ofObject(site),
  ];
}

function wrongTypes(schema: Place): unknown[] {
  const allowed = typesOf(schema);
  return ONE_OF_EACH.filter((value) => {
    if (typeof value !== 'number') return !allowed.includes(typeOf(value));
    return !allowed.includes('number') && !(allowed.includes('integer') && Number.isInteger(value));
  });
}

function ofText({ schema, value, pointer, put }: Site): Change[] {
  if (typeof value !== 'string') return [];
  const here = (keyword: string, texts: readonly string[]) =>
    texts.map((text) => ({ keyword, pointer, change: () => put(text) }));
  const most = boundOf(schema, 'maxLength', Number.POSITIVE_INFINITY);
  // A placeholder may be too short or too long already, and stands for a text that is neither.
  const isWithin = (text: string) => [...text].length <= most;
  const tooShort = [...value].slice(0, boundOf(schema, 'minLength', 0) - 1).join('');
  const altered = [
    `${value} `,
    ` ${value}`,
    `${value}\n`,
    `${value}/`,
    `-${value}`,
    `${value}\u0000`,
  ];
  const offPattern = patternOf(schema) === undefined ? [] : [...altered, ...EDGE_TEXTS];
  const { format } = keywordsOf(schema);
  const offFormat = format === undefined ? [] : [value.slice(1), 'z'.repeat(36), `{${value}`];
  return [
    ...[value, '💎'].filter(isWithin).map((text) => ({
      keyword: 'maxLength',
      pointer,
      change: () => put(most > 200_000 ? text : paddedTo(text, most + 1)),
    })),
    ...here('minLength', tooShort === value ? [] : [tooShort]),
    ...here('pattern', offPattern),
    ...here('format', offFormat),
  ];
}

function ofNumber({ schema, value, pointer, put }: Site): Change[] {
  if (typeof value !== 'number') return [];
  const min = boundOf(schema, 'minimum', Number.NEGATIVE_INFINITY);
  const max = boundOf(schema, 'maximum', Number.POSITIVE_INFINITY);
  const step = typesOf(schema).includes('integer') ? 1 : 1e-9;
  const here = (keyword: string, numbers: readonly number[]) =>
    numbers
      .filter(Number.isFinite)
      .map((number) => ({ keyword, pointer, change: () => put(number) }));
  return [
    ...here('minimum', [min - step, min - 1e9]),
    ...here('maximum', [max + step, max + 1e9]),
    ...here('multipleOf', [value + boundOf(schema, 'multipleOf', 1) / 2]),
  ];
}

function ofArray({ schema, value, pointer, put }: Site): Change[] {
  if (!Array.isArray(value)) return [];
  const most = boundOf(schema, 'maxItems', MAX_SIZE);
  const items = schema.find('items');
  const item = items === undefined ? 0 : simplest(items);
  const many = () => put(Array.from({ length: Math.min(most, MAX_SIZE) + 1 }, () => item));
  return [
    { keyword: 'maxItems', pointer, change: many },
    { keyword: 'minItems', pointer, change: () => put([]) },
    { keyword: 'uniqueItems', pointer, change: () => put([item, item]) },
  ];
}

function ofObject(site: Site): Change[] {
  const { schema, value, pointer, put } = site;
  if (typeOf(value) !== 'object') return [];
  const fields = recordOf(value);
  const at = (keyword: string, name: string, object: unknown) => ({
    keyword,
    pointer: `${pointer}/${escapeToken(name)}`,
    change: () => put(object),
  });
  const length = Math.min(boundOf(schema, 'maxProperties', MAX_SIZE), MAX_SIZE) + 1;
  const many = () => put(Object.fromEntries(Array.from({ length }, (_, key) => [`k${key}`, key])));
  return [
    ...requiredOf(schema).map((name) => at('required', name, without(fields, name))),
    ...UNKNOWN_FIELDS.filter((name) => !Object.hasOwn(fields, name)).map((name) =>
      at('additionalProperties', name, withField(fields, name, 1)),
    ),
    { keyword: 'maxProperties', pointer, change: many },
    ...ofConditions(site),
  ];
}

function without(fields: object, name: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name));
}

/** If some fields exclude others (`if` … `then`), sends one of each. */
function ofConditions({ schema, value, pointer, put }: Site): Change[] {
  return [schema, ...schema.entries('allOf').map(([, rule]) => rule)].flatMap((rule) =>
    rule.entries('then', 'properties').map(([name]) => {
      const both = [...requiredOf(rule.find('if') ?? rule), name];
      const object = both.reduce<object>((fields, field) => {
        const sent = recordOf(fields)[field] ?? simplest(schema.at('properties', field));
        return withField(fields, field, sent);
      }, recordOf(value));
      return {
        keyword: 'type',
        pointer: `${pointer}/${escapeToken(name)}`,
        change: () => put(object),
      };
    }),
  );
}
