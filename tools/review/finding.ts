import { type Party, RULES, type Rule } from './rules.js';

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

/** Returns the party that a finding breaks, if any. */
export function breaks({ rule, party }: Pick<Finding, 'rule' | 'party'>): Party | undefined {
  return RULES[rule].breaks[party] === undefined ? undefined : party;
}

/** A change with all of its places: a shared schema appears in many operations. */
export interface Change extends Pick<Finding, 'rule' | 'party' | 'was' | 'is'> {
  readonly places: readonly string[];
  readonly pointers: readonly string[];
}

/** Groups the findings that are one change, or the same change in many operations. */
export function changesOf(findings: readonly Finding[]): Change[] {
  const atOnePointer = grouped(findings, ({ rule, party, pointer, was, is }) =>
    JSON.stringify([rule, party, pointer, was, is]),
  );
  return grouped(atOnePointer, sameEverywhere).map((groups) => {
    const all = groups.flat();
    const [[{ rule, party, was, is }]] = groups;
    const places = all.map(({ operation, path }) => [operation, path].filter(Boolean).join(' '));
    const pointers = all.map(({ pointer }) => pointer).filter(Boolean);
    return { rule, party, was, is, places: distinct(places), pointers: distinct(pointers) };
  });
}

function sameEverywhere([first, ...others]: readonly Finding[]): string {
  if (!first) return '';
  const { rule, party, pointer, was, is } = first;
  const paths = distinct([first, ...others].map(({ path }) => path.replace(/^\d\d\d /, '')));
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

const REMARKS = new Set<Rule>([
  'deprecated',
  'no-longer-deprecated',
  'default-changed',
  'keyword-changed',
]);

/** Returns whether a difference leaves the set of possible values unchanged. */
export function isRemark({ rule }: Pick<Difference, 'rule'>): boolean {
  return REMARKS.has(rule);
}
