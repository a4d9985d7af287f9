import type { JsonRecord } from '../../../server/contract/json-record.js';
import type { Difference } from '../finding.js';
import { type Comparison, difference, type Pair } from './comparison.js';
import type { Shape } from './shape.js';
import { statements } from './statements.js';
import type { Type } from './types.js';

interface BoundKind {
  readonly types: readonly Type[];
  readonly lower: readonly string[];
  readonly upper: readonly string[];
  readonly unit: string;
}

/** The bounds, by the quantity that they limit. An exclusive bound is the second of its side. */
const KINDS: readonly BoundKind[] = [
  {
    types: ['integer', 'fraction'],
    lower: ['minimum', 'exclusiveMinimum'],
    upper: ['maximum', 'exclusiveMaximum'],
    unit: '',
  },
  { types: ['string'], lower: ['minLength'], upper: ['maxLength'], unit: ' characters' },
  { types: ['array'], lower: ['minItems'], upper: ['maxItems'], unit: ' elements' },
  { types: ['object'], lower: ['minProperties'], upper: ['maxProperties'], unit: ' fields' },
  { types: ['array'], lower: ['minContains'], upper: ['maxContains'], unit: ' such elements' },
];

interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
  readonly part?: JsonRecord;
  readonly keyword: string;
}

/** Compares the bounds of numbers, texts, arrays and objects. */
export function compareBounds(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const { before, after } = shapes;
  const common = [...before.types].filter((type) => after.types.has(type));
  return KINDS.filter(({ types }) => types.some((type) => common.includes(type))).flatMap(
    (kind) => [
      ...compareBound(comparison, shapes, kind, 1),
      ...compareBound(comparison, shapes, kind, -1),
    ],
  );
}

/** @param side 1 for the lower bounds, where more is tighter, and -1 for the upper ones. */
function compareBound(
  comparison: Comparison,
  shapes: Pair<Shape>,
  kind: BoundKind,
  side: 1 | -1,
): Difference[] {
  const before = boundOf(shapes.before, kind, side);
  const after = boundOf(shapes.after, kind, side);
  const order = tighter(after, before, side);
  if (order === 0) return [];
  const words = (bound: Bound) => boundWords(bound, kind, side);
  return [
    difference(
      comparison,
      order > 0 ? 'bound-tightened' : 'bound-loosened',
      { before: before.part, after: after.part, was: words(before), is: words(after) },
      (after.part ? after : before).keyword,
    ),
  ];
}

/** Returns the tightest of the bounds in the parts. */
function boundOf(shape: Shape, kind: BoundKind, side: 1 | -1): Bound {
  const integers = kind.unit === '' && !shape.types.has('fraction');
  let tightest: Bound = noBound(kind, side);
  (side === 1 ? kind.lower : kind.upper).forEach((keyword, index) => {
    for (const { part, value } of statements(shape, keyword)) {
      if (typeof value !== 'number') continue;
      const bound = { value, exclusive: index === 1, part, keyword };
      const whole = integers ? amongIntegers(bound, side) : bound;
      if (tighter(whole, tightest, side) > 0) tightest = whole;
    }
  });
  return tightest;
}

/** Returns the bound without a keyword: a count is at least 0, and `contains` requires at least one element. */
function noBound({ unit, lower }: BoundKind, side: 1 | -1): Bound {
  const value = side === 1 && unit !== '' ? 0 : -side * Number.POSITIVE_INFINITY;
  return { value, exclusive: false, keyword: lower[0] ?? '' };
}

/** Converts a bound to one on integers: more than 0.5 and more than 0 both become at least 1. */
function amongIntegers(bound: Bound, side: 1 | -1): Bound {
  const rounded = side * Math.ceil(side * bound.value);
  const value = bound.exclusive && rounded === bound.value ? rounded + side : rounded;
  return { ...bound, value, exclusive: false };
}

/** Returns a positive number if `a` is tighter, a negative one if `b` is, and 0 if they are equal. */
function tighter(a: Bound, b: Bound, side: 1 | -1): number {
  if (a.value !== b.value) return a.value * side > b.value * side ? 1 : -1;
  return Number(a.exclusive) - Number(b.exclusive);
}

function boundWords({ value, exclusive }: Bound, { unit }: BoundKind, side: 1 | -1): string {
  if (!Number.isFinite(value)) return '';
  const words = side === 1 ? ['at least', 'more than'] : ['at most', 'less than'];
  return `${words[Number(exclusive)]} ${value}${unit}`;
}
