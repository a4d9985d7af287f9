import { MAX_BINS, MAX_LEAVES } from '../forest/tree.js';
import type { FeatureBits, TreeGame } from './leaf-games.js';
import { LeafValues } from './shapley.js';

/**
 * Leaves of a tree that stand side by side. Their contributions depend on few features, and on little of each: on
 * which of their leaves it meets. These possibilities, multiplied, are the states of the cluster.
 */
export interface LeafCluster {
  readonly leaves: readonly ClusterLeaf[];
  readonly features: readonly FeatureStates[];
  /** The number of states. */
  readonly states: number;
  /** Pairs of columns that may contribute, ascending: pair p has the columns 2p and 2p + 1. */
  readonly pairs: readonly number[];
}

interface ClusterLeaf {
  readonly values: LeafValues;
  /** The bit of the leaf in `FeatureStates.met`. */
  readonly bit: number;
}

/** A feature as the leaves of a cluster see it. */
export interface FeatureStates {
  readonly feature: number;
  /** The place of its column in the values of the cluster. */
  readonly place: number;
  /** By bin: the bits of the leaves that it meets. */
  readonly met: Int32Array;
  /** By bin: which of the feature's possibilities it is. */
  readonly stateOf: Uint16Array;
  readonly states: number;
}

/** Cuts a tree into clusters of at most so many states; leaves that have more by themselves are alone. */
export function* clusterLeaves(tree: TreeGame, maxStates: number): Generator<LeafCluster> {
  const distinct = tree.features.map(({ met }) => [...new Set(met)]);
  const count = tree.leaves.length;
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && countStates(distinct, bitsFrom(from, to + 1)) <= maxStates) to++;
    yield createCluster(tree, from, to);
    from = to;
  }
}

/** The bytes of the possibilities of a feature, by bin, and about those of an object. */
const [FEATURE_BYTES, OBJECT_BYTES] = [6 * MAX_BINS, 100];

/** Returns about how many bytes a cluster takes. */
export function clusterBytes({ leaves, features }: LeafCluster): number {
  const ofFeatures = features.length * (FEATURE_BYTES + OBJECT_BYTES);
  return leaves.reduce((sum, { values }) => sum + values.bytes + OBJECT_BYTES, ofFeatures);
}

function bitsFrom(from: number, to: number): number {
  return to - from === 32 ? -1 : ((1 << (to - from)) - 1) << from;
}

/** Returns in how many ways the features may meet some leaves. */
function countStates(distinct: readonly (readonly number[])[], bits: number): number {
  let states = 1;
  for (const ofFeature of distinct) {
    const seen: number[] = [];
    for (const met of ofFeature) if (!seen.includes(met & bits)) seen.push(met & bits);
    states *= seen.length;
  }
  return states;
}

function createCluster({ leaves, features }: TreeGame, from: number, to: number): LeafCluster {
  const bits = bitsFrom(from, to);
  const deciding = features.filter(({ met }) => met.some((one) => (one & bits) !== bits));
  const players = leaves.slice(from, to).flatMap((leaf) => leaf.players);
  const pairs = [...new Set(players.map((player) => player >> 1))].sort((a, b) => a - b);
  const placeOf = (player: number) => 2 * pairs.indexOf(player >> 1) + (player & 1);
  const ofFeatures = deciding.map((feature) => findStates(feature, placeOf(feature.player), bits));
  return {
    leaves: leaves.slice(from, to).map((game, index) => {
      return { values: new LeafValues(game, game.players.map(placeOf)), bit: from + index };
    }),
    features: ofFeatures,
    states: ofFeatures.reduce((product, { states }) => product * states, 1),
    pairs,
  };
}

function findStates({ feature, met }: FeatureBits, place: number, bits: number): FeatureStates {
  const states: number[] = [];
  const stateOf = new Uint16Array(MAX_BINS);
  for (let bin = 0; bin < MAX_BINS; bin++) {
    const ofBin = (met[bin] ?? 0) & bits;
    const known = states.indexOf(ofBin);
    stateOf[bin] = known < 0 ? states.push(ofBin) - 1 : known;
  }
  return { feature, place, met, stateOf, states: states.length };
}

/** By place, the bits of the leaves that a row meets. It holds those of one cluster at a time. */
const metAt = new Int32Array(2 * MAX_LEAVES);

/**
 * Adds what the leaves of a cluster contribute to the values of a row, two for each pair of columns.
 *
 * @param bins of the row, at feature × stride + row.
 */
export function addClusterValues(
  { leaves, features, pairs }: LeafCluster,
  bins: Uint8Array,
  stride: number,
  row: number,
  values: Float64Array,
): void {
  metAt.fill(-1, 0, 2 * pairs.length);
  for (let index = 0; index < features.length; index++) {
    const of = features[index];
    if (of) metAt[of.place] = (metAt[of.place] ?? 0) & (of.met[bins[of.feature * stride + row] ?? 0] ?? 0);
  }
  for (let index = 0; index < leaves.length; index++) {
    const leaf = leaves[index];
    if (leaf) leaf.values.addTo(values, metAt, leaf.bit);
  }
}
