import type { Promised } from './promises.js';

/** A reason why some promises of the contract are not exercised by a test against the server. */
export interface Reason {
  /** The ids of the promises; `*` stands for any text. */
  readonly promises: readonly string[];
  /** One sentence. */
  readonly because: string;
}

/** The result of comparing the promises of the contract with those that the tests have exercised. */
export interface Comparison {
  /** Promises that are neither exercised nor excused. */
  readonly gaps: readonly string[];
  /**
   * Promises that have a reason, although they are exercised. A refusal for now (503) is none of them: where a machine is
   * busy, any test may meet one by chance.
   */
  readonly needless: readonly string[];
  /** Patterns of reasons that match no promise of the contract. */
  readonly stale: readonly string[];
  /** Promises that are not exercised, with the reason. */
  readonly excused: ReadonlyMap<string, string>;
}

/** Compares the promises of the contract with the exercised ones and with the reasons. */
export function compare(
  promises: readonly Promised[],
  exercised: ReadonlySet<string>,
  reasons: readonly Reason[],
): Comparison {
  const excused = new Map<string, string>();
  const ofChance = new Set<string>();
  const stale: string[] = [];
  for (const { promises: patterns, because } of reasons) {
    for (const pattern of patterns) {
      const meant = promises.filter(({ id }) => matches(pattern, id));
      if (meant.length === 0) stale.push(pattern);
      for (const { id, status } of meant) {
        excused.set(id, because);
        if (status === '503') ofChance.add(id);
      }
    }
  }
  return {
    gaps: promises.map(({ id }) => id).filter((id) => !exercised.has(id) && !excused.has(id)),
    needless: [...excused.keys()].filter((id) => exercised.has(id) && !ofChance.has(id)),
    stale,
    excused: new Map([...excused].filter(([id]) => !exercised.has(id))),
  };
}

function matches(pattern: string, id: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(id);
}
