/** One of the 256 bins is for missing values, one for all of the other categories. */
export const MAX_CATEGORIES = 254;

/** The most characters of a category; longer texts are prose, and each answer of a model lists its categories. */
export const MAX_CATEGORY_LENGTH = 1000;

/** The most bytes that the categories of all columns of a model take in JSON. */
export const CATEGORY_BYTES = 4 * 1024 * 1024;

/** The equal share of `CATEGORY_BYTES` that each of so many columns has. */
export function categoryShare(columnCount: number): number {
  return Math.floor(CATEGORY_BYTES / Math.max(columnCount, 1));
}

/**
 * Chooses the texts of a column that become categories; all others count as one. The first texts go
 * first, and one that is too long, or for which no room is left, is passed over.
 *
 * @param texts the distinct texts, most frequent first.
 * @param bytes the room for all of them, with commas between them, in bytes of JSON in UTF-8.
 * @returns at most `MAX_CATEGORIES` texts, in their order.
 */
export function chooseCategories(texts: Iterable<string>, bytes: number): string[] {
  const chosen: string[] = [];
  let room = bytes;
  for (const text of texts) {
    if (chosen.length === MAX_CATEGORIES) break;
    if (text.length > MAX_CATEGORY_LENGTH || text.length > room) continue;
    const size = Buffer.byteLength(JSON.stringify(text)) + 1;
    if (size > room) continue;
    chosen.push(text);
    room -= size;
  }
  return chosen;
}
