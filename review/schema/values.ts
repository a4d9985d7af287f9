import type { Difference } from '../finding.js';
import type { Rule } from '../rules.js';
import { type Comparison, difference, type Pair } from './comparison.js';
import { fits } from './fits.js';
import { type Shape, statements, type Type } from './shape.js';
import { typeWords } from './words.js';

/** Compares the types that are possible; where null alone differs, it is told as that. */
export function compareTypes(comparison: Comparison, { before, after }: Pair<Shape>): Difference[] {
  // The types of values that are all named follow from them.
  if (before.values && after.values) return [];
  const gone = [...before.types].filter((type) => !after.types.has(type));
  const come = [...after.types].filter((type) => !before.types.has(type));
  const rule = typeRule(gone, come);
  if (!rule) return [];
  const told = {
    before: typingPart(before),
    after: typingPart(after),
    was: typeWords(before.types),
    is: typeWords(after.types),
  };
  return [difference(comparison, rule, told)];
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

/** Compares the values that `enum` and `const` name. */
export function compareValues(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const { before, after } = shapes;
  const [old, now] = [before.values, after.values];
  if (!old && !now) return [];
  if (![...before.types].some((type) => after.types.has(type)) && !(old && now)) return [];
  const gone = [...(old ?? [])].filter(([key, value]) =>
    now ? !now.has(key) : !fits(value, after),
  );
  const come = [...(now ?? [])].filter(([key, value]) =>
    old ? !old.has(key) : !fits(value, before),
  );
  const list = (values: Iterable<readonly [string, unknown]>) =>
    [...values].map(([key]) => key).join(', ');
  const told = { before: namingPart(before), after: namingPart(after) };
  const found: Difference[] = [];
  if (gone.length > 0)
    found.push(difference(comparison, 'value-removed', { ...told, was: list(gone) }));
  if (come.length > 0)
    found.push(difference(comparison, 'value-added', { ...told, is: list(come) }));
  if (old && !now) {
    const words = { was: `only ${list(old)}`, is: typeWords(after.types) };
    found.push(difference(comparison, 'value-added', { ...told, ...words }));
  }
  if (now && !old) {
    const words = { was: typeWords(before.types), is: `only ${list(now)}` };
    found.push(difference(comparison, 'value-removed', { ...told, ...words }));
  }
  return found;
}

function namingPart(shape: Shape) {
  return [...statements(shape, 'enum'), ...statements(shape, 'const')][0]?.part ?? shape.parts[0];
}
