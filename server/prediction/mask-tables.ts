import type { KernelMemory } from './kernel/kernel-memory.js';
import { type LeafMasks, leafMasks } from './leaf-masks.js';
import { MOST_BINS, MOST_LEAVES, type Tree } from './tree.js';

/** The trees that the kernel applies at a time. */
const GROUP = 8;

/** What describes a group to the kernel: see `addForest`. */
const GROUP_WORDS = 5;

export interface MaskTables {
  /** Address of the groups' descriptions. */
  groups: number;
  groupCount: number;
  /** The features that the forest splits on, in the order of their slots. */
  features: readonly number[];
}

/**
 * Lays out a forest for the kernel. The trees of a group are eight in succession; for every feature
 * that one of them splits on there are 256 places, by bin, and at each place eight masks. Bins that
 * leave the same leaves possible share a place, so that a group takes some ten kilobytes, and no
 * more than half a kilobyte for each split of its trees however many columns there are.
 */
export function writeMaskTables(memory: KernelMemory, trees: readonly Tree[]): MaskTables {
  const groupCount = Math.ceil(trees.length / GROUP);
  const groups = memory.allocate(4 * GROUP_WORDS * groupCount);
  const slots = new Map<number, number>();
  for (let index = 0; index < groupCount; index++) {
    const ofGroup = trees.slice(GROUP * index, GROUP * (index + 1)).map(leafMasks);
    const group = writeGroup(memory, ofGroup, slots);
    memory.words(groups + 4 * GROUP_WORDS * index, GROUP_WORDS).set(group);
  }
  return { groups, groupCount, features: [...slots.keys()] };
}

/** @param slots by feature; new features get the next ones. */
function writeGroup(
  memory: KernelMemory,
  trees: readonly LeafMasks[],
  slots: Map<number, number>,
): number[] {
  const features = [...new Set(trees.flatMap(({ masks }) => [...masks.keys()]))];
  const ownSlots = features.map((feature) => {
    const slot = slots.get(feature) ?? slots.size;
    slots.set(feature, slot);
    return slot;
  });
  const places: number[] = [];
  const masks: number[] = [];
  for (const feature of features) {
    addPlaces(
      places,
      masks,
      trees.map((tree) => tree.masks.get(feature)),
    );
  }
  return [
    features.length,
    copy(memory, Uint32Array.from(ownSlots)),
    copy(memory, Uint16Array.from(places)),
    copy(memory, Int32Array.from(masks)),
    copy(memory, leafValues(trees)),
  ];
}

/**
 * Adds the place of each bin of a feature, and the masks at the places that are new.
 *
 * @param ofTrees by tree of the group: the masks that the bins have, if the tree splits on the feature.
 */
function addPlaces(
  places: number[],
  masks: number[],
  ofTrees: readonly (Int32Array | undefined)[],
): void {
  const placeOf = new Map<string, number>();
  for (let bin = 0; bin < MOST_BINS; bin++) {
    const place = places.at(-1);
    if (place !== undefined && bin > 0 && isLikeTheLast(ofTrees, bin)) {
      places.push(place);
      continue;
    }
    const ofBin = Array.from({ length: GROUP }, (_, tree) => ofTrees[tree]?.[bin] ?? -1);
    const key = ofBin.join();
    const known = placeOf.get(key);
    places.push(known ?? masks.length / GROUP);
    if (known !== undefined) continue;
    placeOf.set(key, masks.length / GROUP);
    masks.push(...ofBin);
  }
}

function isLikeTheLast(ofTrees: readonly (Int32Array | undefined)[], bin: number): boolean {
  for (const masks of ofTrees) {
    if (masks !== undefined && masks[bin] !== masks[bin - 1]) return false;
  }
  return true;
}

/** The values of each tree's leaves from the left; of trees that are not there what adds nothing. */
function leafValues(trees: readonly LeafMasks[]): Float64Array {
  // Not 0, which would turn a sum of −0 into 0.
  const values = new Float64Array(GROUP * MOST_LEAVES).fill(-0);
  for (const [index, tree] of trees.entries()) values.set(tree.values, MOST_LEAVES * index);
  return values;
}

function copy(memory: KernelMemory, array: ArrayBufferView): number {
  const { buffer, byteOffset, byteLength } = array;
  const address = memory.allocate(byteLength);
  memory.bytes(address, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
  return address;
}
