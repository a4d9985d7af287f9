import type { KernelMemory } from '../../kernel/kernel-memory.js';
import type { Forest, Tree } from '../forest/tree.js';
import type { Steps } from '../steps.js';
import { addClusterValues, clusterBytes, clusterLeaves, type LeafCluster } from './leaf-clusters.js';
import { playTree, type TreeGame } from './leaf-games.js';
import { Slots } from './row-blocks.js';
import { layOutTree, TreePrograms } from './tree-programs.js';
import { tableBytes, ValueTables } from './value-tables.js';

/** The states of a cluster of several leaves, tried from the most; more states mean fewer clusters, and more memory. */
const MAX_STATES = [1024, 256, 64];

/** The bytes of tables that a tree may have. Larger ones are slower to fill, and not faster to look up, than the tree is to visit. */
const MAX_TREE_BYTES = 256 * 1024;

/** Smaller clusters do not make tables so many times smaller. */
const HOPELESS = 4;

/** The first rows, up to so many, are explained without tables, which take longer to lay out. */
const MIN_TABLE_ROWS = 32;

/** The bytes of tables that a model may have. */
export const MAX_TABLE_BYTES = 48 * 1024 * 1024;

/**
 * Computes what each column contributes to the score of a row by a forest: its Shapley value, where columns are the
 * players, so that the parts of a date are known or unknown together. The values of a row add up to its score less the
 * expected one. Rows have the same values, to the last bit, whichever rows they come with.
 */
export class ForestExplainer {
  readonly #tabled: readonly LeafCluster[];
  /** Those of all trees, where the kernel cannot be had. */
  readonly #others: readonly LeafCluster[];
  readonly #memory: KernelMemory | undefined;
  readonly #players: number;
  readonly #programs: TreePrograms | undefined;
  /** About how many bytes it takes, apart from the memory of the kernel. */
  readonly bytes: number;
  #tables: ValueTables | undefined;
  /** The rows that were explained before there were tables. */
  #explained = 0;

  /**
   * Lays out a forest in steps.
   *
   * @param playerOf the index of the column of each feature.
   * @param memory where trees and tables are laid out; undefined, where the kernel cannot be had.
   * @param maxBytes of the tables.
   * @throws {RangeError} in a step, if the trees have no covers; see `hasCovers`.
   */
  static *create(
    trees: readonly Tree[],
    playerOf: readonly number[],
    memory: KernelMemory | undefined,
    maxBytes = MAX_TABLE_BYTES,
  ): Steps<ForestExplainer> {
    const players = playerOf.reduce((most, player) => Math.max(most, player), 0) + 1;
    const tabled: LeafCluster[] = [];
    const others: LeafCluster[] = [];
    const programs: number[] = [];
    const slots = new Slots();
    let left = maxBytes;
    for (const [index, tree] of trees.entries()) {
      const most = memory ? Math.min(MAX_TREE_BYTES, left / (trees.length - index)) : Number.POSITIVE_INFINITY;
      const clusters = most > 0 ? findClusters(playTree(tree, playerOf), most) : undefined;
      if (clusters === undefined) {
        if (memory) programs.push(layOutTree(memory, tree, playerOf, slots));
      } else if (memory) {
        tabled.push(...clusters);
        left -= sumTables(clusters);
      } else others.push(...clusters);
      yield;
    }
    const laidOut = memory && programs.length > 0 ? new TreePrograms(memory, programs, slots, players) : undefined;
    return new ForestExplainer(tabled, others, laidOut, memory, players);
  }

  private constructor(
    tabled: readonly LeafCluster[],
    others: readonly LeafCluster[],
    programs: TreePrograms | undefined,
    memory: KernelMemory | undefined,
    players: number,
  ) {
    this.#tabled = tabled;
    this.#others = others;
    this.#programs = programs;
    this.#memory = memory;
    this.#players = players;
    this.bytes = [...tabled, ...others].reduce((sum, cluster) => sum + clusterBytes(cluster), 0);
  }

  /**
   * Adds the contributions of some rows.
   *
   * @param values row by row, `players` each.
   * @param bins feature by feature, `stride` bins each.
   */
  addTo(values: Float64Array, players: number, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    // Tools explain one row at a time: many of them are worth the tables, too.
    this.#explained += this.#tables ? 0 : rows.length;
    const tables = this.#explained < MIN_TABLE_ROWS ? this.#tables : this.#layOut();
    if (tables) tables.addTo(values, players, rows, bins, stride);
    else addValues(this.#tabled, values, players, rows, bins, stride);
    this.#programs?.addTo(values, players, rows, bins, stride);
    addValues(this.#others, values, players, rows, bins, stride);
  }

  #layOut(): ValueTables | undefined {
    if (!this.#memory) return undefined;
    this.#tables ??= new ValueTables(this.#memory, this.#tabled, this.#players);
    return this.#tables;
  }
}

/** Cuts a tree into clusters, the larger the better, whose tables take at most so many bytes; undefined if none do. */
function findClusters(game: TreeGame, maxBytes: number): LeafCluster[] | undefined {
  for (const most of MAX_STATES) {
    const clusters = [...clusterLeaves(game, most)];
    const bytes = sumTables(clusters);
    if (bytes <= maxBytes) return clusters;
    if (bytes > HOPELESS * maxBytes) return undefined;
  }
  return undefined;
}

const sumTables = (clusters: readonly LeafCluster[]) => clusters.reduce((sum, cluster) => sum + tableBytes(cluster), 0);

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
