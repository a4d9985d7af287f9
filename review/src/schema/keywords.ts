import { asArray, type JsonRecord } from '../../../contract/json-record.js';
import { members, texts } from '../contract.js';
import { difference, isRemark, type Pair } from '../finding.js';
import { compareLife, sunsetOf } from '../lifecycle.js';
import type { Rule } from '../rules.js';
import {
  allOfTypes,
  type Comparison,
  type Conjunction,
  canonical,
  fits,
  hasKeyword,
  type KeywordComparison,
  type Shape,
  statements,
  type Type,
  typeWords,
} from './shape.js';

const NUMERIC: readonly Type[] = ['integer', 'fraction'];

function areShared({ before, after }: Pair<Shape>, types: readonly Type[]): boolean {
  return types.some((type) => before.types.has(type) && after.types.has(type));
}

/** Compares the possible types; a difference in null alone has its own kind. */
export const compareTypes: KeywordComparison = (comparison, { before, after }) => {
  // If all values are enumerated, the types follow from them.
  if (before.values && after.values) return [];
  const gone = [...before.types].filter((type) => !after.types.has(type));
  const come = [...after.types].filter((type) => !before.types.has(type));
  const rule = typeRule(gone.join(), come.join());
  if (!rule) return [];
  const parts = { before: partWith(before, TYPING), after: partWith(after, TYPING) };
  const words = { was: typeWords(before.types), is: typeWords(after.types) };
  return [difference(comparison.contracts, rule, { ...parts, ...words })];
};

const TYPING = ['type', 'enum', 'const'];
const NAMING = ['enum', 'const'];

function typeRule(gone: string, come: string): Rule | undefined {
  if (gone && come) return 'type-changed';
  if (gone) return gone === 'null' ? 'null-removed' : 'type-narrowed';
  if (come) return come === 'null' ? 'null-added' : 'type-widened';
  return undefined;
}

function partWith(shape: Shape, keywords: readonly string[]): JsonRecord | undefined {
  const [first] = keywords.flatMap((keyword) => statements(shape, keyword));
  return first?.part ?? shape.parts[0];
}

/** Compares the values, if at least one version enumerates them. */
export const compareValues: KeywordComparison = (comparison, shapes) => {
  const { before, after } = shapes;
  const [old, now] = [before.values, after.values];
  if (!old && !now) return [];
  if (!(old && now) && !areShared(shapes, [...before.types])) return [];
  const parts = { before: partWith(before, NAMING), after: partWith(after, NAMING) };
  const tell = (rule: Rule, was: string, is: string) => difference(comparison.contracts, rule, { ...parts, was, is });
  const gone = listed([...(old ?? [])].filter(([, value]) => !isTakenBy(after, value)));
  const come = listed([...(now ?? [])].filter(([, value]) => !isTakenBy(before, value)));
  return [
    ...(gone ? [tell(gone === 'null' ? 'null-removed' : 'value-removed', gone, '')] : []),
    ...(come ? [tell(come === 'null' ? 'null-added' : 'value-added', '', come)] : []),
    ...(old && !now && isNamed(before) ? [tell('value-added', `only ${listed(old)}`, typeWords(after.types))] : []),
    ...(now && !old && isNamed(after) ? [tell('value-removed', typeWords(before.types), `only ${listed(now)}`)] : []),
  ];
};

function isTakenBy(shape: Shape, value: unknown): boolean {
  return shape.values ? shape.values.has(canonical(value)) : fits(value, shape);
}

/** Returns whether the values are fewer than those of their types; otherwise the types describe them. */
function isNamed({ types, values }: Shape): boolean {
  return values !== undefined && allOfTypes(types)?.size !== values.size;
}

function listed(values: Iterable<readonly [string, unknown]>): string {
  return [...values].map(([key]) => key).join(', ');
}

/** Compares the elements of arrays: those with a fixed position, and all others. */
export const compareElements: KeywordComparison = (comparison, shapes) => {
  const { before, after } = shapes;
  if (!areShared(shapes, ['array'])) return [];
  const fixed = [before, after].flatMap(({ parts }) => parts.map((part) => asArray(part['prefixItems']).length));
  const count = Math.max(0, ...fixed);
  return Array.from({ length: count + 1 }, (_, index) =>
    comparison.inner(index < count ? `[${index}]` : '[]', {
      before: element(before, index),
      after: element(after, index),
    }),
  ).flat();
};

function element({ parts }: Shape, index: number): Conjunction {
  return parts.flatMap((part) => {
    const fixed = asArray(part['prefixItems'])[index];
    const schema = fixed ?? part['items'] ?? part['unevaluatedItems'];
    return schema === undefined ? [] : [schema];
  });
}

