import { type Party, RULES, type Rule } from './rules.js';

/** A difference between two versions of the contract. */
export interface Difference {
  readonly rule: Rule;
  /** Where, from the outer to the inner: `body.skill.name`; relative to what was compared. */
  readonly path: string;
  /** Where it stands in the contract: in the new version, or in the old one if it is gone. */
  readonly pointer: string;
  /** What it was; empty if it was not there. */
  readonly was: string;
  /** What it is; empty if it is no longer there. */
  readonly is: string;
}

/** A difference, and whom it concerns. */
export interface Finding extends Difference {
  /** The operationId; `GET /address` without one; empty, if it concerns all operations. */
  readonly operation: string;
  readonly party: Party;
}

/** Says for whom a finding breaks; undefined if for nobody. */
export function breaks({ rule, party }: Pick<Finding, 'rule' | 'party'>): Party | undefined {
  return RULES[rule].breaks[party] === undefined ? undefined : party;
}

/** The same change, and every place that it shows at: a shared schema shows in many operations. */
export interface Change extends Omit<Finding, 'path' | 'operation'> {
  readonly places: readonly string[];
}

/** Brings together the findings that are one change of the contract, in their order. */
export function changesOf(findings: readonly Finding[]): Change[] {
  const changes = new Map<string, Change & { places: string[] }>();
  for (const { path, operation, ...change } of findings) {
    const { rule, party, pointer, was, is } = change;
    const key = JSON.stringify([rule, party, pointer, was, is]);
    const known = changes.get(key) ?? { ...change, places: [] };
    const place = [operation, path].filter(Boolean).join(' ');
    if (!known.places.includes(place)) known.places.push(place);
    changes.set(key, known);
  }
  return [...changes.values()];
}

const REMARKS = new Set<Rule>([
  'deprecated',
  'no-longer-deprecated',
  'default-changed',
  'keyword-changed',
]);

/** Whether a difference leaves everything possible as it was. */
export function isRemark({ rule }: Pick<Difference, 'rule'>): boolean {
  return REMARKS.has(rule);
}
