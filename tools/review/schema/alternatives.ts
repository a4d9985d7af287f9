import { members } from '../contract/contract.js';
import { type Difference, isRemark } from '../finding.js';
import { RULES } from '../rules.js';
import { type Comparison, difference, type Pair } from './comparison.js';
import { type Conjunction, type Shape, shapeOf } from './shape.js';
import { namesOf } from './slots.js';
import { statements } from './statements.js';
import { componentName, typeWords } from './words.js';

interface Form {
  readonly schemas: Conjunction;
  readonly shape: Shape;
  readonly name: string | undefined;
}

/**
 * Compares lists of alternative schemas. The most similar ones are matched; an unmatched one was removed or
 * added, unless one of the other version covers it.
 */
export function compareAlternatives(
  comparison: Comparison,
  lists: Pair<readonly Conjunction[]>,
): Difference[] {
  const before = lists.before.map((schemas) => formOf(comparison.contracts.before, schemas));
  const after = lists.after.map((schemas) => formOf(comparison.contracts.after, schemas));
  const between = (old: Form, now: Form, path = '') =>
    comparison.inner(path, { before: old.schemas, after: now.schemas });

  const pairs = before
    .flatMap((old) => after.map((now) => ({ old, now, cost: costOf(old, now, between(old, now)) })))
    .filter(({ cost }) => cost < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.cost - b.cost);
  const matched = new Map<Form, Form>();
  for (const { old, now } of pairs) {
    if (!matched.has(old) && ![...matched.values()].includes(now)) matched.set(old, now);
  }

  const taken = new Set(matched.values());
  const gone = before.filter(
    (old) => !matched.has(old) && !after.some((now) => between(old, now).every(onlyWidens)),
  );
  const come = after.filter(
    (now) => !taken.has(now) && !before.some((old) => between(old, now).every(onlyNarrows)),
  );
  const alone = before.length === 1 && after.length === 1;
  return [
    ...[...matched].flatMap(([old, now]) => between(old, now, alone ? '' : ` (${words(now)})`)),
    ...gone.map((old) =>
      difference(comparison, 'form-removed', { before: placed(old), was: words(old) }),
    ),
    ...come.map((now) =>
      difference(comparison, 'form-added', { after: placed(now), is: words(now) }),
    ),
  ];
}

function formOf(contract: Comparison['contracts']['before'], schemas: Conjunction): Form {
  return {
    schemas,
    shape: shapeOf(contract, schemas),
    name: schemas.map(componentName).find((name) => name !== undefined),
  };
}

/** Returns the distance between two alternatives; infinite if they cannot be versions of the same one. */
function costOf(old: Form, now: Form, differences: readonly Difference[]): number {
  const count = differences.filter((one) => !isRemark(one)).length;
  if (count === 0) return 0;
  if (old.name !== undefined && old.name === now.name) return 1;
  return areAlike(old.shape, now.shape) ? 1 + count : Number.POSITIVE_INFINITY;
}

/**
 * Whether alternatives have the same type; objects must also share a field, and have none that distinguishes
 * them.
 */
function areAlike(old: Shape, now: Shape): boolean {
  const types = [...old.types].filter((type) => now.types.has(type));
  if (types.length === 0) return false;
  if (types.join() !== 'object') return true;
  const names = namesOf(old);
  const shared = namesOf(now).filter((name) => names.includes(name));
  if (names.length === 0 || namesOf(now).length === 0) return true;
  return shared.length > 0 && shared.every((name) => !tellsApart(old, now, name));
}

/** Whether a field has a different constant in each schema: the tag of a union. */
function tellsApart(old: Shape, now: Shape, name: string): boolean {
  const [tag, other] = [old, now].map((shape) =>
    statements(shape, 'properties')
      .flatMap(({ value }) => members(value))
      .filter(([key]) => key === name)
      .map(([, schema]) => (isTag(schema) ? JSON.stringify(schema.const) : undefined))
      .find((value) => value !== undefined),
  );
  return tag !== undefined && other !== undefined && tag !== other;
}

function isTag(schema: unknown): schema is { const: unknown } {
  return typeof schema === 'object' && schema !== null && Object.hasOwn(schema, 'const');
}

function onlyWidens(one: Difference): boolean {
  return isRemark(one) || RULES[one.rule].breaks.sender === undefined;
}

function onlyNarrows(one: Difference): boolean {
  const { sender, reader } = RULES[one.rule].breaks;
  return isRemark(one) || (sender !== undefined && reader === undefined);
}

function words({ name, shape }: Form): string {
  if (name) return name;
  const names = namesOf(shape);
  const fields = names.length > 0 && names.length <= 3 ? ` with ${names.join(', ')}` : '';
  return `${typeWords(shape.types)}${fields}`;
}

function placed({ shape }: Form) {
  return shape.parts[0];
}
