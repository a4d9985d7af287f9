import type { KernelMemory } from '../../kernel/kernel-memory.js';
import type { Tree } from '../forest/tree.js';
import { coverNodes } from './leaf-games.js';
import { copyToMemory, RowBlocks, type Slots, SUM_BYTES } from './row-blocks.js';
import { quadratureOf } from './shapley.js';

/** Words of the description of a tree, of a split and of an edge, and where an edge has the value of its leaf. */
const [TREE_WORDS, SPLIT_WORDS, EDGE_WORDS] = [8, 12, 8];
const [LEAF_VALUE, IS_LEAF] = [2, 6];

/** The ways in which a row meets the column of an edge: see the kernel. */
const WAYS = 3;

/** The bytes in which the kernel follows a row through a tree of 62 edges, at up to 16 points. */
const WORK_BYTES = 64 + 63 * 2 * 16 * 8;

/**
 * Explains rows by trees as they are: for each row the kernel visits all nodes of a tree. It takes longer than tables that
 * are filled and fit into the processor's caches, and less memory and time than others.
 */
export class TreePrograms {
  readonly #memory: KernelMemory;
  readonly #programs: readonly number[];
  readonly #blocks: RowBlocks;
  readonly #work: number;

  /** @param programs addresses from `layOutTree`. @throws {RangeError} as `KernelMemory.allocate`. */
  constructor(memory: KernelMemory, programs: readonly number[], slots: Slots, players: number) {
    this.#memory = memory;
    this.#programs = programs;
    this.#blocks = new RowBlocks(memory, slots.features, players);
    this.#work = memory.allocate(WORK_BYTES);
  }

  /** See `ForestExplainer.addTo`. */
  addTo(values: Float64Array, players: number, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    const { kernel } = this.#memory;
    this.#blocks.addTo(values, players, rows, bins, stride, ({ length }) => {
      for (const program of this.#programs) {
        kernel.addTreeContributions(program, this.#blocks.bins, length, this.#work, this.#blocks.sums);
      }
    });
  }
}

/** An edge of a tree, from a split to what is below it. */
interface Edge {
  /** The edge above it, and the one above that the same column decides; edges count from 1, and 0 is the root. */
  readonly parent: number;
  readonly above: number;
  readonly split: number;
  readonly isRight: boolean;
  readonly player: number;
  /** The value of the leaf that it leads to. */
  readonly leaf: number | undefined;
  /** The share of the training rows that meet the column on this path, and as far as the edge above. */
  readonly share: number;
  readonly shareAbove: number;
}

/**
 * Lays out a tree for the kernel, and returns its address.
 *
 * @param playerOf the index of the column of each feature.
 * @throws {RangeError} as `KernelMemory.allocate`.
 */
export function layOutTree(memory: KernelMemory, tree: Tree, playerOf: readonly number[], slots: Slots): number {
  const { splits } = tree;
  const { edges, players } = listEdges(tree, playerOf);
  const { points, weights } = quadratureOf(players);
  const length = points.length + (points.length % 2);
  const numbers = 2 * WAYS * length;
  const splitsAt = TREE_WORDS + 2 * length;
  const edgesAt = splitsAt + SPLIT_WORDS * splits.length;
  const edgeWords = EDGE_WORDS + 2 * numbers;
  const words = new Uint32Array(edgesAt + edgeWords * edges.length);
  const doubles = new Float64Array(words.buffer);
  const bits = new Uint8Array(words.buffer);
  doubles.set(weights, TREE_WORDS / 2);
  for (const [index, { feature, left_bins }] of splits.entries()) {
    const at = splitsAt + SPLIT_WORDS * index;
    words[at] = slots.of(feature);
    for (let range = 0; range < left_bins.length; range += 2) {
      for (let bin = left_bins[range] ?? 0; bin <= (left_bins[range + 1] ?? -1); bin++) {
        const byte = 4 * (at + 4) + (bin >> 3);
        bits[byte] = (bits[byte] ?? 0) | (1 << (bin & 7));
      }
    }
  }
  for (const [index, { parent, above, split, isRight, player, leaf, ...shares }] of edges.entries()) {
    const at = edgesAt + edgeWords * index;
    words.set([parent, above, 2 * split + Number(isRight), SUM_BYTES * (player >> 1) + 8 * (player & 1)], at);
    doubles[at / 2 + LEAF_VALUE] = leaf ?? 0;
    words[at + IS_LEAF] = Number(leaf !== undefined);
    writeFactors(doubles.subarray((at + EDGE_WORDS) / 2, (at + edgeWords) / 2), points, length, shares);
  }
  const address = copyToMemory(memory, words);
  const end = address + words.byteLength;
  memory.words.set([splits.length, address + 4 * splitsAt, address + 4 * edgesAt, end, length / 2], address / 4);
  return address;
}

/** Writes the factors of an edge, where points that are not there change nothing. */
function writeFactors(
  factors: Float64Array,
  points: Float64Array,
  length: number,
  { share, shareAbove }: Pick<Edge, 'share' | 'shareAbove'>,
): void {
  factors.fill(0);
  for (const [point, known] of points.entries()) {
    const unknown = 1 - known;
    const [met, metAbove] = [known + unknown * share, known + unknown * shareAbove];
    const change = shareAbove === 1 ? 0 : (1 - shareAbove) / metAbove;
    const ways = [
      [share / shareAbove, 0],
      [(unknown * share) / metAbove, -1 / unknown - change],
      [met / metAbove, (1 - share) / met - change],
    ];
    for (const [index, factor] of ways.flat().entries()) factors[index * length + point] = factor;
  }
}

/** Lists the edges of a tree, each before those below it, and the most columns that decide on a path. */
function listEdges({ splits, leaves, covers = [] }: Tree, playerOf: readonly number[]) {
  const edges: Edge[] = [];
  let players = 0;
  const rows = coverNodes(splits, covers);
  const rowsOf = (child: number) => (child < 0 ? covers[~child] : rows[child]) ?? 1;
  const visit = (node: number, parent: number, path: ReadonlyMap<number, { edge: number; share: number }>): void => {
    const split = splits[node];
    if (split === undefined) {
      players = Math.max(players, path.size);
      return;
    }
    const player = playerOf[split.feature] ?? 0;
    const known = path.get(player) ?? { edge: 0, share: 1 };
    for (const child of [split.left, split.right]) {
      const share = (known.share * rowsOf(child)) / rowsOf(node);
      const way = { split: node, isRight: child !== split.left, player, leaf: child < 0 ? leaves[~child] : undefined };
      const edge = edges.push({ parent, above: known.edge, ...way, share, shareAbove: known.share });
      visit(child, edge, new Map(path).set(player, { edge, share }));
    }
  };
  if (splits.length > 0) visit(0, 0, new Map());
  return { edges, players };
}
