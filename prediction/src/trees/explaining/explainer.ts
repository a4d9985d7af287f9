import type { Forest, Tree } from '../forest/tree.js';
import type { Steps } from '../steps.js';
import { playTree, type TreeGame } from './leaf-games.js';
import { addShapleyValues } from './shapley.js';

/**
 * Computes what each column contributes to the score of a row by a forest: its Shapley value, where columns are the
 * players, so that the parts of a date are known or unknown together. The values of a row add up to its score less the
 * expected one.
 */
export class ForestExplainer {
  readonly #trees: readonly TreeGame[];
  readonly #met: Int32Array;

  /**
   * Lays out a forest in steps.
   *
   * @param playerOf the index of the column of each feature.
   * @throws {RangeError} if the trees have no covers; see `isExplained`.
   */
  static *create({ trees }: Forest, playerOf: readonly number[]): Steps<ForestExplainer> {
    const games: TreeGame[] = [];
    for (const tree of trees) {
      games.push(playTree(tree, playerOf));
      yield;
    }
    return new ForestExplainer(games, Math.max(0, ...playerOf) + 1);
  }

  private constructor(games: readonly TreeGame[], players: number) {
    this.#trees = games;
    this.#met = new Int32Array(players);
  }

  /**
   * Adds the contributions of some rows.
   *
   * @param values row by row, `players` each.
   * @param bins feature by feature, `stride` bins each.
   */
  addTo(values: Float64Array, players: number, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    const met = this.#met;
    for (const row of rows) {
      for (const { features, leaves } of this.#trees) {
        met.fill(-1);
        for (const { feature, player, met: byBin } of features) {
          met[player] = (met[player] ?? 0) & (byBin[bins[feature * stride + row] ?? 0] ?? 0);
        }
        for (const [leaf, game] of leaves.entries()) {
          let bits = 0;
          for (const [place, player] of game.players.entries()) bits |= (((met[player] ?? 0) >>> leaf) & 1) << place;
          addShapleyValues(game, bits, values, row * players);
        }
      }
    }
  }
}

/** Returns the score of a row of which nothing is known: the mean over the rows that the trees were grown on. */
export function expectedScore({ base, trees }: Forest): number {
  return trees.reduce((sum, { leaves, covers = [] }) => {
    const all = covers.reduce((rows, cover) => rows + cover, 0);
    return sum + leaves.reduce((mean, value, leaf) => mean + value * ((covers[leaf] ?? 0) / all), 0);
  }, base);
}

/** Returns whether contributions can be computed: trees of releases before 0.3.0 do not know the rows of their leaves. */
export function hasCovers(trees: readonly Tree[]): boolean {
  return trees.every(({ covers }) => covers !== undefined);
}
