/** The ids of the rows of some batches of promises. */
export interface PromisedIds {
  /** With the version that promised, and the number of rows. */
  readonly batches: readonly { readonly id: string; readonly version: number; readonly rows: number }[];
  /** Batch by batch and row by row, the hash of the id, or `NO_ID`. */
  readonly ids: Float64Array;
  /** Likewise the group of the step, from 1, of forecasts whose steps each meet their own truth. */
  readonly steps?: Uint8Array | undefined;
}

/** A promise that a truth meets. */
export interface IdMatch {
  /** The number of the truth. */
  readonly truth: number;
  readonly batch: string;
  readonly row: number;
  /** False for an earlier forecast of the same moment, which the latest one is counted for. */
  readonly isLatest: boolean;
}

/**
 * Looks for the truths of ids among promises: of several promises of one id, the latest meets the truth, and of several
 * forecasts of one moment, the latest of each step and version.
 *
 * @param wanted by the hash of an id, the number of its truth, from 0; a truth may have two
 * @param promised of all batches, the latest first; they are read until every truth has met a promise
 * @returns the promises that are met in their order, the earliest first, and by truth, whether it meets any
 */
export async function matchIds(
  wanted: ReadonlyMap<number, number>,
  promised: AsyncIterable<PromisedIds>,
): Promise<{ readonly matches: Iterable<IdMatch>; readonly isMet: Uint8Array }> {
  const found = new FoundIds(wanted);
  if (wanted.size > 0) {
    for await (const some of promised) {
      found.add(some);
      if (found.isComplete) break;
    }
  }
  return { matches: found.matches(), isMet: found.isMet };
}

/** Numbers of a match: its batch, its row there, and its truth, which is below 0 unless it is the latest. */
const MATCH = 3;

/** Promises that are met. A body may meet a million, so they are numbers. */
class FoundIds {
  readonly #wanted: ReadonlyMap<number, number>;
  readonly isMet: Uint8Array;
  /** By version and truth, a bit for each group of steps: there are 32 at most. */
  readonly #steps = new Map<number, Uint32Array>();
  readonly #batches: string[] = [];
  readonly #matches: number[] = [];
  #missing: number;
  #hasSteps = false;

  constructor(wanted: ReadonlyMap<number, number>) {
    this.#wanted = wanted;
    this.#missing = new Set(wanted.values()).size;
    this.isMet = new Uint8Array(wanted.size);
  }

  /** True if no earlier promise meets a truth. */
  get isComplete(): boolean {
    return this.#missing === 0 && !this.#hasSteps;
  }

  add({ batches, ids, steps }: PromisedIds): void {
    this.#hasSteps ||= steps !== undefined;
    let start = 0;
    for (const { id, version, rows } of batches) {
      let isOfBatch = false;
      for (let row = rows - 1; row >= 0; row--) {
        const truth = this.#wanted.get(ids[start + row] ?? 0);
        if (truth === undefined) continue;
        const isLatest = this.isMet[truth] === 0;
        const isNew = steps ? this.#meetStep(truth, version, steps[start + row] ?? 0) : isLatest;
        if (!isNew) continue;
        if (isLatest) this.#missing--;
        this.isMet[truth] = 1;
        if (!isOfBatch) this.#batches.push(id);
        isOfBatch = true;
        this.#matches.push(this.#batches.length - 1, row, isLatest ? truth : -1 - truth);
      }
      start += rows;
    }
  }

  *matches(): Generator<IdMatch> {
    for (let at = this.#matches.length - MATCH; at >= 0; at -= MATCH) {
      const batch = this.#batches[this.#matches[at] ?? 0] ?? '';
      const row = this.#matches[at + 1] ?? 0;
      const truth = this.#matches[at + 2] ?? 0;
      yield { truth: truth < 0 ? -1 - truth : truth, batch, row, isLatest: truth >= 0 };
    }
  }

  /** Returns whether a truth meets the step of a version for the first time. */
  #meetStep(truth: number, version: number, step: number): boolean {
    let met = this.#steps.get(version);
    if (!met) {
      met = new Uint32Array(this.#wanted.size);
      this.#steps.set(version, met);
    }
    const bit = 1 << step;
    const before = met[truth] ?? 0;
    met[truth] = before | bit;
    return (before & bit) === 0;
  }
}
