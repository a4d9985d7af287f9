import { wilson } from '../intervals/statistics.js';

/** The outcome of the promises of a group. */
export interface Coverage {
  promises: number;
  /** The promises whose truth is known; the others are missing. */
  truths: number;
  kept: number;
  /** The share that was kept of those whose truth is known; null without any. */
  coverage: number | null;
  /** Where the true share may lie, given chance: the Wilson score interval of 95 %. */
  coverage_band: [number, number] | null;
  /** The mean confidence of the promises whose truth is known. */
  promised: number | null;
  /** The mean absolute error of a number, or the share of wrong classes. */
  error: number | null;
}

/** Counts what became of promises, by group. */
export class CoverageCounter<Group> {
  readonly #groups = new Map<Group, Sums>();

  /** Counts promises of which no truth has come yet. */
  addPromises(group: Group, count: number): void {
    this.#sums(group).promises += count;
  }

  /** Counts the truth of a promise, which is counted by `addPromises` too. */
  addTruth(group: Group, confidence: number, isKept: boolean, error: number): void {
    const sums = this.#sums(group);
    sums.truths++;
    if (isKept) sums.kept++;
    sums.confidence += confidence;
    sums.error += error;
  }

  /** Returns each group with its coverage, in the order in which they were first counted. */
  *entries(): Generator<[Group, Coverage]> {
    for (const [group, sums] of this.#groups) yield [group, summarize(sums)];
  }

  /**
   * Merges groups that are numbers into at most five that follow each other, with about as many promises each.
   *
   * @returns for each its first and its last group, and its coverage.
   */
  *fifths(this: CoverageCounter<number>): Generator<[first: number, last: number, Coverage]> {
    const groups = [...this.#groups].sort(([one], [other]) => one - other);
    const total = groups.reduce((sum, [, { promises }]) => sum + promises, 0);
    let counted = 0;
    let first: number | undefined;
    let merged = newSums();
    for (const [index, [group, sums]] of groups.entries()) {
      first ??= group;
      merged = addSums(merged, sums);
      const before = Math.floor((FIFTHS * counted) / total);
      counted += sums.promises;
      const isFull = Math.floor((FIFTHS * counted) / total) > before;
      if (!isFull && index < groups.length - 1) continue;
      yield [first, group, summarize(merged)];
      first = undefined;
      merged = newSums();
    }
  }

  #sums(group: Group): Sums {
    const known = this.#groups.get(group);
    if (known) return known;
    const sums = newSums();
    this.#groups.set(group, sums);
    return sums;
  }
}

interface Sums {
  promises: number;
  truths: number;
  kept: number;
  confidence: number;
  error: number;
}

const FIFTHS = 5;

function newSums(): Sums {
  return { promises: 0, truths: 0, kept: 0, confidence: 0, error: 0 };
}

function addSums(one: Sums, other: Sums): Sums {
  return {
    promises: one.promises + other.promises,
    truths: one.truths + other.truths,
    kept: one.kept + other.kept,
    confidence: one.confidence + other.confidence,
    error: one.error + other.error,
  };
}

/** Returns what sums come to. */
export function summarize({ promises, truths, kept, confidence, error }: Sums): Coverage {
  const isKnown = truths > 0;
  return {
    promises,
    truths,
    kept,
    coverage: isKnown ? kept / truths : null,
    coverage_band: isKnown ? wilson(kept / truths, truths) : null,
    promised: isKnown ? confidence / truths : null,
    error: isKnown ? error / truths : null,
  };
}
