import type { KernelMemory } from '../../kernel/kernel-memory.js';
import type { Forest, Tree } from '../forest/tree.js';
import type { Steps } from '../steps.js';
import { addClusterValues, clusterLeaves, type LeafCluster } from './leaf-clusters.js';
import { playTree, type TreeGame } from './leaf-games.js';
import { tableBytes, ValueTables } from './value-tables.js';

/** The states of a cluster of several leaves, tried from the most; more states mean fewer clusters, and more memory. */
const MAX_STATES = [1024, 256, 64];

/** The states of a leaf by itself that has a table; with more, its values are computed for each row. */
const MAX_LEAF_STATES = 4096;

/** Fewer rows are explained without tables, which take longer to lay out. */
const MIN_TABLE_ROWS = 32;

/** The bytes of tables that a model may have. */
export const MAX_TABLE_BYTES = 32 * 1024 * 1024;

/**
 * Computes what each column contributes to the score of a row by a forest: its Shapley value, where columns are the
 * players, so that the parts of a date are known or unknown together. The values of a row add up to its score less the
 * expected one. Rows have the same values, to the last bit, whichever rows they come with.
 */
export class ForestExplainer {
  readonly #tabled: readonly LeafCluster[];
  /** The clusters that have no place in tables. */
  readonly #untabled: readonly LeafCluster[];
  readonly #memory: KernelMemory | undefined;
  readonly #players: number;
  #tables: ValueTables | undefined;

  /**
   * Lays out a forest in steps.
   *
   * @param playerOf the index of the column of each feature.
   * @param memory where tables are laid out; undefined, where the kernel cannot be had.
   * @param maxBytes of the tables.
   * @throws {RangeError} in a step, if the trees have no covers; see `hasCovers`.
   */
  static *create(
    trees: Iterable<Tree>,
    playerOf: readonly number[],
    memory: KernelMemory | undefined,
    maxBytes = MAX_TABLE_BYTES,
  ): Steps<ForestExplainer> {
    const games: TreeGame[] = [];
    for (const tree of trees) {
      games.push(playTree(tree, playerOf));
      yield;
    }
    let clusters: LeafCluster[] = [];
    for (const most of MAX_STATES) {
      clusters = [];
      let bytes = 0;
      for (const game of games) {
        for (const cluster of clusterLeaves(game, most)) {
          clusters.push(cluster);
          bytes += tableBytes(cluster);
        }
        yield;
      }
      if (bytes <= maxBytes) break;
    }
    return new ForestExplainer(clusters, playerOf, memory, maxBytes);
  }

  private constructor(
    clusters: readonly LeafCluster[],
    playerOf: readonly number[],
    memory: KernelMemory | undefined,
    maxBytes: number,
  ) {
    let bytes = 0;
    const hasPlace = (cluster: LeafCluster) => {
      const needed = tableBytes(cluster);
      if (cluster.states > MAX_LEAF_STATES || bytes + needed > maxBytes) return false;
      bytes += needed;
      return true;
    };
    this.#tabled = clusters.filter(hasPlace);
    const tabled = new Set(this.#tabled);
    this.#untabled = clusters.filter((cluster) => !tabled.has(cluster));
    this.#memory = memory;
    this.#players = playerOf.reduce((most, player) => Math.max(most, player), 0) + 1;
  }

  /**
   * Adds the contributions of some rows.
   *
   * @param values row by row, `players` each.
   * @param bins feature by feature, `stride` bins each.
   */
  addTo(values: Float64Array, players: number, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    const tables = rows.length < MIN_TABLE_ROWS ? this.#tables : this.#layOut();
    if (tables) tables.addTo(values, players, rows, bins, stride);
    else addValues(this.#tabled, values, players, rows, bins, stride);
    addValues(this.#untabled, values, players, rows, bins, stride);
  }

  #layOut(): ValueTables | undefined {
    if (!this.#memory) return undefined;
    this.#tables ??= new ValueTables(this.#memory, this.#tabled, this.#players);
    return this.#tables;
  }
}

/** Adds the values of clusters to those of rows: first their sum, then that to what is there, as tables do. */
function addValues(
  clusters: readonly LeafCluster[],
  values: Float64Array,
  players: number,
  rows: Uint32Array,
  bins: Uint8Array,
  stride: number,
): void {
  if (clusters.length === 0) return;
  const sums = new Float64Array(players + 1);
  const ofCluster = new Float64Array(players + 1);
  for (const row of rows) {
    sums.fill(0);
    for (const cluster of clusters) {
      const { pairs } = cluster;
      ofCluster.fill(0, 0, 2 * pairs.length);
      addClusterValues(cluster, bins, stride, row, ofCluster);
      for (let index = 0; index < pairs.length; index++) {
        const player = 2 * (pairs[index] ?? 0);
        sums[player] = (sums[player] ?? 0) + (ofCluster[2 * index] ?? 0);
        sums[player + 1] = (sums[player + 1] ?? 0) + (ofCluster[2 * index + 1] ?? 0);
      }
    }
    for (let player = 0; player < players; player++) {
      const at = row * players + player;
      values[at] = (values[at] ?? 0) + (sums[player] ?? 0);
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
