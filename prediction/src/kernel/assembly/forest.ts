/** The trees of a group, whose masks lie next to each other: two vectors of four. */
const TREES: usize = 8;

/** The bytes of the masks that one bin of one feature has for the trees of a group. */
const MASKS: usize = 4 * TREES;

const MAX_BINS: usize = 256;
const MAX_LEAVES: usize = 32;

/** The bytes from the values of one tree's leaves to those of the next. */
const LEAVES: usize = 8 * MAX_LEAVES;

/**
 * Adds a forest's trees to the sums of rows, tree after tree (QuickScorer, Lucchese et al. 2015;
 * eight trees at a time, as in its vectorised form, Lucchese et al. 2016). The trees of a group are
 * applied to all rows before the next group is: what a group needs stays in the first cache.
 *
 * @param groups for each group four addresses as u32: of its features' slots (u32: which run of
 *   bins), of the places of their bins' masks (u16, 256 a feature), of the masks, and of the
 *   leaves' values (f64, 32 a tree); before them its number of features. Five words a group.
 * @param bins slot by slot, `rowCount` bins each.
 * @param sums f64 by row.
 */
export function addForest(
  groups: usize,
  groupCount: u32,
  bins: usize,
  sums: usize,
  rowCount: u32,
): void {
  for (const end = groups + 20 * groupCount; groups < end; groups += 20) {
    const features = load<u32>(groups);
    const slots = <usize>load<u32>(groups, 4);
    const places = <usize>load<u32>(groups, 8);
    const masks = <usize>load<u32>(groups, 12);
    const leaves = <usize>load<u32>(groups, 16);
    const slotsEnd = slots + 4 * features;
    for (let row: u32 = 0; row < rowCount; row++) {
      const rowBins = bins + row;
      let possible = i32x4.splat(-1);
      let possibleToo = i32x4.splat(-1);
      let place = places;
      for (let slot = slots; slot < slotsEnd; slot += 4) {
        const bin = <usize>load<u8>(rowBins + rowCount * load<u32>(slot));
        const mask = masks + MASKS * <usize>load<u16>(place + 2 * bin);
        possible = v128.and(possible, v128.load(mask));
        possibleToo = v128.and(possibleToo, v128.load(mask, 16));
        place += 2 * MAX_BINS;
      }
      const at = sums + 8 * row;
      let sum = load<f64>(at);
      sum += leaf(leaves, i32x4.extract_lane(possible, 0));
      sum += leaf(leaves + LEAVES, i32x4.extract_lane(possible, 1));
      sum += leaf(leaves + 2 * LEAVES, i32x4.extract_lane(possible, 2));
      sum += leaf(leaves + 3 * LEAVES, i32x4.extract_lane(possible, 3));
      sum += leaf(leaves + 4 * LEAVES, i32x4.extract_lane(possibleToo, 0));
      sum += leaf(leaves + 5 * LEAVES, i32x4.extract_lane(possibleToo, 1));
      sum += leaf(leaves + 6 * LEAVES, i32x4.extract_lane(possibleToo, 2));
      sum += leaf(leaves + 7 * LEAVES, i32x4.extract_lane(possibleToo, 3));
      store<f64>(at, sum);
    }
  }
}

/** The value of the leftmost leaf that is possible; one always is. */
function leaf(values: usize, possible: i32): f64 {
  return load<f64>(values + 8 * <usize>ctz(possible));
}
