interface Limits {
  readonly maxEntries?: number;
  /** The largest sum of the sizes of the entries. */
  readonly maxSize?: number;
}

interface Entry<V> {
  readonly value: V;
  readonly size: number;
}

/** A cache that drops the least recently used values when it is full. */
export class LruCache<V> {
  /** In the order of their last use: a `Map` keeps the order in which its keys were set. */
  readonly #entries = new Map<string, Entry<V>>();
  /** The key that was used last: it is at the end already. */
  #latest: string | undefined;
  #size = 0;

  constructor(private readonly limits: Limits) {}

  /** Returns the value of a key, which counts as a use of it. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (key !== this.#latest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#latest = key;
    }
    return entry.value;
  }

  /** Keeps a value in place of the one that the key had. A value larger than the whole cache is not kept. */
  set(key: string, value: V, size = 0): void {
    const { maxEntries = Infinity, maxSize = Infinity } = this.limits;
    this.#delete(key);
    if (size > maxSize) return;
    this.#entries.set(key, { value, size });
    this.#latest = key;
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#size <= maxSize) return;
      this.#delete(oldest);
    }
  }

  /** Keeps a value that grew or shrank. */
  resize(key: string, size: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.size !== size) this.set(key, entry.value, size);
  }

  #delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

const MAX_KNOWN = 10_000;

/** Answers of something that are kept while nothing in it changes. */
export class WhileUnchanged<T extends object> {
  /** With the mark that was seen before they were looked for. */
  readonly #known = new LruCache<{ readonly mark: object; readonly found: T }>({ maxEntries: MAX_KNOWN });

  /** @param readMark returns an object that stays the same while nothing changes; undefined if nobody can tell, so that none is kept */
  constructor(private readonly readMark: () => object | undefined) {}

  /** Returns what is found for a key; undefined is looked for again. */
  get<F extends T | undefined>(key: string, find: () => Promise<F>): T | Promise<F> {
    const mark = this.readMark();
    const known = this.#known.get(key);
    if (known !== undefined && known.mark === mark) return known.found;
    return find().then((found) => {
      if (found !== undefined && mark !== undefined) this.#known.set(key, { mark, found });
      return found;
    });
  }
}
