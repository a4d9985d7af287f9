import { MOST_BINS } from './node';

const MERGED: usize = memory.data(MOST_BINS);

/**
 * Sorts bytes by ascending key, those of equal key as they stand: a merge sort, from runs of one
 * upwards.
 *
 * @param items u8, at most 256 of them, `count` in all.
 * @param keys f64 by item.
 */
export function sortByKey(items: usize, count: i32, keys: usize): void {
  for (let length = 1; length < count; length *= 2) {
    for (let start = 0; start < count; start += 2 * length) {
      const middle = min(start + length, count);
      merge(items, start, middle, min(middle + length, count), keys);
    }
    memory.copy(items, MERGED, count);
  }
}

/** Merges items[start … middle − 1] and items[middle … end − 1]. */
function merge(items: usize, start: i32, middle: i32, end: i32, keys: usize): void {
  let low = start;
  let high = middle;
  for (let at = start; at < end; at++) {
    const takesLow =
      high === end || (low < middle && keyOf(keys, items + low) <= keyOf(keys, items + high));
    store<u8>(MERGED + at, load<u8>(items + (takesLow ? low++ : high++)));
  }
}

function keyOf(keys: usize, item: usize): f64 {
  return load<f64>(keys + 8 * <usize>load<u8>(item));
}
