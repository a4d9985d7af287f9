import { asRecord } from '../../../contract/json-record.js';
import type { Contract } from '../contract.js';
import { below, type Difference, difference, type Pair } from '../finding.js';
import type { Party } from '../rules.js';
import { compareChoices, compareWithChoice } from './alternatives.js';
import { compareFields } from './fields.js';
import {
  compareConditions,
  compareElements,
  compareFacets,
  compareRemarks,
  compareTypes,
  compareValues,
} from './keywords.js';
import {
  type Comparison,
  type Conjunction,
  findShape,
  type KeywordComparison,
  type Shape,
  typeWords,
} from './shape.js';

/** The maximum number of reported differences, which limits the cost of a hostile schema. */
const MAX_DIFFERENCES = 500;

const KEYWORDS: readonly KeywordComparison[] = [
  compareTypes,
  compareValues,
  compareFields,
  compareElements,
  compareChoices,
  compareConditions,
  compareRemarks,
  compareFacets,
];

/**
 * Compares two schemas for one party. A schema may contain itself: a pair that is already being compared counts
 * as equal within itself.
 */
export function compareSchemas(contracts: Pair<Contract>, party: Party, schemas: Pair<unknown>): Difference[] {
  const known = new Map<string, Difference[]>();
  const compare = (pair: Pair<Conjunction>): Difference[] => {
    const key = `${writeKey(contracts.before, pair.before)} ${writeKey(contracts.after, pair.after)}`;
    const found = known.get(key);
    if (found) return found;
    known.set(key, []);
    const shapes = { before: findShape(contracts.before, pair.before), after: findShape(contracts.after, pair.after) };
    const differences = compareShapes(comparison, shapes).slice(0, MAX_DIFFERENCES);
    known.set(key, differences);
    return differences;
  };
  const comparison: Comparison = { contracts, party, inner: (path, pair) => below(path, compare(pair)) };
  // Many operations have the same body or answer, such as that of an error.
  const whole = { before: [schemas.before], after: [schemas.after] };
  const key = `${party} ${writeKey(contracts.before, whole.before)} ${writeKey(contracts.after, whole.after)}`;
  const results = compared.get(contracts) ?? new Map<string, Difference[]>();
  compared.set(contracts, results);
  const result = results.get(key) ?? compare(whole);
  results.set(key, result);
  return result;
}

/** The differences of whole bodies. */
const compared = new WeakMap<Pair<Contract>, Map<string, Difference[]>>();

function compareShapes(comparison: Comparison, shapes: Pair<Shape>): Difference[] {
  const { before, after } = shapes;
  if (before.impossible || after.impossible) return comparePossible(comparison, shapes);
  return (
    compareWithChoice(comparison, shapes) ?? KEYWORDS.flatMap((compareKeywords) => compareKeywords(comparison, shapes))
  );
}

function comparePossible(comparison: Comparison, { before, after }: Pair<Shape>): Difference[] {
  if (before.impossible === after.impossible) return [];
  const [was, is] = [before, after].map((shape) => (shape.impossible ? 'nothing' : typeWords(shape.types)));
  const details = { before: before.parts[0], after: after.parts[0], was: was ?? '', is: is ?? '' };
  return [difference(comparison.contracts, after.impossible ? 'type-narrowed' : 'type-widened', details)];
}

const numbers = new WeakMap<object, number>();
let given = 0;

/** Returns a key that is the same for the same schemas, in any order and through any references. */
function writeKey(contract: Contract, schemas: Conjunction): string {
  const keys = schemas.map((reference) => {
    const schema = isBare(reference) ? contract.resolve(reference) : reference;
    if (typeof schema !== 'object' || schema === null) return String(schema);
    const number = numbers.get(schema) ?? ++given;
    numbers.set(schema, number);
    return String(number);
  });
  return [...new Set(keys)].sort().join('&');
}

/** Returns whether a schema is a reference without other keywords. */
function isBare(schema: unknown): boolean {
  return Object.keys(asRecord(schema)).join() === '$ref';
}
