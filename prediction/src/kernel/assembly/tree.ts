/**
 * Adds one tree's values, times a factor, to the sums of rows. As with a forest, the bin of each
 * feature rules out leaves, and the leftmost possible leaf is the row's.
 *
 * @param features two words per feature that the tree splits on: the address of its bins (u8 by row
 *   of the table), and of the leaves that each bin leaves possible (u32, 256 of them).
 * @param leaves f64.
 * @param rows u32, `count` of them.
 * @param sums f64 by row of the table.
 */
export function addTree(
  features: usize,
  featureCount: u32,
  leaves: usize,
  factor: f64,
  rows: usize,
  count: u32,
  sums: usize,
): void {
  const featuresEnd = features + 8 * featureCount;
  for (const end = rows + 4 * count; rows < end; rows += 4) {
    const row = <usize>load<u32>(rows);
    const at = sums + 8 * row;
    store<f64>(at, load<f64>(at) + factor * leafValue(features, featuresEnd, leaves, row));
  }
}

/** Multiplies the numbers of rows by the values of one tree: see `addTree`. */
export function multiplyByTree(
  features: usize,
  featureCount: u32,
  leaves: usize,
  rows: usize,
  count: u32,
  products: usize,
): void {
  const featuresEnd = features + 8 * featureCount;
  for (const end = rows + 4 * count; rows < end; rows += 4) {
    const row = <usize>load<u32>(rows);
    const at = products + 8 * row;
    store<f64>(at, load<f64>(at) * leafValue(features, featuresEnd, leaves, row));
  }
}

function leafValue(features: usize, featuresEnd: usize, leaves: usize, row: usize): f64 {
  let possible: u32 = -1;
  for (let feature = features; feature < featuresEnd; feature += 8) {
    const bin = <usize>load<u8>(<usize>load<u32>(feature) + row);
    possible &= load<u32>(<usize>load<u32>(feature, 4) + 4 * bin);
  }
  return load<f64>(leaves + 8 * <usize>ctz(possible));
}
