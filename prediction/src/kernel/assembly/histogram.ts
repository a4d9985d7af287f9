/** The number of rows whose bins and residuals are fetched together. */
const CHUNK: u32 = 128;

/** The bytes copied of each row's bins, whatever their number. */
const MAX_WIDTH: usize = 16;

const BINS: usize = memory.data(2048, 16);
const ADDENDS: usize = memory.data(1024, 16);

/**
 * Writes the histograms of one block of features. Each bin has a 64-bit sum over the rows, with
 * their number in its low bits and the sum of their quantised residuals above. Integers add up to
 * the same result in any order.
 *
 * The values of rows are scattered in memory, and waiting for one row after another would take most
 * of the time. A chunk of rows is therefore first copied together, so that their loads overlap.
 *
 * @param histogram of the block's first feature.
 * @param stride bytes between the histograms of successive features.
 * @param bins u8 by row of the table, `width` bins each, one per feature; 16 bytes are read.
 * @param rows u32, `count` of them.
 * @param residuals i32 by row of the table, as returned by `quantise`.
 * @param countBits the number of low bits that count rows.
 */
export function sumRows(
  histogram: usize,
  stride: usize,
  bins: usize,
  width: usize,
  rows: usize,
  count: u32,
  residuals: usize,
  countBits: i32,
): void {
  memory.fill(histogram, 0, width * stride);
  for (const end = rows + 4 * count; rows < end; rows += 4 * CHUNK) {
    let bin = BINS;
    let addend = ADDENDS;
    for (let at = rows, last = min(rows + 4 * CHUNK, end); at < last; at += 4) {
      const row = <usize>load<u32>(at);
      v128.store(bin, v128.load(bins + row * width));
      store<i64>(addend, ((<i64>load<i32>(residuals + 4 * row)) << (<i64>countBits)) + 1);
      bin += MAX_WIDTH;
      addend += 8;
    }
    for (let at = ADDENDS, row = BINS; at < addend; at += 8, row += MAX_WIDTH) {
      const residual = load<i64>(at);
      let ofFeature = histogram;
      for (let bin = row, last = row + width; bin < last; bin++) {
        const sum = ofFeature + 8 * <usize>load<u8>(bin);
        store<i64>(sum, load<i64>(sum) + residual);
        ofFeature += stride;
      }
    }
  }
}

/**
 * Turns the histogram of a node into that of one child by subtracting the other child's. Only the
 * smaller child is summed over its rows (LightGBM, Ke et al. 2017).
 *
 * @param bytes a multiple of 16.
 */
export function subtract(parent: usize, child: usize, bytes: usize): void {
  for (const end = parent + bytes; parent < end; parent += 16, child += 16) {
    v128.store(parent, i64x2.sub(v128.load(parent), v128.load(child)));
  }
}
