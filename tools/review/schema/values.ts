import type { Difference } from '../finding.js';
import type { Rule } from '../rules.js';
import { type Comparison, difference, type Pair } from './comparison.js';
import { fits } from './fits.js';
import { allOfTypes, type Shape } from './shape.js';
import { statements } from './statements.js';
import type { Type } from './types.js';
import { canonical, typeWords } from './words.js';

/** Compares the possible types; a difference in null alone has its own kind. */
export function compareTypes(comparison: Comparison, { before, after }: Pair<Shape>): Difference[] {
  // If all values are enumerated, the types follow from them.
  if (before.values && after.values) return [];
  const gone = [...before.types].filter((type) => !after.types.has(type));
  const come = [...after.types].filter((type) => !before.types.has(type));
  const rule = typeRule(gone, come);
  if (!rule) return [];
  const details = {
    before: typingPart(before),
    after: typingPart(after),
    was: typeWords(before.types),
    is: typeWords(after.types),
  };
  return [difference(comparison, rule, details)];
}

function typeRule(gone: readonly Type[], come: readonly Type[]): Rule | undefined {
  if (gone.length > 0 && come.length > 0) return 'type-changed';
  if (gone.length > 0) return gone.join() === 'null' ? 'null-removed' : 'type-narrowed';
  if (come.length > 0) return come.join() === 'null' ? 'null-added' : 'type-widened';
  return undefined;
}

function typingPart(shape: Shape) {
  const [first] = ['type', 'enum', 'const'].flatMap((keyword) => statements(shape, keyword));
  return first?.part ?? shape.parts[0];
}

/** Compares the values, if at least one version enumerates them. */
export function compareValues(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const { before, after } = shapes;
  const [old, now] = [before.values, after.values];
  const common = [...before.types].some((type) => after.types.has(type));
  if (!old && !now) return [];
  if (!(old && now) && !common) return [];
  const details = { before: namingPart(before), after: namingPart(after) };
  const gone = [...(old ?? [])].filter(([, value]) => !isTakenBy(after, value));
  const come = [...(now ?? [])].filter(([, value]) => !isTakenBy(before, value));
  const found: Difference[] = [];
  if (gone.length > 0) {
    const rule = listed(gone) === 'null' ? 'null-removed' : 'value-removed';
    found.push(difference(comparison, rule, { ...details, was: listed(gone) }));
  }
  if (come.length > 0) {
    const rule = listed(come) === 'null' ? 'null-added' : 'value-added';
    found.push(difference(comparison, rule, { ...details, is: listed(come) }));
  }
  if (old && !now && isNamed(before)) {
    const words = { was: `only ${listed(old)}`, is: typeWords(after.types) };
    found.push(difference(comparison, 'value-added', { ...details, ...words }));
  }
  if (now && !old && isNamed(after)) {
    const words = { was: typeWords(before.types), is: `only ${listed(now)}` };
    found.push(difference(comparison, 'value-removed', { ...details, ...words }));
  }
  return found;
}

function isTakenBy(shape: Shape, value: unknown): boolean {
  return shape.values ? shape.values.has(canonical(value)) : fits(value, shape);
}

/** Whether the values are fewer than those of their types; otherwise the types describe them. */
function isNamed({ types, values }: Shape): boolean {
  return values !== undefined && allOfTypes(types)?.size !== values.size;
}

function listed(values: Iterable<readonly [string, unknown]>): string {
  return [...values].map(([key]) => key).join(', ');
}

function namingPart(shape: Shape) {
  return [...statements(shape, 'enum'), ...statements(shape, 'const')][0]?.part ?? shape.parts[0];
}
