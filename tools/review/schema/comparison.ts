import type { JsonRecord } from '../../../server/contract/json-record.js';
import type { Contract } from '../contract.js';
import type { Difference } from '../finding.js';
import type { Party, Rule } from '../rules.js';
import type { Conjunction, Shape } from './shape.js';

/** The old and the new version of a part. */
export interface Pair<T> {
  readonly before: T;
  readonly after: T;
}

/** The context of the comparison of a part. */
export interface Comparison {
  readonly contracts: Pair<Contract>;
  /** The party that sends or reads values of the schemas. */
  readonly party: Party;
  /** Compares schemas below this one, whose paths begin with `path`. */
  readonly inner: (path: string, pair: Pair<Conjunction>) => Difference[];
}

/** Compares some keywords of two schemas. */
export type KeywordComparison = (comparison: Comparison, shapes: Pair<Shape>) => Difference[];

/** The details of a difference: the parts and the values in both versions. */
export interface Details {
  readonly path?: string;
  /** The part of the schema with the difference; undefined if there is none. */
  readonly before?: JsonRecord | undefined;
  readonly after?: JsonRecord | undefined;
  readonly was?: string;
  readonly is?: string;
}

/**
 * Returns a difference, with its place in the new version, or in the old one if it was removed; `keyword`
 * extends the pointer.
 */
export function difference(
  { contracts }: Pick<Comparison, 'contracts'>,
  rule: Rule,
  { path = '', was = '', is = '', before, after }: Details,
  keyword = '',
): Difference {
  const place = after ? contracts.after.pointerOf(after) : contracts.before.pointerOf(before);
  return { rule, path, pointer: keyword ? `${place}/${keyword}` : place, was, is };
}
