import { asArray, type JsonRecord } from '../../../contract/json-record.js';
import { type Contract, members } from '../contract.js';
import { type Difference, difference, isRemark, type Pair } from '../finding.js';
import { RULES } from '../rules.js';
import { listNames } from './fields.js';
import {
  type Comparison,
  type Conjunction,
  componentName,
  findShape,
  type Shape,
  statements,
  TYPES,
  type Type,
  typeWords,
} from './shape.js';

interface Choice {
  readonly part: JsonRecord;
  readonly keyword: 'oneOf' | 'anyOf';
  readonly branches: readonly Conjunction[];
}

/** Compares `oneOf` and `anyOf` of schemas that both have them, choice by choice. */
export function compareChoices(comparison: Comparison, { before, after }: Pair<Shape>): Difference[] {
  const [old, now] = [listChoices(before), listChoices(after)];
  return Array.from({ length: Math.max(old.length, now.length) }, (_, index) => {
    const [was, is] = [old[index], now[index]];
    if (was && is) {
      return compareAlternatives(comparison, { before: was.branches, after: is.branches });
    }
    const details = { before: was?.part, after: is?.part, was: was?.keyword ?? '', is: is?.keyword ?? '' };
    const rule = is ? 'condition-added' : 'condition-removed';
    return [difference(comparison.contracts, rule, details, details.is || details.was)];
  }).flat();
}

/**
 * Compares schemas as lists of alternatives if only one version has a choice: `{type: string}` beside `oneOf:
 * [{type: string}, {type: object}]` has one alternative less.
 * @returns undefined if this does not apply, and the schemas are compared keyword by keyword.
 */
export function compareWithChoice(comparison: Comparison, shapes: Pair<Shape>): Difference[] | undefined {
  const { contracts } = comparison;
  const [old, now] = [listChoices(shapes.before), listChoices(shapes.after)];
  if (old.length + now.length !== 1) return undefined;
  return compareAlternatives(comparison, {
    before: forms(contracts.before, shapes.before, old[0]),
    after: forms(contracts.after, shapes.after, now[0]),
  });
}

function listChoices({ parts }: Shape): Choice[] {
  return parts.flatMap((part) =>
    (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
      const branches = asArray(part[keyword]).map((branch) => [branch]);
      return branches.length > 1 ? [{ part, keyword, branches }] : [];
    }),
  );
}

function forms(contract: Contract, shape: Shape, choice: Choice | undefined): Conjunction[] {
  if (!choice) return byType(shape);
  // The parts already include the targets of their references, which would otherwise repeat the choice.
  const base = shape.parts.map((part) => {
    const own = contract.without(contract.without(part, '$ref'), 'allOf');
    return part === choice.part ? contract.without(own, choice.keyword) : own;
  });
  return choice.branches.map((branch) => [...branch, ...base]);
}

const OF_TYPE = new Map<string, JsonRecord>([...TYPES, 'number'].map((type) => [type, { type }] as const));

/** Splits a schema by its types: a type array is a choice too. */
function byType({ parts, types }: Shape): Conjunction[] {
  const names = new Set([...types].map((type: Type) => (type === 'fraction' ? 'number' : type)));
  if (types.has('fraction')) names.delete('integer');
  if (names.size < 2 || types.size === TYPES.length) return [parts];
  return [...names].map((name) => [...parts, OF_TYPE.get(name)]);
}

interface Form {
  readonly schemas: Conjunction;
  readonly shape: Shape;
  readonly name: string | undefined;
}

/**
 * Compares lists of alternative schemas. The most similar ones are matched; an unmatched one was removed or
 * added, unless one of the other version covers it.
 */
function compareAlternatives(comparison: Comparison, lists: Pair<readonly Conjunction[]>): Difference[] {
  const { contracts } = comparison;
  const before = lists.before.map((schemas) => findForm(contracts.before, schemas));
  const after = lists.after.map((schemas) => findForm(contracts.after, schemas));
  const between = (old: Form, now: Form, path = '') =>
    comparison.inner(path, { before: old.schemas, after: now.schemas });

  const pairs = before
    .flatMap((old) => after.map((now) => ({ old, now, cost: measureCost(old, now, between(old, now)) })))
    .filter(({ cost }) => cost < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.cost - b.cost);
  const matched = new Map<Form, Form>();
  for (const { old, now } of pairs) {
    if (!matched.has(old) && ![...matched.values()].includes(now)) matched.set(old, now);
  }

  const taken = new Set(matched.values());
  const gone = before.filter((old) => !matched.has(old) && !after.some((now) => between(old, now).every(onlyWidens)));
  const come = after.filter((now) => !taken.has(now) && !before.some((old) => between(old, now).every(onlyNarrows)));
  const alone = before.length === 1 && after.length === 1;
  return [
    ...[...matched].flatMap(([old, now]) => between(old, now, alone ? '' : ` (${words(now)})`)),
    ...gone.map((old) => difference(contracts, 'form-removed', { before: old.shape.parts[0], was: words(old) })),
    ...come.map((now) => difference(contracts, 'form-added', { after: now.shape.parts[0], is: words(now) })),
  ];
}

function findForm(contract: Contract, schemas: Conjunction): Form {
  return { schemas, shape: findShape(contract, schemas), name: componentName(schemas) };
}

/** Returns the distance between two alternatives; infinite if they cannot be versions of the same one. */
function measureCost(old: Form, now: Form, differences: readonly Difference[]): number {
  const count = differences.filter((one) => !isRemark(one)).length;
  if (count === 0) return 0;
  if (old.name !== undefined && old.name === now.name) return 1;
  return areAlike(old.shape, now.shape) ? 1 + count : Number.POSITIVE_INFINITY;
}

/**
 * Returns whether alternatives have the same type; objects must also share a field, and have none that distinguishes
 * them.
 */
function areAlike(old: Shape, now: Shape): boolean {
  const types = [...old.types].filter((type) => now.types.has(type));
  if (types.length === 0) return false;
  if (types.join() !== 'object') return true;
  const names = listNames(old);
  const shared = listNames(now).filter((name) => names.includes(name));
  if (names.length === 0 || listNames(now).length === 0) return true;
  return shared.length > 0 && shared.every((name) => !tellsApart(old, now, name));
}

/** Returns whether a field has a different constant in each schema: the tag of a union. */
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
  const names = listNames(shape);
  const fields = names.length > 0 && names.length <= 3 ? ` with ${names.join(', ')}` : '';
  return `${typeWords(shape.types)}${fields}`;
}
