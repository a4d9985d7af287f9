import type { KernelMemory } from '../../kernel/kernel-memory.js';
import { MAX_BINS } from '../forest/tree.js';
import { addClusterValues, type LeafCluster } from './leaf-clusters.js';
import { BLOCK_ROWS, copyToMemory, PAIR_BYTES, RowBlocks, Slots, SUM_BYTES } from './row-blocks.js';

/** The number of clusters whose states the kernel finds at a time: the lanes of a vector of u16. */
const GROUP = 8;

interface Group {
  readonly address: number;
  readonly clusters: readonly LeafCluster[];
  /** For each cluster the address of its values, by state. */
  readonly values: readonly number[];
}

/** Returns the bytes of the values of a cluster, and of their marks. */
export function tableBytes({ states, pairs }: LeafCluster): number {
  return states * (PAIR_BYTES * pairs.length + 1);
}

/**
 * Explains rows by tables of the values of each state of each cluster. A state's values are computed when a row first
 * meets it. *Fast TreeSHAP* (Yang 2021) has such tables by leaf and subset of its features; clusters need fewer look-ups
 * a row, and less memory.
 */
export class ValueTables {
  readonly #memory: KernelMemory;
  readonly #groups: readonly Group[];
  readonly #blocks: RowBlocks;
  /** Addresses of the states of a block of rows in a group, and of unknown values. */
  readonly #states: number;
  readonly #unknown: number;

  /** @throws {RangeError} as `KernelMemory.allocate`. */
  constructor(memory: KernelMemory, clusters: readonly LeafCluster[], players: number) {
    const slots = new Slots();
    const groups: Group[] = [];
    for (let start = 0; start < clusters.length; start += GROUP) {
      groups.push(layOutGroup(memory, clusters.slice(start, start + GROUP), slots));
    }
    this.#memory = memory;
    this.#groups = groups;
    this.#blocks = new RowBlocks(memory, slots.features, players);
    this.#states = memory.allocate(2 * GROUP * (BLOCK_ROWS + 3));
    this.#unknown = memory.allocate(4 * GROUP * BLOCK_ROWS);
  }

  /** See `ForestExplainer.addTo`. */
  addTo(values: Float64Array, players: number, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    const { kernel, words } = this.#memory;
    this.#blocks.addTo(values, players, rows, bins, stride, (block) => {
      const count = block.length;
      for (const group of this.#groups) {
        const unknown = kernel.findStates(group.address, this.#blocks.bins, this.#states, count, this.#unknown);
        for (let at = this.#unknown / 4; at < this.#unknown / 4 + unknown; at++) {
          const place = words[at] ?? 0;
          this.#findValues(group, place >>> 16, place & 0xffff, block, bins, stride);
        }
        kernel.addStates(group.address, this.#states, count, this.#blocks.sums, SUM_BYTES);
      }
    });
  }

  /** Computes the values of the state in which a row of the block meets a cluster. */
  #findValues(
    { clusters, values }: Group,
    lane: number,
    index: number,
    rows: Uint32Array,
    bins: Uint8Array,
    stride: number,
  ): void {
    const cluster = clusters[lane];
    if (!cluster) return;
    const { bytes, doubles } = this.#memory;
    const place = this.#states + 2 * (GROUP * index + lane);
    const state = (bytes[place] ?? 0) + 256 * (bytes[place + 1] ?? 0);
    const numbers = 2 * cluster.pairs.length;
    const at = (values[lane] ?? 0) / 8 + numbers * state;
    addClusterValues(cluster, bins, stride, rows[index] ?? 0, doubles.subarray(at, at + numbers));
  }
}

/** Lays out a group; its features get slots. */
function layOutGroup(memory: KernelMemory, clusters: readonly LeafCluster[], slots: Slots): Group {
  const vectorsOf = new Map<number, Uint16Array>();
  for (const [lane, { features }] of clusters.entries()) {
    let step = 1;
    for (const { feature, stateOf, states } of features) {
      const vectors = vectorsOf.get(feature) ?? new Uint16Array(GROUP * MAX_BINS);
      for (let bin = 0; bin < MAX_BINS; bin++) vectors[GROUP * bin + lane] = step * (stateOf[bin] ?? 0);
      vectorsOf.set(feature, vectors);
      step *= states;
    }
  }
  const places = new Uint16Array(MAX_BINS * vectorsOf.size);
  const distinct: number[] = [];
  for (const [index, vectors] of [...vectorsOf.values()].entries()) {
    findPlaces(places.subarray(MAX_BINS * index, MAX_BINS * (index + 1)), distinct, vectors);
  }
  const ownSlots = Uint32Array.from(vectorsOf.keys(), (feature) => slots.of(feature));
  const tables = clusters.map(({ states, pairs }) => memory.allocate(states * PAIR_BYTES * pairs.length));
  // A missing cluster has one state, which is known.
  const none = copyToMemory(memory, Uint8Array.of(1));
  const known = new Uint32Array(GROUP).fill(none);
  for (const [lane, { states }] of clusters.entries()) known[lane] = memory.allocate(states);
  const terms = Uint32Array.from(listTerms(clusters, tables));
  const features = [vectorsOf.size, copyToMemory(memory, ownSlots), copyToMemory(memory, places)];
  const start = copyToMemory(memory, terms);
  const group = [
    copyToMemory(memory, Uint16Array.from(distinct)),
    copyToMemory(memory, known),
    start,
    start + terms.byteLength,
  ];
  return { address: copyToMemory(memory, Uint32Array.from([...features, ...group])), clusters, values: tables };
}

/** Lists what is added to each pair of columns. @param tables the address of the values of each cluster. */
function listTerms(clusters: readonly LeafCluster[], tables: readonly number[]): number[] {
  return clusters.flatMap(({ pairs }, lane) =>
    pairs.flatMap((pair, place) => [
      pair,
      2 * lane,
      (tables[lane] ?? 0) + PAIR_BYTES * place,
      PAIR_BYTES * pairs.length,
    ]),
  );
}

/** Sets the place of each bin of a feature among the distinct vectors, and adds the feature's own to those. */
function findPlaces(places: Uint16Array, distinct: number[], vectors: Uint16Array): void {
  const known = new Map<string, number>();
  for (let bin = 0; bin < MAX_BINS; bin++) {
    const vector = vectors.subarray(GROUP * bin, GROUP * (bin + 1));
    if (bin > 0 && isRepeated(vectors, bin)) {
      places[bin] = places[bin - 1] ?? 0;
      continue;
    }
    const key = vector.join();
    const place = known.get(key) ?? distinct.length / GROUP;
    if (!known.has(key)) distinct.push(...vector);
    known.set(key, place);
    places[bin] = place;
  }
}

/** Returns whether a bin has the vector of the bin before it, as most have. */
function isRepeated(vectors: Uint16Array, bin: number): boolean {
  for (let at = GROUP * bin; at < GROUP * (bin + 1); at++) if (vectors[at] !== vectors[at - GROUP]) return false;
  return true;
}
