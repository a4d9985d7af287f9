import type { JsonRecord } from '../../../server/contract/json-record.js';
import type { Contract } from '../contract/contract.js';
import type { Difference } from '../finding.js';
import type { Party, Rule } from '../rules.js';
import type { Conjunction, Shape } from './shape.js';

/** The old and the new of one place. */
export interface Pair<T> {
  readonly before: T;
  readonly after: T;
}

/** What the comparison of a part needs of the whole. */
export interface Comparison {
  readonly contracts: Pair<Contract>;
  /** Whoever sends by the schemas, or reads by them. */
  readonly party: Party;
  /** Compares schemas below this one; the differences have paths that begin with `path`. */
  readonly inner: (path: string, pair: Pair<Conjunction>) => Difference[];
}

/** What stands at a place in either version, for a difference. */
export interface Told {
  readonly path?: string;
  /** The part of the schema that says it; undefined where none does. */
  readonly before?: JsonRecord | undefined;
  readonly after?: JsonRecord | undefined;
  readonly was?: string;
  readonly is?: string;
}

/** A difference, whose place is in the new version, or in the old one if it is gone. */
export function difference(
  comparison: Pick<Comparison, 'contracts'>,
  rule: Rule,
  told: Told,
  keyword = '',
): Difference {
  const { path = '', was = '', is = '' } = told;
  return { rule, path, pointer: placeOf(comparison, told, keyword), was, is };
}

/** Where the part stands that tells a difference, as a JSON pointer; `keyword` leads on from there. */
export function placeOf(
  { contracts }: Pick<Comparison, 'contracts'>,
  { before, after }: Told,
  keyword: string,
): string {
  const pointer = after ? contracts.after.pointerOf(after) : contracts.before.pointerOf(before);
  return keyword ? `${pointer}/${keyword}` : pointer;
}

/** The keywords of one kind of value: compared where both versions allow a value of that kind. */
export type KeywordComparison = (comparison: Comparison, shapes: Pair<Shape>) => Difference[];
