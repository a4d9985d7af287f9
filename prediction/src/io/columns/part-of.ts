/**
 * Returns the index of the part that holds an entry, by binary search.
 * @param starts the index of the first entry of each part, ascending from 0
 */
export function partOf(starts: readonly number[], index: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= index) low = middle;
    else high = middle;
  }
  return low;
}
