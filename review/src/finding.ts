import type { JsonRecord } from '../../contract/json-record.js';
import type { Contract } from './contract.js';
import { type Party, RULES, type Rule } from './rules.js';

/** The old and the new version of a part. */
export interface Pair<T> {
  readonly before: T;
  readonly after: T;
}

/** A difference between two versions of the contract. */
export interface Difference {
  readonly rule: Rule;
  /** The path from the outer to the inner part: `body.skill.name`; relative to the compared part. */
  readonly path: string;
  /** The place in the contract: in the new version, or in the old one if it was removed. */
  readonly pointer: string;
  /** The old value; empty if there was none. */
  readonly was: string;
  /** The new value; empty if there is none. */
  readonly is: string;
}

/** A difference, and the party that it concerns. */
export interface Finding extends Difference {
  /** The operationId; `GET /address` without one; empty if it concerns all operations. */
  readonly operation: string;
  readonly party: Party;
}

/** The details of a difference: the parts and the values in both versions. */
interface Details {
  readonly path?: string;
  /** The part with the difference; undefined if there is none. */
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
  contracts: Pair<Contract>,
  rule: Rule,
  { path = '', was = '', is = '', before, after }: Details,
  keyword = '',
): Difference {
  const place = after ? contracts.after.findPointer(after) : contracts.before.findPointer(before);
  return { rule, path, pointer: keyword ? `${place}/${keyword}` : place, was, is };
}

/** Returns the difference between what two versions of a part say, if there is one. */
export function wordsDiffer(
  contracts: Pair<Contract>,
  rule: Rule,
  { before, after }: Pair<JsonRecord>,
  words: (part: JsonRecord) => string,
  keyword = '',
): Difference[] {
  const [was, is] = [words(before), words(after)];
  return was === is ? [] : [difference(contracts, rule, { before, after, was, is }, keyword)];
}

/** Puts differences of a part below its step: ` header ETag`, or `.name` of a field. */
export function below(step: string, differences: readonly Difference[]): Difference[] {
  return differences.map((one) => ({ ...one, path: `${step}${one.path}` }));
}

/** Returns the party that a finding breaks, if any. */
export function breaks({ rule, party }: Pick<Finding, 'rule' | 'party'>): Party | undefined {
  return RULES[rule].breaks[party] === undefined ? undefined : party;
}

/** Returns whether a difference leaves the set of possible values unchanged. */
export function isRemark({ rule }: Pick<Difference, 'rule'>): boolean {
  return RULES[rule].else === 'remark';
}

/** A change with all of its places: a shared schema appears in many operations. */
export interface Change extends Pick<Finding, 'rule' | 'party' | 'was' | 'is'> {
  readonly places: readonly string[];
  readonly pointers: readonly string[];
}

/** Returns the place of a finding, as the review writes it. */
export function placeOf({ operation, path }: Pick<Finding, 'operation' | 'path'>): string {
  return [operation, path].filter(Boolean).join(' ');
}

/** Groups the findings that are one change, or the same change in many operations. */
export function listChanges(findings: readonly Finding[]): Change[] {
  const atOnePointer = grouped(findings, ({ rule, party, pointer, was, is }) =>
    JSON.stringify([rule, party, pointer, was, is]),
  );
  return grouped(atOnePointer, sameEverywhere).map((groups) => {
    const all = groups.flat();
    const [[{ rule, party, was, is }]] = groups;
    const places = all.map(placeOf);
    const pointers = all.map(({ pointer }) => pointer).filter(Boolean);
    return { rule, party, was, is, places: distinct(places), pointers: distinct(pointers) };
  });
}

function sameEverywhere(findings: readonly [Finding, ...Finding[]]): string {
  const [{ rule, party, pointer, was, is }] = findings;
  const paths = distinct(findings.map(({ path }) => path.replace(/^\d\d\d /, '')));
  const [path, ...further] = paths;
  return JSON.stringify([rule, party, was, is, further.length > 0 ? pointer : path]);
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
