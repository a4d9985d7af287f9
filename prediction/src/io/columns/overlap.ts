/** Bytes from `start` up to, but not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the later of two ranges that share bytes; undefined, if no two do. */
export function findOverlap<T extends ByteRange>(ranges: readonly T[]): T | undefined {
  let isAscending = true;
  let last = 0;
  for (const { start, end } of ranges) {
    if (end <= start) continue;
    isAscending &&= start >= last;
    last = end;
  }
  if (isAscending) return undefined;
  const sorted = ranges.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  return sorted.find(({ start }, index) => start < (sorted[index - 1]?.end ?? 0));
}