/** A condition: its subject, and the schemas that it then requires. */
interface Condition {
  readonly part: JsonRecord;
  readonly keyword: string;
  /** The identity of a condition; a schema if it is more than a plain text. */
  readonly about: string | Conjunction;
  /** The required schemas, which are compared like any others. */
  readonly asks: { readonly [path: string]: Conjunction };
  /** True if it requires nothing, and allows other fields. */
  readonly opens?: boolean;
}

type Asked = Pick<Condition, 'about' | 'asks' | 'opens'>;

/** The conditions that the value of a keyword sets. */
const CONDITIONS: Readonly<Record<string, (value: unknown, part: JsonRecord) => Asked[]>> = {
  if: (schema, part) => {
    const [positive, negative] = [part['then'] ?? true, part['else'] ?? true];
    const asks = { ' (then)': [positive], ' (else)': [negative] };
    return [{ about: [schema], asks, opens: [positive, negative].every(allowsAll) }];
  },
  not: (schema) => [{ about: [schema], asks: {} }],
  contains: (schema) => [{ about: 'contains', asks: { ' (contains)': [schema] } }],
  contentSchema: (schema) => [{ about: 'contentSchema', asks: { ' (content)': [schema] } }],
  propertyNames: (schema) => [{ about: 'propertyNames', asks: { ' (propertyNames)': [schema] } }],
  dependentSchemas: (value) =>
    members(value).map(([name, schema]) => {
      const about = `with ${canonical(name)}`;
      return { about, asks: { [` (${about})`]: [schema] } };
    }),
  dependentRequired: (value) =>
    members(value).flatMap(([name, needed]) =>
      texts(needed).map((other) => ({ about: `${canonical(name)} only with ${canonical(other)}`, asks: {} })),
    ),
};

/** Returns whether a schema allows every value, and may say so of other fields (JSON Schema Core, 11.3). */
function allowsAll(schema: unknown): boolean {
  if (schema === true) return true;
  return members(schema).every(([name, value]) => OPENING.has(name) && value === true);
}

const OPENING = new Set(['additionalProperties', 'unevaluatedProperties']);

/** Compares the conditions; those of both versions by what they ask for. */
export const compareConditions: KeywordComparison = (comparison, shapes) => {
  const left = listConditions(shapes.after);
  const found = listConditions(shapes.before).flatMap((before) => {
    const index = left.findIndex((after) => isSame(comparison, { before, after }));
    const [after] = index < 0 ? [] : left.splice(index, 1);
    const { part, keyword, about, asks, opens } = before;
    if (!after) {
      const details = { before: part, was: conditionWords(keyword, about) };
      const rule = opens ? 'closed-to-other-fields' : 'condition-removed';
      return [difference(comparison.contracts, rule, details, keyword)];
    }
    return Object.entries(asks).flatMap(([path, schemas]) =>
      comparison.inner(path, { before: schemas, after: after.asks[path] ?? [] }),
    );
  });
  const added = left.map(({ part, keyword, about, opens }) => {
    const details = { after: part, is: conditionWords(keyword, about) };
    const rule = opens ? 'opened-to-other-fields' : 'condition-added';
    return difference(comparison.contracts, rule, details, keyword);
  });
  return [...found, ...added];
};

function listConditions(shape: Shape): Condition[] {
  return Object.entries(CONDITIONS).flatMap(([keyword, conditions]) =>
    statements(shape, keyword).flatMap(({ part, value }) =>
      conditions(value, part).map((asked) => ({ part, keyword, ...asked })),
    ),
  );
}

function isSame(comparison: Comparison, { before, after }: Pair<Condition>): boolean {
  if (before.keyword !== after.keyword) return false;
  if (typeof before.about === 'string' || typeof after.about === 'string') {
    return before.about === after.about;
  }
  return comparison.inner('', { before: before.about, after: after.about }).every(isRemark);
}

function conditionWords(keyword: string, about: Condition['about']): string {
  return typeof about === 'string' ? about : `${keyword} ${canonical(about[0])}`;
}

/** Keywords that are compared otherwise, or that do not affect the possible values. */
const NOT_REMARKED = new Set(
  `$ref $defs $comment $id $anchor $schema allOf oneOf anyOf not if then else dependentSchemas
  dependentRequired prefixItems items unevaluatedItems contains minContains maxContains properties
  patternProperties additionalProperties unevaluatedProperties propertyNames type nullable enum const
  multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems
  minItems uniqueItems maxProperties minProperties required format contentEncoding contentMediaType contentSchema
  readOnly writeOnly title description example examples externalDocs deprecated default
  x-roster-message x-roster-sunset x-sunset`.split(/\s+/),
);

/**
 * Compares the keywords that leave the set of possible values as it is: deprecation, defaults, discriminators, and
 * keywords that are not known here.
 */
