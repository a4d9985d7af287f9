/**
 * Writes the histograms of the features of one block: at every bin a 64-bit sum over the rows, with
 * their number in its low bits and the sum of their quantised residuals above them. Whole numbers
 * add up to the same in any order.
 *
 * @param histogram of the block's first feature.
 * @param stride bytes from the histogram of one feature to that of the next.
 * @param bins u8 by row of the table, `width` bins each, one of every feature.
 * @param rows u32, `count` of them.
 * @param residuals i64 by row of the table, as `quantise` gives them.
 */
export function sumRows(
  histogram: usize,
  stride: usize,
  bins: usize,
  width: usize,
  rows: usize,
  count: u32,
  residuals: usize,
): void {
  memory.fill(histogram, 0, width * stride);
  for (const end = rows + 4 * count; rows < end; rows += 4) {
    const row = <usize>load<u32>(rows);
    const residual = load<i64>(residuals + 8 * row);
    let bin = bins + row * width;
    let ofFeature = histogram;
    for (const last = bin + width; bin < last; bin++) {
      const at = ofFeature + 8 * <usize>load<u8>(bin);
      store<i64>(at, load<i64>(at) + residual);
      ofFeature += stride;
    }
  }
}

/**
 * Turns the histogram of a node into that of one child, given the other child's: the smaller child
 * alone is summed over its rows (Ke et al. 2017, LightGBM).
 *
 * @param bytes a multiple of 16.
 */
export function subtract(parent: usize, child: usize, bytes: usize): void {
  for (const end = parent + bytes; parent < end; parent += 16, child += 16) {
    v128.store(parent, i64x2.sub(v128.load(parent), v128.load(child)));
  }
}
