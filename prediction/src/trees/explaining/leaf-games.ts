import { MAX_BINS, type Split, type Tree } from '../forest/tree.js';

/**
 * A leaf as a game. Its players are the columns that decide on its path. A row meets a player if its value goes the
 * way of the leaf at all splits of that column. A player that is left out is met by the share of the training rows
 * that went this way: the expectation is path-dependent (Lundberg et al. 2020, *From local explanations to global
 * understanding with explainable AI for trees*).
 */
export interface LeafGame {
  readonly value: number;
  /** The indexes of the columns, in the order of the path. */
  readonly players: readonly number[];
  /** For each player the share of the rows at its splits that goes the way of the leaf; above 0. */
  readonly shares: readonly number[];
}

/** The splits of one feature as the leaves, numbered from the left, that each bin meets. */
export interface FeatureBits {
  readonly feature: number;
  readonly player: number;
  /** By bin: the bits of the leaves whose splits of this feature all go their way. */
  readonly met: Int32Array;
}

/** A tree as the games of its leaves, from left to right. Their sum is the game of the tree. */
export interface TreeGame {
  readonly leaves: readonly LeafGame[];
  readonly features: readonly FeatureBits[];
}

/**
 * Returns the games of a tree.
 *
 * @param playerOf the index of the column of each feature.
 * @throws {RangeError} if the tree has no covers.
 */
export function playTree({ splits, leaves, covers }: Tree, playerOf: readonly number[]): TreeGame {
  if (covers === undefined) throw new RangeError('The tree does not know the rows of its leaves.');
  const games: LeafGame[] = [];
  const features = new Map<number, FeatureBits>();
  const rows = coverNodes(splits, covers);
  const rowsOf = (child: number) => (child < 0 ? covers[~child] : rows[child]) ?? 1;
  const visit = (child: number, path: ReadonlyMap<number, number>): void => {
    const split = splits[child];
    if (split === undefined) {
      games.push({ value: leaves[~child] ?? 0, players: [...path.keys()], shares: [...path.values()] });
      return;
    }
    const player = playerOf[split.feature] ?? 0;
    const known = path.get(player) ?? 1;
    const begin = games.length;
    visit(split.left, new Map(path).set(player, (known * rowsOf(split.left)) / rowsOf(child)));
    const middle = games.length;
    visit(split.right, new Map(path).set(player, (known * rowsOf(split.right)) / rowsOf(child)));
    const bits = features.get(split.feature) ?? {
      feature: split.feature,
      player,
      met: new Int32Array(MAX_BINS).fill(-1),
    };
    features.set(split.feature, bits);
    ruleOutWays(bits.met, split, bitsBetween(begin, middle), bitsBetween(middle, games.length));
  };
  visit(splits.length > 0 ? 0 : ~0, new Map());
  return { leaves: games, features: [...features.values()] };
}

/** Returns the number of training rows at each split. */
export function coverNodes(splits: readonly Split[], covers: readonly number[]): Float64Array {
  const rows = new Float64Array(splits.length);
  const rowsOf = (child: number) => (child < 0 ? covers[~child] : rows[child]) ?? 0;
  // Children come behind their parents.
  for (let index = splits.length - 1; index >= 0; index--) {
    const { left = 0, right = 0 } = splits[index] ?? {};
    rows[index] = rowsOf(left) + rowsOf(right);
  }
  return rows;
}

/** Rules out the leaves on the right in the bins that go left, and those on the left in all others. */
function ruleOutWays(met: Int32Array, { left_bins }: Split, left: number, right: number): void {
  let range = 0;
  for (let bin = 0; bin < met.length; bin++) {
    while (bin > (left_bins[range + 1] ?? MAX_BINS)) range += 2;
    const isLeft = bin >= (left_bins[range] ?? MAX_BINS);
    met[bin] = (met[bin] ?? 0) & ~(isLeft ? right : left);
  }
}

/** Returns the bits from `first` up to, not including, `end`; fewer than 32 of them. */
function bitsBetween(first: number, end: number): number {
  return ((1 << (end - first)) - 1) << first;
}
