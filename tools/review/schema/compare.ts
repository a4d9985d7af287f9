import { asRecord } from '../../../server/contract/json-record.js';
import type { Contract } from '../contract/contract.js';
import type { Difference } from '../finding.js';
import type { Party } from '../rules.js';
import { compareBounds } from './bounds.js';
import { compareChoices, compareWithChoice } from './choices.js';
import { type Comparison, difference, type KeywordComparison, type Pair } from './comparison.js';
import { compareConditions } from './conditions.js';
import { compareElements } from './elements.js';
import { compareFields } from './fields.js';
import { compareRemarks } from './remarks.js';
import { compareScalars } from './scalars.js';
import { type Conjunction, type Shape, shapeOf } from './shape.js';
import { compareTypes, compareValues } from './values.js';
import { typeWords } from './words.js';

/** More differences than anyone reads are not told, which bounds what a hostile schema may cost. */
const MAX_DIFFERENCES = 500;

const WITH_VALUES: readonly KeywordComparison[] = [
  compareTypes,
  compareValues,
  compareFields,
  compareElements,
  compareChoices,
  compareConditions,
  compareRemarks,
];
// Where the possible values are named, it does not matter what else they must be like.
const WITHOUT_VALUES: readonly KeywordComparison[] = [
  ...WITH_VALUES,
  compareBounds,
  compareScalars,
];

/**
 * Compares two schemas, for whoever sends by them or reads by them. Schemas may contain themselves: what
 * is being compared already is taken as equal within itself.
 */
export function compareSchemas(
  contracts: Pair<Contract>,
  party: Party,
  schemas: Pair<unknown>,
): Difference[] {
  const known = new Map<string, Difference[]>();
  const compare = (pair: Pair<Conjunction>): Difference[] => {
    const key = `${keyOf(contracts.before, pair.before)} ${keyOf(contracts.after, pair.after)}`;
    const found = known.get(key);
    if (found) return found;
    known.set(key, []);
    const shapes = {
      before: shapeOf(contracts.before, pair.before),
      after: shapeOf(contracts.after, pair.after),
    };
    const differences = compareShapes(comparison, shapes).slice(0, MAX_DIFFERENCES);
    known.set(key, differences);
    return differences;
  };
  const comparison: Comparison = {
    contracts,
    party,
    inner: (path, pair) => compare(pair).map((one) => ({ ...one, path: `${path}${one.path}` })),
  };
  return compare({ before: [schemas.before], after: [schemas.after] });
}

function compareShapes(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const { before, after } = shapes;
  if (before.impossible || after.impossible) return comparePossible(comparison, shapes);
  const keywords = before.values || after.values ? WITH_VALUES : WITHOUT_VALUES;
  return (
    compareWithChoice(comparison, shapes) ??
    keywords.flatMap((compareKeywords) => compareKeywords(comparison, shapes))
  );
}

function comparePossible(comparison: Comparison, { before, after }: Pair<Shape>): Difference[] {
  if (before.impossible === after.impossible) return [];
  const [was, is] = [before, after].map((shape) =>
    shape.impossible ? 'nothing' : typeWords(shape.types),
  );
  const told = { before: before.parts[0], after: after.parts[0], was: was ?? '', is: is ?? '' };
  return [difference(comparison, after.impossible ? 'type-narrowed' : 'type-widened', told)];
}

const numbers = new WeakMap<object, number>();
let given = 0;

/** The same schemas, in whatever order and by whatever references, have the same key. */
function keyOf(contract: Contract, schemas: Conjunction): string {
  const keys = schemas.map((reference) => {
    const schema = isBare(reference) ? contract.resolve(reference) : reference;
    if (typeof schema !== 'object' || schema === null) return String(schema);
    const number = numbers.get(schema) ?? ++given;
    numbers.set(schema, number);
    return String(number);
  });
  return [...new Set(keys)].sort().join('&');
}

/** A reference with nothing beside it. */
function isBare(schema: unknown): boolean {
  return Object.keys(asRecord(schema)).join() === '$ref';
}
