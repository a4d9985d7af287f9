import type { Promised } from './promises.js';

/** Why some promises of the contract are not exercised by a test against the server. */
export interface Reason {
  /** The ids of the promises; `*` stands for any text. */
  readonly promises: readonly string[];
  /** In a sentence. */
  readonly because: string;
}

/** What came of holding the promises of the contract against what the tests have exercised. */
export interface Comparison {
  /** What is neither exercised nor excused. */
  readonly gaps: readonly string[];
  /** Reasons for what is exercised all the same: the promise, and what was said of it. */
  readonly needless: readonly string[];
  /** Reasons for what the contract does not promise, or no longer. */
  readonly stale: readonly string[];
  /** What is not exercised, with the reason. */
  readonly excused: ReadonlyMap<string, string>;
}

/** Holds the promises of the contract against what was exercised and what has a reason. */
export function compare(
  promises: readonly Promised[],
  exercised: ReadonlySet<string>,
  reasons: readonly Reason[],
): Comparison {
  const excused = new Map<string, string>();
  const stale: string[] = [];
  for (const { promises: patterns, because } of reasons) {
    for (const pattern of patterns) {
      const meant = promises.filter(({ id }) => matches(pattern, id));
      if (meant.length === 0) stale.push(pattern);
      for (const { id } of meant) excused.set(id, because);
    }
  }
  return {
    gaps: promises.map(({ id }) => id).filter((id) => !exercised.has(id) && !excused.has(id)),
    needless: [...excused.keys()].filter((id) => exercised.has(id)),
    stale,
    excused: new Map([...excused].filter(([id]) => !exercised.has(id))),
  };
}

function matches(pattern: string, id: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(id);
}
