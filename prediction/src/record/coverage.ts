import { wilson } from '../intervals/wilson.js';

/** What became of the promises of a group. */
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

  /** The number of groups. */
  get size(): number {
    return this.#groups.size;
  }

  has(group: Group): boolean {
    return this.#groups.has(group);
  }

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

  #sums(group: Group): Sums {
    const known = this.#groups.get(group);
    if (known) return known;
    const sums = { promises: 0, truths: 0, kept: 0, confidence: 0, error: 0 };
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

function summarize({ promises, truths, kept, confidence, error }: Sums): Coverage {
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
