import { elements } from '../contract/contract.js';
import type { Difference } from '../finding.js';
import type { Comparison, Pair } from './comparison.js';
import type { Conjunction, Shape } from './shape.js';

/** Compares the elements of arrays: those with a fixed position, and all others. */
export function compareElements(
  comparison: Comparison,
  { before, after }: Pair<Shape>,
): Difference[] {
  if (!before.types.has('array') || !after.types.has('array')) return [];
  const places = Math.max(placesOf(before), placesOf(after));
  const own = Array.from({ length: places }, (_, index) =>
    comparison.inner(`[${index}]`, {
      before: element(before, index),
      after: element(after, index),
    }),
  );
  const others = { before: element(before, places), after: element(after, places) };
  return [...own.flat(), ...comparison.inner('[]', others)];
}

function placesOf({ parts }: Shape): number {
  return Math.max(0, ...parts.map((part) => elements(part['prefixItems']).length));
}

function element({ parts }: Shape, index: number): Conjunction {
  return parts.flatMap((part) => {
    const schema =
      elements(part['prefixItems'])[index] ?? part['items'] ?? part['unevaluatedItems'];
    return schema === undefined ? [] : [schema];
  });
}
