/** Characters that are compared; longer names are alike or not by their beginning. */
const MAX_COMPARED = 40;

/** Steps of comparison for all names together: some 25 ms. */
const MAX_STEPS = 4_000_000;

/** Two rows of distances, which are used again. Lower case may lengthen a name. */
const ROWS = [new Uint8Array(4 * MAX_COMPARED), new Uint8Array(4 * MAX_COMPARED)] as const;

/**
 * Finds the name that was most likely meant: the one with the smallest edit distance (Levenshtein), letter case
 * apart, if it is at most a third of the longer name's length. The work of one instance is bounded: once it has
 * done as much as it may, it finds only names that differ in case, blanks and punctuation.
 */
export class NearestName {
  readonly #candidates: readonly { readonly name: string; readonly folded: string }[];
  readonly #byLetters: ReadonlyMap<string, string>;
  #steps = 0;

  constructor(names: readonly string[]) {
    this.#candidates = names.map((name) => ({ name, folded: folded(name) }));
    // The first of two that look alike is kept.
    this.#byLetters = new Map(names.map((name): [string, string] => [letters(name), name]).reverse());
  }

  /** @returns null, if no name is near. */
  of(sent: string): string | null {
    const alike = letters(sent) === '' ? undefined : this.#byLetters.get(letters(sent));
    return alike ?? this.#closest(folded(sent));
  }

  #closest(text: string): string | null {
    let nearest: string | null = null;
    let best = Number.POSITIVE_INFINITY;
    for (const { name, folded: other } of this.#candidates) {
      const most = Math.min(best - 1, Math.floor(Math.max(text.length, other.length) / 3));
      if (Math.abs(text.length - other.length) > most || this.#steps > MAX_STEPS) continue;
      const distance = this.#distance(text, other, most);
      if (distance > most) continue;
      best = distance;
      nearest = name;
    }
    return nearest;
  }

  /** The edit distance, or any larger number than `most` if it is more than that. */
  #distance(one: string, other: string, most: number): number {
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
      this.#steps += other.length;
      if (least > most) return least;
      [above, current] = [current, above];
    }
    return above[other.length] ?? 0;
  }
}

function folded(name: string): string {
  return name.slice(0, MAX_COMPARED).toLowerCase();
}

/** Returns a name without case, blanks and punctuation. */
function letters(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
