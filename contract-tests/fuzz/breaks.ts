import type { Place } from '../contract.js';
import { NASTY_TEXTS } from './nasty.js';
import {
  boundOf,
  escapeStep,
  faultsOf,
  keywordsOf,
  patternOf,
  recordOf,
  requiredOf,
  typeOf,
  typesOf,
} from './schema.js';
import { simplest } from './simplest.js';
import { type Site, sitesOf, withField } from './sites.js';
import { paddedTo } from './texts.js';

/** A value that is valid but for one keyword of its schema. */
export interface Break {
  keyword: string;
  /** The JSON pointer to what is at fault. */
  pointer: string;
  value: unknown;
}

/** One of each type of JSON. */
const ONE_OF_EACH: readonly unknown[] = [null, true, 7, 1.5, 'text', [], {}];

const UNKNOWN_FIELDS = ['colour', 'Name', '__proto__', 'constructor', '', 'a/b~c', 'id '];

/** An array or an object that is larger than this is not made. */
const MOST = 2000;

/** Each way to break one keyword of a schema, and nothing else, in a value that keeps to it. */
export function breaksOf(schema: Place, value: unknown): Break[] {
  return sitesOf(schema, value)
    .flatMap((site) => breaksAt(site))
    .filter((made) => isSingle(schema, made));
}

/** Of a choice, the other branches fail too; in the branch that was meant, nothing but this does. */
function isSingle(schema: Place, { keyword, pointer, value }: Break): boolean {
  const faults = faultsOf(schema, value);
  if (!faults.some((fault) => fault.keyword === keyword && fault.pointer === pointer)) return false;
  return schema.find('oneOf') !== undefined || faults.every((fault) => fault.pointer === pointer);
}

function breaksAt(site: Site): Break[] {
  const { schema, pointer, put } = site;
  const here = (keyword: string, values: readonly unknown[]) =>
    values.map((value) => ({ keyword, pointer, value: put(value) }));
  return [
    ...here('type', wrongTypes(schema)),
    ...here('oneOf', schema.find('oneOf') === undefined ? [] : ONE_OF_EACH),
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

function ofText({ schema, value, pointer, put }: Site): Break[] {
  if (typeof value !== 'string') return [];
  const here = (keyword: string, texts: readonly string[]) =>
    texts.map((text) => ({ keyword, pointer, value: put(text) }));
  const most = boundOf(schema, 'maxLength', Number.POSITIVE_INFINITY);
  const tooLong = most > 200_000 ? [] : [paddedTo(value, most + 1), paddedTo('💎', most + 1)];
  const altered = [
    `${value} `,
    ` ${value}`,
    `${value}\n`,
    `${value}/`,
    `-${value}`,
    `${value}\u0000`,
  ];
  const offPattern = patternOf(schema) === undefined ? [] : [...altered, ...NASTY_TEXTS];
  const { format } = keywordsOf(schema);
  const offFormat = format === undefined ? [] : [value.slice(1), 'z'.repeat(36), `{${value}`];
  return [
    ...here('maxLength', tooLong),
    ...here('minLength', [[...value].slice(0, boundOf(schema, 'minLength', 0) - 1).join('')]),
    ...here('pattern', offPattern),
    ...here('format', offFormat),
  ];
}

function ofNumber({ schema, value, pointer, put }: Site): Break[] {
  if (typeof value !== 'number') return [];
  const min = boundOf(schema, 'minimum', Number.NEGATIVE_INFINITY);
  const max = boundOf(schema, 'maximum', Number.POSITIVE_INFINITY);
  const step = typesOf(schema).includes('integer') ? 1 : 1e-9;
  const here = (keyword: string, numbers: readonly number[]) =>
    numbers.filter(Number.isFinite).map((number) => ({ keyword, pointer, value: put(number) }));
  return [
    ...here('minimum', [min - step, min - 1e9]),
    ...here('maximum', [max + step, max + 1e9]),
    ...here('multipleOf', [value + boundOf(schema, 'multipleOf', 1) / 2]),
  ];
}

function ofArray({ schema, value, pointer, put }: Site): Break[] {
  if (!Array.isArray(value)) return [];
  const most = boundOf(schema, 'maxItems', MOST);
  const items = schema.find('items');
  const item: unknown = value[0] ?? (items === undefined ? 0 : simplest(items));
  const more = most >= MOST ? [] : [Array.from({ length: most + 1 }, () => item)];
  return [
    ...more.map((many) => ({ keyword: 'maxItems', pointer, value: put(many) })),
    { keyword: 'minItems', pointer, value: put([]) },
    { keyword: 'uniqueItems', pointer, value: put([item, item]) },
  ];
}

function ofObject(site: Site): Break[] {
  const { schema, value, pointer, put } = site;
  if (typeOf(value) !== 'object') return [];
  const fields = recordOf(value);
  const at = (keyword: string, name: string, object: unknown) => ({
    keyword,
    pointer: `${pointer}/${escapeStep(name)}`,
    value: put(object),
  });
  const most = boundOf(schema, 'maxProperties', MOST);
  const keys = Array.from({ length: most + 1 }, (_, key) => [`k${key}`, key]);
  return [
    ...requiredOf(schema).map((name) => at('required', name, without(fields, name))),
    ...UNKNOWN_FIELDS.filter((name) => !Object.hasOwn(fields, name)).map((name) =>
      at('additionalProperties', name, withField(fields, name, 1)),
    ),
    ...(most >= MOST
      ? []
      : [{ keyword: 'maxProperties', pointer, value: put(Object.fromEntries(keys)) }]),
    ...ofConditions(site),
  ];
}

function without(fields: object, name: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name));
}

/** Where some fields rule out others (`if` … `then`), one of each is sent. */
function ofConditions({ schema, value, pointer, put }: Site): Break[] {
  return [schema, ...schema.entries('allOf').map(([, rule]) => rule)].flatMap((rule) =>
    rule.entries('then', 'properties').map(([name]) => {
      const both = [...requiredOf(rule.find('if') ?? rule), name];
      const object = both.reduce<object>((fields, field) => {
        const sent = recordOf(fields)[field] ?? simplest(schema.at('properties', field));
        return withField(fields, field, sent);
      }, recordOf(value));
      return { keyword: 'type', pointer: `${pointer}/${escapeStep(name)}`, value: put(object) };
    }),
  );
}