export const compareRemarks: KeywordComparison = (comparison, { before, after }) => {
  const life = (shape: Shape) => ({
    deprecated: hasKeyword(shape, 'deprecated', true),
    sunset: sunsetOf(...shape.parts),
  });
  const parts = { before: before.parts[0], after: after.parts[0] };
  const marked = compareLife(comparison.contracts, parts, { before: life(before), after: life(after) });
  const keywords = [before, after]
    .flatMap(({ parts }) => parts.flatMap((part) => Object.keys(part)))
    .filter((keyword) => !NOT_REMARKED.has(keyword));
  const changed = [...new Set(['default', ...keywords])].flatMap((keyword) => {
    const [old, now] = [statements(before, keyword), statements(after, keyword)];
    const [was, is] = [valueWords(old), valueWords(now)];
    if (was === is) return [];
    const kind = REMARKS[keyword] ?? 'keyword-changed';
    const values = { before: old[0]?.part, after: now[0]?.part, was, is };
    return [difference(comparison.contracts, kind, values, keyword)];
  });
  return [...marked, ...changed];
};

const REMARKS: Readonly<Record<string, Rule>> = { default: 'default-changed', discriminator: 'discriminator-changed' };

function valueWords(stated: readonly { value: unknown }[]): string {
  return [...new Set(stated.map(({ value }) => canonical(value)))].sort().join(' and ');
}

/** The limits that keywords set to the values of some types, and what a change of them means. */
interface Facet {
  readonly types: readonly Type[];
  readonly rules: { readonly narrowed: Rule; readonly widened: Rule; readonly changed: Rule };
  readonly compare: (shapes: Pair<Shape>) => FacetChange | undefined;
}

interface FacetChange extends Pair<JsonRecord | undefined> {
  readonly change: keyof Facet['rules'];
  readonly was: string;
  readonly is: string;
  readonly keyword: string;
}

/** Compares the limits of numbers, texts, arrays and objects. Where the values are enumerated, they do not matter. */
export const compareFacets: KeywordComparison = (comparison, shapes) =>
  shapes.before.values || shapes.after.values
    ? []
    : FACETS.filter(({ types }) => areShared(shapes, types)).flatMap(({ rules, compare }) => {
        const found = compare(shapes);
        if (!found) return [];
        return [difference(comparison.contracts, rules[found.change], found, found.keyword)];
      });

const BOUND = { narrowed: 'bound-tightened', widened: 'bound-loosened', changed: 'type-changed' } as const;

/** 1 for the lower bounds, where more is tighter, and -1 for the upper ones. */
type Side = 1 | -1;

/** The keywords of a bound, and their words; an exclusive bound is the second. */
type BoundWords = readonly (readonly [keyword: string, words: string])[];

interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
  readonly part?: JsonRecord;
  readonly keyword: string;
  readonly words: string;
}

function bound(types: readonly Type[], side: Side, words: BoundWords, unit = ''): Facet {
  return {
    types,
    rules: BOUND,
    compare: (shapes) => {
      const before = tightestBound(shapes.before, side, words, unit);
      const after = tightestBound(shapes.after, side, words, unit);
      const order = compareTightness(after, before, side);
      const [tighter, looser] = order > 0 ? [after, shapes.before] : [before, shapes.after];
      if (order === 0 || isImplied(tighter, looser)) return undefined;
      return {
        change: order > 0 ? 'narrowed' : 'widened',
        before: before.part,
        after: after.part,
        was: before.words,
        is: after.words,
        keyword: (after.part ? after : before).keyword,
      };
    },
  };
}

/** Returns whether a shape without a bound keeps to it all the same: it has no more fields than it names. */
function isImplied({ keyword, value }: Bound, { parts }: Shape): boolean {
  const counts = parts
    .filter((part) => part['additionalProperties'] === false && !part['patternProperties'])
    .map((part) => members(part['properties']).length);
  return keyword === 'maxProperties' && Math.min(...counts) <= value;
}

/** A count is at least 0, and `contains` requires at least one element. */
function countBounds(type: Type, suffix: string, unit: string): Facet[] {
  return [
    bound([type], 1, [[`min${suffix}`, 'at least']], unit),
    bound([type], -1, [[`max${suffix}`, 'at most']], unit),
  ];
}

