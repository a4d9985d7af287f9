import type { JsonRecord } from '../../../server/contract/json-record.js';
import { type Contract, elements } from '../contract/contract.js';
import type { Difference } from '../finding.js';
import { compareAlternatives } from './alternatives.js';
import { type Comparison, difference, type Pair } from './comparison.js';
import type { Conjunction, Shape } from './shape.js';
import { TYPES, type Type } from './types.js';

interface Choice {
  readonly part: JsonRecord;
  readonly keyword: 'oneOf' | 'anyOf';
  readonly branches: readonly Conjunction[];
}

/** Compares `oneOf` and `anyOf` of schemas that both have them, choice by choice. */
export function compareChoices(
  comparison: Comparison,
  { before, after }: Pair<Shape>,
): Difference[] {
  const [old, now] = [choicesOf(before), choicesOf(after)];
  return Array.from({ length: Math.max(old.length, now.length) }, (_, index) => {
    const [was, is] = [old[index], now[index]];
    if (was && is) {
      return compareAlternatives(comparison, { before: was.branches, after: is.branches });
    }
    const details = {
      before: was?.part,
      after: is?.part,
      was: was?.keyword ?? '',
      is: is?.keyword ?? '',
    };
    return [
      difference(
        comparison,
        is ? 'condition-added' : 'condition-removed',
        details,
        details.is || details.was,
      ),
    ];
  }).flat();
}

/**
 * Compares schemas as lists of alternatives if only one version has a choice: `{type: string}` beside `oneOf:
 * [{type: string}, {type: object}]` has one alternative less.
 * @returns undefined if this does not apply, and the schemas are compared keyword by keyword.
 */
export function compareWithChoice(
  comparison: Comparison,
  shapes: Pair<Shape>,
): Difference[] | undefined {
  const { contracts } = comparison;
  const [old, now] = [choicesOf(shapes.before), choicesOf(shapes.after)];
  if (old.length + now.length !== 1) return undefined;
  return compareAlternatives(comparison, {
    before: forms(contracts.before, shapes.before, old[0]),
    after: forms(contracts.after, shapes.after, now[0]),
  });
}

function choicesOf({ parts }: Shape): Choice[] {
  return parts.flatMap((part) =>
    (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
      const branches = elements(part[keyword]).map((branch) => [branch]);
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

const OF_TYPE = new Map<string, JsonRecord>(
  [...TYPES, 'number'].map((type) => [type, { type }] as const),
);

/** Splits a schema by its types: a type array is a choice too. */
function byType({ parts, types }: Shape): Conjunction[] {
  const names = new Set([...types].map((type: Type) => (type === 'fraction' ? 'number' : type)));
  if (types.has('fraction')) names.delete('integer');
  if (names.size < 2 || types.size === TYPES.length) return [parts];
  return [...names].map((name) => [...parts, OF_TYPE.get(name)]);
}
