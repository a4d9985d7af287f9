/** The trees of a group, whose masks are adjacent: two vectors of four. */
const TREES: usize = 8;

/** The size in bytes of the masks of one bin of one feature, for the trees of a group. */
const MASKS: usize = 4 * TREES;

const MAX_BINS: usize = 256;
const MAX_LEAVES: usize = 32;

/** The distance in bytes between the leaf values of one tree and those of the next. */
const LEAVES: usize = 8 * MAX_LEAVES;

/**
 * Adds a forest's trees to the sums of rows, tree by tree (QuickScorer, Lucchese et al. 2015; eight
 * trees at a time, as in its vectorised form, Lucchese et al. 2016). Each group of trees is applied
 * to all rows before the next, so that its tables stay in the L1 cache.
 *
 * @param groups five words per group: its number of features, then four addresses as u32: of its
 *   features' slots (u32, an index into `bins`), of the places of their bins' masks (u16, 256 per
 *   feature), of the masks, and of the leaf values (f64, 32 per tree).
 * @param bins by slot, `rowCount` bins each.
 * @param sums f64 by row.
 */
export function addForest(groups: usize, groupCount: u32, bins: usize, sums: usize, rowCount: u32): void {
  for (const end = groups + 20 * groupCount; groups < end; groups += 20) {
    const features = load<u32>(groups);
    const slots = <usize>load<u32>(groups, 4);
    const places = <usize>load<u32>(groups, 8);
    const masks = <usize>load<u32>(groups, 12);
    const leaves = <usize>load<u32>(groups, 16);
    const slotsEnd = slots + 4 * features;
    let row: u32 = 0;
    // Two rows at a time share the walk over the features.
    for (; row + 1 < rowCount; row += 2) {
      const rowBins = bins + row;
      let possible = i32x4.splat(-1);
      let possibleToo = possible;
      let nextPossible = possible;
      let nextPossibleToo = possible;
      let place = places;
      for (let slot = slots; slot < slotsEnd; slot += 4) {
        const pair = <usize>load<u16>(rowBins + rowCount * load<u32>(slot));
        const mask = masks + MASKS * <usize>load<u16>(place + 2 * (pair & 255));
        const nextMask = masks + MASKS * <usize>load<u16>(place + 2 * (pair >> 8));
        possible = v128.and(possible, v128.load(mask));
        possibleToo = v128.and(possibleToo, v128.load(mask, 16));
        nextPossible = v128.and(nextPossible, v128.load(nextMask));
        nextPossibleToo = v128.and(nextPossibleToo, v128.load(nextMask, 16));
        place += 2 * MAX_BINS;
      }
      const at = sums + 8 * row;
      store<f64>(at, addLeaves(load<f64>(at), leaves, possible, possibleToo));
      store<f64>(at, addLeaves(load<f64>(at, 8), leaves, nextPossible, nextPossibleToo), 8);
    }
    if (row === rowCount) continue;
    const rowBins = bins + row;
    let possible = i32x4.splat(-1);
    let possibleToo = possible;
    let place = places;
    for (let slot = slots; slot < slotsEnd; slot += 4) {
      const bin = <usize>load<u8>(rowBins + rowCount * load<u32>(slot));
      const mask = masks + MASKS * <usize>load<u16>(place + 2 * bin);
      possible = v128.and(possible, v128.load(mask));
      possibleToo = v128.and(possibleToo, v128.load(mask, 16));
      place += 2 * MAX_BINS;
    }
    const at = sums + 8 * row;
    store<f64>(at, addLeaves(load<f64>(at), leaves, possible, possibleToo));
  }
}

/** Adds the leaves of a group to a sum, tree by tree. */
function addLeaves(before: f64, leaves: usize, possible: v128, possibleToo: v128): f64 {
  let sum = before;
  sum += leaf(leaves, i32x4.extract_lane(possible, 0));
  sum += leaf(leaves + LEAVES, i32x4.extract_lane(possible, 1));
  sum += leaf(leaves + 2 * LEAVES, i32x4.extract_lane(possible, 2));
  sum += leaf(leaves + 3 * LEAVES, i32x4.extract_lane(possible, 3));
  sum += leaf(leaves + 4 * LEAVES, i32x4.extract_lane(possibleToo, 0));
  sum += leaf(leaves + 5 * LEAVES, i32x4.extract_lane(possibleToo, 1));
  sum += leaf(leaves + 6 * LEAVES, i32x4.extract_lane(possibleToo, 2));
  sum += leaf(leaves + 7 * LEAVES, i32x4.extract_lane(possibleToo, 3));
  return sum;
}

/** Returns the value of the leftmost possible leaf; there is always one. */
function leaf(values: usize, possible: i32): f64 {
  return load<f64>(values + 8 * <usize>ctz(possible));
}
