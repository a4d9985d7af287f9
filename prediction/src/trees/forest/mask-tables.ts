import type { KernelMemory } from '../../kernel/kernel-memory.js';
import type { Steps } from '../steps.js';
import { type LeafMasks, leafMasks, type SplitMask } from './leaf-masks.js';
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
function writeGroup(memory: KernelMemory, trees: readonly LeafMasks[], slots: Map<number, number>): number[] {
  const splitsOf = splitsByFeature(trees);
  const ownSlots = [...splitsOf.keys()].map((feature) => {
    const slot = slots.get(feature) ?? slots.size;
    slots.set(feature, slot);
    return slot;
  });
  const places = new Uint16Array(MAX_BINS * splitsOf.size);
  const masks: number[] = [];
  for (const [index, ofFeature] of [...splitsOf.values()].entries()) {
    findPlaces(places.subarray(MAX_BINS * index, MAX_BINS * (index + 1)), masks, ofFeature);
  }
  return [
    splitsOf.size,
    copy(memory, Uint32Array.from(ownSlots)),
    copy(memory, places),
    copy(memory, Int32Array.from(masks)),
    copy(memory, leafValues(trees)),
  ];
}

interface GroupSplit extends SplitMask {
  tree: number;
}

function splitsByFeature(trees: readonly LeafMasks[]): Map<number, GroupSplit[]> {
  const byFeature = new Map<number, GroupSplit[]>();
  for (const [tree, { splits }] of trees.entries()) {
    for (const { feature, left_bins, possible } of splits) {
      const split = { feature, left_bins, possible, tree };
      const known = byFeature.get(feature);
      if (known) known.push(split);
      else byFeature.set(feature, [split]);
    }
  }
  return byFeature;
}

/** Sets the place of each bin of a feature, and adds the masks of new places. */
function findPlaces(places: Uint16Array, masks: number[], splits: readonly GroupSplit[]): void {
  const firstPlace = masks.length / GROUP;
  const runs = findRuns(splits);
  const ofRuns = findMasks(runs, splits);
  for (const [index, first] of runs.entries()) {
    const place = placeMasks(ofRuns.subarray(GROUP * index, GROUP * (index + 1)), masks, firstPlace);
    places.fill(place, first, runs[index + 1]);
  }
}

/** Returns the first bins of the runs of bins that all splits send the same way. */
function findRuns(splits: readonly GroupSplit[]): number[] {
  const isFirst = new Uint8Array(MAX_BINS + 1);
  isFirst[0] = 1;
  for (const { left_bins } of splits) {
    for (let range = 0; range < left_bins.length; range += 2) {
      isFirst[left_bins[range] ?? 0] = 1;
      isFirst[(left_bins[range + 1] ?? 0) + 1] = 1;
    }
  }
  const runs: number[] = [];
  for (let bin = 0; bin < MAX_BINS; bin++) if (isFirst[bin] === 1) runs.push(bin);
  return runs;
}

/** Returns the leaves that remain possible in each run of bins, for each tree of the group. */
function findMasks(runs: readonly number[], splits: readonly GroupSplit[]): Int32Array {
  const masks = new Int32Array(GROUP * runs.length).fill(-1);
  for (const { left_bins, possible, tree } of splits) {
    let range = 0;
    for (let run = 0; run < runs.length; run++) {
      const bin = runs[run] ?? 0;
      while (bin > (left_bins[range + 1] ?? MAX_BINS)) range += 2;
      const isLeft = bin >= (left_bins[range] ?? MAX_BINS);
      if (!isLeft) masks[GROUP * run + tree] = (masks[GROUP * run + tree] ?? 0) & possible;
    }
  }
  return masks;
}

/**
 * Returns the place for bins with these masks: one of the feature's latest places, or a new one.
 * The bins of a category that few splits use alternate between few places.
 */
function placeMasks(ofRun: Int32Array, masks: number[], firstPlace: number): number {
  const next = masks.length / GROUP;
  for (let place = next - 1; place >= Math.max(firstPlace, next - LATEST); place--) {
    if (ofRun.every((mask, tree) => mask === masks[GROUP * place + tree])) return place;
  }
  masks.push(...ofRun);
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
