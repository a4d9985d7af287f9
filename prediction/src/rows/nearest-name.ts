import { editDistance } from '../text/edit-distance.js';

/** Characters that are compared; longer names are alike or not by their beginning. */
const MAX_COMPARED = 40;

/** Steps of comparison for all names together: some 25 ms. */
const MAX_STEPS = 4_000_000;

/**
 * Finds the name that was most likely meant: the one with the smallest edit distance (Levenshtein), letter case
 * apart, if it is at most a third of the longer name's length. The work of one instance is bounded: once it has
 * done as much as it may, it finds only names that differ in case, blanks and punctuation.
 */
export class NearestName {
  readonly #candidates: readonly { readonly name: string; readonly folded: string }[];
  readonly #byLetters: ReadonlyMap<string, string>;
  readonly #work = { steps: 0 };

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
      if (this.#work.steps > MAX_STEPS) break;
      const distance = editDistance(text, other, most, this.#work);
      if (distance > most) continue;
      best = distance;
      nearest = name;
    }
    return nearest;
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
