import type { KernelMemory } from '../kernel/kernel-memory.js';
import type { Steps } from '../steps.js';
import { type LeafMasks, leafMasks } from './leaf-masks.js';
import { MAX_BINS, MAX_LEAVES, type Tree } from './tree.js';

/** The number of trees that the kernel applies at a time. */
const GROUP = 8;

/** The number of recent places that are compared before a bin gets a new one. */
const LATEST = 4;

/** The words that describe a group to the kernel; see `addForest`. */
const GROUP_WORDS = 5;

export interface MaskTables {
  /** The address of the groups' descriptions. */
  groups: number;
  groupCount: number;
  /** The features that the forest splits on, in the order of their slots. */
  features: readonly number[];
}

/**
 * Lays out a forest for the kernel. A group is eight successive trees. Every feature that one of
 * them splits on has 256 places, by bin, and each place has eight masks. Bins that leave the same
 * leaves possible share a place, so a group takes about ten kilobytes, and little more than half a
 * kilobyte per split of its trees, for any number of columns. Each group is a step.
 */
export function* writeMaskTables(memory: KernelMemory, trees: readonly Tree[]): Steps<MaskTables> {
  const groupCount = Math.ceil(trees.length / GROUP);
  const groups = memory.allocate(4 * GROUP_WORDS * groupCount);
  const slots = new Map<number, number>();
  for (let index = 0; index < groupCount; index++) {
    const ofGroup = trees.slice(GROUP * index, GROUP * (index + 1)).map(leafMasks);
    const group = writeGroup(memory, ofGroup, slots);
    memory.words.set(group, groups / 4 + GROUP_WORDS * index);
    yield;
  }
  return { groups, groupCount, features: [...slots.keys()] };
}

/** @param slots the slot of each feature; new features get the next ones. */
function writeGroup(
  memory: KernelMemory,
  trees: readonly LeafMasks[],
  slots: Map<number, number>,
): number[] {
  const features = [...new Set(trees.flatMap((tree) => tree.features))];
  const ownSlots = features.map((feature) => {
    const slot = slots.get(feature) ?? slots.size;
    slots.set(feature, slot);
    return slot;
  });
  const places = new Uint16Array(MAX_BINS * features.length);
  const masks: number[] = [];
  for (const [index, feature] of features.entries()) {
    const ofFeature = Array.from({ length: GROUP }, (_, tree) => masksOf(trees[tree], feature));
    findPlaces(places.subarray(MAX_BINS * index, MAX_BINS * (index + 1)), masks, ofFeature);
  }
  return [
    features.length,
    copy(memory, Uint32Array.from(ownSlots)),
    copy(memory, places),
    copy(memory, Int32Array.from(masks)),
    copy(memory, leafValues(trees)),
  ];
}

/**
 * Returns the leaves that a feature leaves possible, by bin; undefined if there is no tree, or it
 * does not split on the feature.
 */
function masksOf(tree: LeafMasks | undefined, feature: number): Int32Array | undefined {
  const index = tree?.features.indexOf(feature) ?? -1;
  return index < 0 ? undefined : tree?.masks.subarray(MAX_BINS * index, MAX_BINS * (index + 1));
}

/** Sets the place of each bin of a feature, and adds the masks of new places. */
function findPlaces(
  places: Uint16Array,
  masks: number[],
  ofTrees: readonly (Int32Array | undefined)[],
): void {
  const firstPlace = masks.length / GROUP;
  const differs = differencesOf(ofTrees);
  let place = firstPlace;
  for (let bin = 0; bin < MAX_BINS; bin++) {
    if (bin === 0 || differs[bin] === 1) {
      const ofBin = ofTrees.map((ofTree) => ofTree?.[bin] ?? -1);
      place = placeOf(ofBin, masks, firstPlace);
    }
    places[bin] = place;
  }
}

/** Marks the bins at which a mask of any tree of the group differs from that of the bin before. */
function differencesOf(ofTrees: readonly (Int32Array | undefined)[]): Uint8Array {
  const differs = new Uint8Array(MAX_BINS);
  for (const masks of ofTrees) {
    if (masks === undefined) continue;
    for (let bin = 1; bin < MAX_BINS; bin++) if (masks[bin] !== masks[bin - 1]) differs[bin] = 1;
  }
  return differs;
}

/**
 * Returns the place for bins with these masks: one of the feature's latest places, or a new one.
 * The bins of a category that few splits use alternate between few places.
 */
function placeOf(ofBin: readonly number[], masks: number[], firstPlace: number): number {
  const next = masks.length / GROUP;
  for (let place = next - 1; place >= Math.max(firstPlace, next - LATEST); place--) {
    if (ofBin.every((mask, tree) => mask === masks[GROUP * place + tree])) return place;
  }
  masks.push(...ofBin);
  return next;
}

/**
 * Returns the values of each tree's leaves from the left; missing trees get a value that adds
 * nothing.
 */
function leafValues(trees: readonly LeafMasks[]): Float64Array {
  // Not 0, which would turn a sum of −0 into 0.
  const values = new Float64Array(GROUP * MAX_LEAVES).fill(-0);
  for (const [index, tree] of trees.entries()) values.set(tree.values, MAX_LEAVES * index);
  return values;
}

function copy(memory: KernelMemory, array: ArrayBufferView): number {
  const { buffer, byteOffset, byteLength } = array;
  const address = memory.allocate(byteLength);
  memory.bytes.set(new Uint8Array(buffer, byteOffset, byteLength), address);
  return address;
}
