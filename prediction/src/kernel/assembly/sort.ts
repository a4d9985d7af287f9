import { MAX_BINS } from './node';

const MERGED: usize = memory.data(MAX_BINS);

/**
 * Sorts bytes by ascending key and keeps the order of equal keys: a bottom-up merge sort.
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
  let at = start;
  while (low < middle && high < end) {
    const lowItem = load<u8>(items + low);
    const highItem = load<u8>(items + high);
    const takesLow = i32(readKey(keys, lowItem) <= readKey(keys, highItem));
    // Computed without branches, half of which would be mispredicted.
    store<u8>(MERGED + at++, select(lowItem, highItem, takesLow));
    low += takesLow;
    high += 1 - takesLow;
  }
  memory.copy(MERGED + at, items + low, middle - low);
  memory.copy(MERGED + at + middle - low, items + high, end - high);
}

function readKey(keys: usize, item: u8): f64 {
  return load<f64>(keys + 8 * <usize>item);
}
