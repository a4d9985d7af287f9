/** With more bits, a double could not hold the sums exactly. */
const MAX_BITS: i32 = 30;

/** The sum of the numbers written last. */
let sum: i64 = 0;

/**
 * Writes the residuals of rows as integers, in units of a power of two. The unit is the finest for
 * which the sum over all rows and, in `countBits` below it, their number fit into 64 bits.
 *
 * @param rows u32, fewer than 2^countBits of them.
 * @param residuals f64 by row of the table.
 * @param quantised i32 by row of the table.
 * @returns the unit; `quantisedSum` returns the sum of the integers.
 */
export function quantise(rows: usize, count: u32, residuals: usize, quantised: usize, countBits: i32): f64 {
  const end = rows + 4 * count;
  let largest: f64 = 0;
  for (let at = rows; at < end; at += 4) {
    largest = max(largest, abs(load<f64>(residuals + 8 * <usize>load<u32>(at))));
  }
  const bits = min(MAX_BITS, 62 - 2 * countBits);
  const scale = powerOfTwo(bits - exponentAbove(largest));
  sum = 0;
  for (let at = rows; at < end; at += 4) {
    const row = <usize>load<u32>(at);
    const number = <i32>nearest(load<f64>(residuals + 8 * row) * scale);
    store<i32>(quantised + 4 * row, number);
    sum += number;
  }
  return 1 / scale;
}

export function quantisedSum(): f64 {
  return <f64>sum;
}

/** Returns the least e with |value| < 2^e. */
function exponentAbove(value: f64): i32 {
  return <i32>(reinterpret<u64>(value) >>> 52) - 1022;
}

/** Returns 2^exponent, limited to the range in which its inverse is also a normal double. */
function powerOfTwo(exponent: i32): f64 {
  return reinterpret<f64>(<u64>(1023 + min(max(exponent, -1000), 1000)) * 0x10000000000000);
}
