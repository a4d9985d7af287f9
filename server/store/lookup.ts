/** The most values per query, well below the limit of each database. */
const CHUNK = 1024;

/** Looks up the rows that belong to some ids, in queries of limited size. */
export async function lookup<T>(
  ids: readonly string[],
  query: (some: readonly string[]) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let begin = 0; begin < ids.length; begin += CHUNK) {
    for (const row of await query(padToPowerOfTwo(ids.slice(begin, begin + CHUNK)))) rows.push(row);
  }
  return rows;
}

/**
 * Repeats the last id up to the next power of two, since each length would be a statement of its
 * own.
 */
export function padToPowerOfTwo(ids: readonly string[]): readonly string[] {
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  return Array.from({ length }, (_, index) => ids[Math.min(index, ids.length - 1)] ?? '');
}

/** Splits rows into parts of few lengths, powers of two, for the same reason. */
export function* chunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let begin = 0; begin < rows.length; ) {
    const length = Math.min(CHUNK, 2 ** Math.floor(Math.log2(rows.length - begin)));
    yield rows.slice(begin, begin + length);
    begin += length;
  }
}
