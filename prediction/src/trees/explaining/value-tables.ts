import type { KernelMemory } from '../../kernel/kernel-memory.js';
import { MAX_BINS } from '../forest/tree.js';
import { addClusterValues, type LeafCluster } from './leaf-clusters.js';

/** The number of clusters whose states the kernel finds at a time: the lanes of a vector of u16. */
const GROUP = 8;

/** The number of rows that are explained together. The more, the more of them share what is loaded of the tables. */
const BLOCK = 1024;

/** The bytes of the values of a pair of columns. */
const PAIR = 16;

interface Group {
  readonly address: number;
  readonly clusters: readonly LeafCluster[];
  /** For each cluster the address of its values, by state. */
  readonly values: readonly number[];
}

/** Returns the bytes of the values of a cluster, and of their marks. */
export function tableBytes({ states, pairs }: LeafCluster): number {
  return states * (PAIR * pairs.length + 1);
}

/**
 * Explains rows by tables of the values of each state of each cluster. A state's values are computed when a row first
 * meets it. *Fast TreeSHAP* (Yang 2021) has such tables by leaf and subset of its features; clusters need fewer look-ups
 * a row, and less memory.
 */
export class ValueTables {
  readonly #memory: KernelMemory;
  readonly #groups: readonly Group[];
  /** The features in the order of their slots. */
  readonly #features: readonly number[];
  readonly #pairs: number;
  /** Addresses of the bins of a block of rows, of their sums, of their states in a group, and of unknown values. */
  readonly #bins: number;
  readonly #sums: number;
  readonly #states: number;
  readonly #unknown: number;

  /** @throws {RangeError} as `KernelMemory.allocate`. */
  constructor(memory: KernelMemory, clusters: readonly LeafCluster[], players: number) {
    const slots = new Map<number, number>();
    const groups: Group[] = [];
    for (let start = 0; start < clusters.length; start += GROUP) {
      groups.push(layOutGroup(memory, clusters.slice(start, start + GROUP), slots));
    }
    this.#memory = memory;
    this.#groups = groups;
    this.#features = [...slots.keys()];
    this.#pairs = (players + 1) >> 1;
    this.#bins = memory.allocate(BLOCK * this.#features.length);
    this.#sums = memory.allocate(PAIR * BLOCK * (this.#pairs + 1));
    this.#states = memory.allocate(2 * GROUP * (BLOCK + 3));
    this.#unknown = memory.allocate(4 * GROUP * BLOCK);
  }

  /** See `ForestExplainer.addTo`. */
  addTo(values: Float64Array, players: number, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    for (let start = 0; start < rows.length; start += BLOCK) {
      this.#addBlock(values, players, rows.subarray(start, start + BLOCK), bins, stride);
    }
  }

  #addBlock(values: Float64Array, players: number, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    const { kernel, bytes, words, doubles } = this.#memory;
    const count = rows.length;
    for (const [slot, feature] of this.#features.entries()) {
      const from = feature * stride;
      const to = this.#bins + slot * count;
      for (let index = 0; index < count; index++) bytes[to + index] = bins[from + (rows[index] ?? 0)] ?? 0;
    }
    doubles.fill(0, this.#sums / 8, this.#sums / 8 + 2 * BLOCK * this.#pairs);
    for (const group of this.#groups) {
      const unknown = kernel.findStates(group.address, this.#bins, this.#states, count, this.#unknown);
      for (let at = this.#unknown / 4; at < this.#unknown / 4 + unknown; at++) {
        const place = words[at] ?? 0;
        this.#findValues(group, place >>> 16, place & 0xffff, rows, bins, stride);
      }
      kernel.addStates(group.address, this.#states, count, this.#sums, PAIR * BLOCK);
    }
    const sums = this.#sums / 8;
    for (let index = 0; index < count; index++) {
      const to = (rows[index] ?? 0) * players;
      for (let player = 0; player < players; player++) {
        const from = sums + 2 * BLOCK * (player >> 1) + 2 * index + (player & 1);
        values[to + player] = (values[to + player] ?? 0) + (doubles[from] ?? 0);
      }
    }
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

/** @param slots the slot of each feature; new features get the next ones. */
function layOutGroup(memory: KernelMemory, clusters: readonly LeafCluster[], slots: Map<number, number>): Group {
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
  const ownSlots = Uint32Array.from(vectorsOf.keys(), (feature) => {
    const slot = slots.get(feature) ?? slots.size;
    slots.set(feature, slot);
    return slot;
  });
  const tables = clusters.map(({ states, pairs }) => memory.allocate(states * PAIR * pairs.length));
  // A missing cluster has one state, which is known.
  const none = copy(memory, Uint8Array.of(1));
  const known = new Uint32Array(GROUP).fill(none);
  for (const [lane, { states }] of clusters.entries()) known[lane] = memory.allocate(states);
  const terms = Uint32Array.from(listTerms(clusters, tables));
  const features = [vectorsOf.size, copy(memory, ownSlots), copy(memory, places)];
  const start = copy(memory, terms);
  const group = [copy(memory, Uint16Array.from(distinct)), copy(memory, known), start, start + terms.byteLength];
  return { address: copy(memory, Uint32Array.from([...features, ...group])), clusters, values: tables };
}

/** Lists what is added to each pair of columns. @param tables the address of the values of each cluster. */
function listTerms(clusters: readonly LeafCluster[], tables: readonly number[]): number[] {
  return clusters.flatMap(({ pairs }, lane) =>
    pairs.flatMap((pair, place) => [pair, 2 * lane, (tables[lane] ?? 0) + PAIR * place, PAIR * pairs.length]),
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

function copy(memory: KernelMemory, array: ArrayBufferView): number {
  const { buffer, byteOffset, byteLength } = array;
  const address = memory.allocate(byteLength);
  memory.bytes.set(new Uint8Array(buffer, byteOffset, byteLength), address);
  return address;
}
