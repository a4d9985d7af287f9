import type { JsonRecord } from '../../../server/contract/json-record.js';
import type { Difference } from '../finding.js';
import type { Rule } from '../rules.js';
import { type Comparison, difference, type Pair } from './comparison.js';
import { formatRule } from './formats.js';
import type { Shape } from './shape.js';
import { statements } from './statements.js';

/** Compares the pattern, format, divisor and uniqueness of texts, numbers and arrays. */
export function compareScalars(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const both = (...types: readonly Parameters<typeof shapes.before.types.has>[0][]) =>
    types.some((type) => shapes.before.types.has(type) && shapes.after.types.has(type));
  const numeric = both('integer', 'fraction');
  const found: (Difference | undefined)[] = [];
  if (both('string')) found.push(compareKeyword(comparison, shapes, 'pattern', patternRule));
  if (both('string') || numeric) {
    found.push(compareKeyword(comparison, shapes, 'format', formatRule));
  }
  if (numeric) found.push(compareKeyword(comparison, shapes, 'multipleOf', divisorRule));
  if (both('array')) found.push(compareKeyword(comparison, shapes, 'uniqueItems', uniqueRule));
  if (both('string')) {
    for (const keyword of ['contentEncoding', 'contentMediaType']) {
      found.push(compareKeyword(comparison, shapes, keyword, formatRule));
    }
  }
  return found.filter((one) => one !== undefined);
}

/** Compares all values of a keyword in the parts; `rule` returns the kind of the difference. */
function compareKeyword(
  comparison: Comparison,
  shapes: Pair<Shape>,
  keyword: string,
  rule: (before: string, after: string) => Rule,
): Difference | undefined {
  const before = stated(shapes.before, keyword);
  const after = stated(shapes.after, keyword);
  const gone = [...before.keys()].filter((value) => !after.has(value)).join(' and ');
  const come = [...after.keys()].filter((value) => !before.has(value)).join(' and ');
  if (gone === '' && come === '') return undefined;
  const details = { before: before.get(gone), after: after.get(come), was: gone, is: come };
  return difference(comparison, rule(gone, come), details, keyword);
}

/** Returns the values of a keyword, each with its part. */
function stated(shape: Shape, keyword: string): ReadonlyMap<string, JsonRecord> {
  const all = statements(shape, keyword).filter(({ value }) => value !== false);
  return new Map(all.map(({ value, part }) => [String(value), part]));
}

function patternRule(before: string, after: string): Rule {
  if (before === '') return 'pattern-added';
  return after === '' ? 'pattern-removed' : 'pattern-changed';
}

function uniqueRule(before: string): Rule {
  return before === '' ? 'condition-added' : 'condition-removed';
}

/** Returns the kind of a change of `multipleOf`: a multiple of 10 is a multiple of 5. */
function divisorRule(before: string, after: string): Rule {
  const [old, now] = [Number(before), Number(after)];
  if (before === '' || (after !== '' && Number.isInteger(now / old))) return 'bound-tightened';
  if (after === '' || Number.isInteger(old / now)) return 'bound-loosened';
  return 'type-changed';
}
