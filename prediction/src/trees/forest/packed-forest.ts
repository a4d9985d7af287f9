import type { Split, Tree } from './tree.js';

/** The words of a split before its bins: its feature, its children, and how many bins follow. */
const SPLIT = 4;

/** The trees of a forest in few bytes, for what seldom reads them. */
export class PackedForest {
  /** For each tree the number of its splits, those, and the covers of its leaves. */
  readonly #words: Int32Array;
  readonly #leaves: Float64Array;

  /** @param trees that have covers. */
  constructor(trees: readonly Tree[]) {
    const words: number[] = [];
    for (const { splits, covers = [] } of trees) {
      words.push(splits.length);
      for (const { feature, left_bins, left, right } of splits) {
        words.push(feature, left, right, left_bins.length, ...left_bins);
      }
      words.push(...covers);
    }
    this.#words = Int32Array.from(words);
    this.#leaves = Float64Array.from(trees.flatMap(({ leaves }) => leaves));
  }

  get bytes(): number {
    return this.#words.byteLength + this.#leaves.byteLength;
  }

  /** Yields the trees. */
  *trees(): Generator<Tree> {
    const words = this.#words;
    let first = 0;
    for (let at = 0; at < words.length; ) {
      const count = words[at++] ?? 0;
      const splits: Split[] = [];
      while (splits.length < count) {
        const [feature = 0, left = 0, right = 0, bins = 0] = words.subarray(at, at + SPLIT);
        at += SPLIT;
        splits.push({ feature, left_bins: [...words.subarray(at, at + bins)], left, right });
        at += bins;
      }
      const covers = [...words.subarray(at, at + count + 1)];
      at += count + 1;
      yield { splits, leaves: [...this.#leaves.subarray(first, first + count + 1)], covers };
      first += count + 1;
    }
  }
}
