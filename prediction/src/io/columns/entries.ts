/** The distinct values of a column, each of which is read when it is first needed. */
export interface EntrySource {
  /** Values from this index on are not distinct: they are read whenever they are needed. */
  readonly count: number;
  /** The value as JSON would have it; null if it is missing. */
  value(index: number): unknown;
  /** The bytes of a text; 0 of other values. */
  textBytes(index: number): number;
}

/** Entries, with what was found out about each. */
export class Entries {
  readonly #source: EntrySource;
  readonly #values: unknown[] = [];
  readonly #found = new Map<object, Int16Array>();

  constructor(source: EntrySource) {
    this.#source = source;
  }

  value(index: number): unknown {
    const known = this.#values[index];
    if (known !== undefined) return known;
    const value = this.#source.value(index);
    if (index < this.#source.count) this.#values[index] = value;
    return value;
  }

  textBytes(index: number): number {
    return this.#source.textBytes(index);
  }

  /** Returns the cache of `key`: a place for each distinct entry, −1 where it knows nothing yet. */
  findings(key: object): Int16Array {
    const { count } = this.#source;
    const found = this.#found.get(key);
    if (found !== undefined && found.length >= count) return found;
    const grown = new Int16Array(Math.max(count, 2 * (found?.length ?? 0))).fill(-1);
    if (found) grown.set(found);
    this.#found.set(key, grown);
    return grown;
  }
}

/** The entries of columns of truth values: 0 is false, 1 is true. */
export function booleanEntries(): Entries {
  return new Entries({ count: 2, value: (index) => index === 1, textBytes: () => 0 });
}
