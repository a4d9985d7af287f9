/** The most characters of a text that is compared. */
const MAX_LENGTH = 159;

/** Two rows of distances, which are used again. */
const ROWS = [new Uint8Array(MAX_LENGTH + 1), new Uint8Array(MAX_LENGTH + 1)] as const;

/**
 * Returns how many characters must be inserted, removed or replaced to make one text of another (V. Levenshtein, 1966),
 * or any larger number than `most` if there are more than that.
 * @param other at most 159 UTF-16 code units
 * @param work adds the pairs of characters that were compared
 */
export function editDistance(one: string, other: string, most: number, work = { steps: 0 }): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let [above, current] = ROWS;
  for (let length = 0; length <= other.length; length++) above[length] = length;
  for (let row = 1; row <= one.length; row++) {
    const character = one.charCodeAt(row - 1);
    current[0] = row;
    let least = row;
    for (let column = 1; column <= other.length; column++) {
      const isEqual = character === other.charCodeAt(column - 1);
      const replaced = (above[column - 1] ?? 0) + (isEqual ? 0 : 1);
      const cell = Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      current[column] = cell;
      if (cell < least) least = cell;
    }
    work.steps += other.length;
    if (least > most) return least;
    [above, current] = [current, above];
  }
  return above[other.length] ?? 0;
}