/** Returns the tightest of the bounds in the parts. */
function tightestBound(shape: Shape, side: Side, keywords: BoundWords, unit: string): Bound {
  const onIntegers = unit === '' && !shape.types.has('fraction');
  const none = side === 1 && unit !== '' ? 0 : -side * Number.POSITIVE_INFINITY;
  const words = Number.isFinite(none) ? `at least ${none}${unit}` : '';
  let tightest: Bound = { value: none, exclusive: false, keyword: keywords[0]?.[0] ?? '', words };
  keywords.forEach(([keyword], index) => {
    for (const { part, value: stated } of statements(shape, keyword)) {
      if (typeof stated !== 'number') continue;
      // OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`.
      const excludes = index === 1 || part[keywords[1]?.[0] ?? ''] === true;
      const exclusive = excludes && !onIntegers;
      const value = onIntegers ? toInclusiveInteger(stated, excludes, side) : stated;
      const bound = { value, exclusive, part, keyword, words: '' };
      if (compareTightness(bound, tightest, side) <= 0) continue;
      tightest = { ...bound, words: `${keywords[Number(exclusive)]?.[1]} ${value}${unit}` };
    }
  });
  return tightest;
}

/** Converts a bound to one on integers: more than 0.5 and more than 0 both become at least 1. */
function toInclusiveInteger(value: number, exclusive: boolean, side: Side): number {
  const rounded = side * Math.ceil(side * value);
  return exclusive && rounded === value ? rounded + side : rounded;
}

/** Returns a positive number if `a` is tighter, a negative one if `b` is, and 0 if they are equal. */
function compareTightness(a: Bound, b: Bound, side: Side): number {
  if (a.value !== b.value) return a.value * side > b.value * side ? 1 : -1;
  return Number(a.exclusive) - Number(b.exclusive);
}

/** Patterns that every text matches. */
const ANY_TEXT: ReadonlySet<unknown> = new Set(['^[\\s\\S]*$', '.*', '']);

/**
 * Returns the facet of a keyword whose value is one text or number.
 * @param isWithin whether all that is valid with the first value is so with the second
 */
function scalar(
  keyword: string,
  types: readonly Type[],
  rules: Facet['rules'],
  isWithin: (narrow: string, wide: string) => boolean = () => false,
): Facet {
  const values = (shape: Shape): ReadonlyMap<string, JsonRecord> => {
    const all = statements(shape, keyword).filter(({ value }) => value !== false && !ANY_TEXT.has(value));
    return new Map(all.map(({ value, part }) => [String(value), part]));
  };
  return {
    types,
    rules,
    compare: (shapes) => {
      const [before, after] = [values(shapes.before), values(shapes.after)];
      const was = [...before.keys()].filter((value) => !after.has(value)).join(' and ');
      const is = [...after.keys()].filter((value) => !before.has(value)).join(' and ');
      if (was === '' && is === '') return undefined;
      const isNarrowed = was === '' || (is !== '' && isWithin(is, was));
      const isWidened = is === '' || isWithin(was, is);
      const change = isNarrowed ? 'narrowed' : isWidened ? 'widened' : 'changed';
      return { change, before: before.get(was), after: after.get(is), was, is, keyword };
    },
  };
}

/** Formats whose values are all valid in another format too (JSON Schema Validation, 7.3; OpenAPI 3.1, 4.4). */
const WIDER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64', 'double'],
  float: ['double'],
  uri: ['uri-reference', 'iri', 'iri-reference'],
  'uri-reference': ['iri-reference'],
  iri: ['iri-reference'],
  email: ['idn-email'],
  hostname: ['idn-hostname'],
};

const FORMAT = { narrowed: 'format-narrowed', widened: 'format-widened', changed: 'format-changed' } as const;
const PATTERN = { narrowed: 'pattern-added', widened: 'pattern-removed', changed: 'pattern-changed' } as const;
const CONDITION = { narrowed: 'condition-added', widened: 'condition-removed', changed: 'condition-removed' } as const;

const isWithinFormat = (narrow: string, wide: string) => WIDER_FORMATS[narrow]?.includes(wide) ?? false;
// A multiple of 10 is a multiple of 5.
const isMultiple = (narrow: string, wide: string) => Number.isInteger(Number(narrow) / Number(wide));

const LEAST = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
] as const;
const MOST = [
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
] as const;

const FACETS: readonly Facet[] = [
  bound(NUMERIC, 1, LEAST),
  bound(NUMERIC, -1, MOST),
  ...countBounds('string', 'Length', ' characters'),
  ...countBounds('array', 'Items', ' elements'),
  ...countBounds('object', 'Properties', ' fields'),
  ...countBounds('array', 'Contains', ' such elements'),
  scalar('pattern', ['string'], PATTERN),
  scalar('format', ['string', ...NUMERIC], FORMAT, isWithinFormat),
  scalar('multipleOf', NUMERIC, BOUND, isMultiple),
  scalar('uniqueItems', ['array'], CONDITION),
  scalar('contentEncoding', ['string'], FORMAT),
  scalar('contentMediaType', ['string'], FORMAT),
];
