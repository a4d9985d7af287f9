/** The fixed memory of any model that is ready to answer, in bytes. */
const BASE = 256 * 1024;

/** Memory of the kernel grows by pages, and by a quarter of what is there. */
const SHARE_OF_FORESTS = 1.25;

/** The factor for data made of a model's facts, such as grids of cuts, maps of categories and texts of answers. */
const SHARE_OF_FACTS = 4;

/** Sizes in V8: the head of an object, an array or a text, a field or an element, and the alignment of objects. */
const HEAD = 24;
const FIELD = 8;

/**
 * Estimates the bytes of memory of a model that is ready to answer. `bench:predict -- memory` measures that they are no
 * fewer than it takes, and not many more.
 *
 * @param facts the model without its trees, as plain data.
 * @param forestBytes of its trees, laid out for scoring.
 */
export function estimateMemory(facts: unknown, forestBytes: number): number {
  return Math.ceil(BASE + SHARE_OF_FORESTS * forestBytes + SHARE_OF_FACTS * sizeOf(facts));
}

/** Returns the bytes of plain data in V8. */
function sizeOf(data: unknown): number {
  if (typeof data === 'string') return HEAD + data.length;
  if (typeof data === 'number') return FIELD;
  if (typeof data !== 'object' || data === null) return 0;
  const members: unknown[] = Object.values(data);
  return members.reduce<number>((sum, member) => {
    return sum + FIELD + (typeof member === 'number' ? 0 : sizeOf(member));
  }, 2 * HEAD);
}
